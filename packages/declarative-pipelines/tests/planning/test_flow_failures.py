"""What a flow failed with, in a sentence."""

from __future__ import annotations

import sys

import pytest

from declarative_pipelines.definitions.model import Dataset, DatasetKind, SourceLocation
from declarative_pipelines.errors import ExpectationFailed
from declarative_pipelines.planning.flow_nodes import FlowNode, explain_failure, failed

ORDERS = Dataset("orders", DatasetKind.TABLE, SourceLocation("p.py", 7))
FLOW = FlowNode("orders", ORDERS, None, ORDERS)


def test_the_last_cause_in_the_jvm_is_the_reason() -> None:
    stack = "\n\tat x.Y(Z:1)\n"
    text = f"An error\n: a.B: [TASK_WRITE_FAILED] no{stack}Caused by: c.D: [BAD] the reason{stack}"
    assert str(failed(RuntimeError(text), FLOW)) == "orders was not updated: [BAD] the reason"


def test_a_record_that_must_not_be_there_is_found_in_the_text() -> None:
    text = "Flow 'f' failed to meet the expectation of 't'. Violated expectations: 'one', 'two'. Output record: '{}'"
    found = failed(RuntimeError(f"[EXPECTATION_VIOLATION.VERBOSITY_OUTPUT] {text} SQLSTATE: P0001"), FLOW)
    assert isinstance(found, ExpectationFailed) and found.expectations == ("one", "two")


@pytest.mark.parametrize("code", ["DELTA_SOURCE_TABLE_IGNORE_CHANGES", "DELTA_SOURCE_IGNORE_DELETE"])
def test_rows_that_were_changed_below_a_stream_say_what_to_refresh(code: str) -> None:
    assert "Refresh orders in full as well" in str(failed(RuntimeError(f"[{code}] Detected"), FLOW))


def test_workers_of_another_python_say_which_one_to_use() -> None:
    def text(module: str) -> str:
        return (
            f"[PYTHON_EXCEPTION] Traceback:\n  File 'x.py', line 1\nModuleNotFoundError: No module named '{module}'\n"
        )

    error = RuntimeError(text("pyarrow"))
    for said in (str(failed(error, FLOW)), str(explain_failure(error, FLOW))):
        assert "a Python that has no pyarrow" in said and f"PYSPARK_PYTHON={sys.executable}" in said
    # A module that nobody has is a mistake of the definition's.
    assert "PYSPARK_PYTHON" not in str(failed(RuntimeError(text("no_such_module")), FLOW))


def test_a_name_that_is_nearly_one_is_suggested() -> None:
    text = "[TABLE_OR_VIEW_NOT_FOUND] The table or view `db`.`custmers` cannot be found. Verify"
    said = str(explain_failure(RuntimeError(text), FLOW, ["customers"]))
    assert said.startswith("p.py, line 7: orders reads db.custmers") and said.endswith("Did you mean customers?")
