from __future__ import annotations

from importlib import import_module

import pytest
from IPython.core.interactiveshell import InteractiveShell

from notebook_dialect.kernel import python_advice

UNKNOWN = "Correct the name, or install the package that has it."


@pytest.fixture
def shell() -> InteractiveShell:
    return InteractiveShell()


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("pandsa", "Did you mean `pandas`?"),
        ("datetme", "Did you mean `datetime`?"),
        ("pyspark.sql.functons", "Did you mean `pyspark.sql.functions`?"),
        ("nobody_knows_this", UNKNOWN),
        ("notebook_dialekt_of_mine", UNKNOWN),
        ("json.nobody_knows_this", UNKNOWN),
    ],
)
def test_a_module_that_is_not_there_is_never_installed_by_the_name_that_was_typed(
    shell: InteractiveShell, name: str, advice: str
) -> None:
    with pytest.raises(ModuleNotFoundError) as caught:
        import_module(name)
    assert python_advice.advice(shell, caught.value, caught.value.__traceback__, ()) == advice


def test_what_a_program_happens_to_have_loaded_is_no_candidate(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(python_advice.sys.modules, "quarterly_report", python_advice)
    error = ModuleNotFoundError("No module named 'quarterly_reports'", name="quarterly_reports")
    assert python_advice.advice(shell, error, None, ()) == UNKNOWN


def test_an_object_without_public_names_has_none_to_list(shell: InteractiveShell) -> None:
    error = AttributeError("'object' object has no attribute 'quarter'", name="quarter", obj=object())
    assert python_advice.advice(shell, error, None, ()) is None
