"""What the decorators note: both spellings, in any order, with the line where they stand."""

from __future__ import annotations

import sys

import pytest

from declarative_pipelines.definitions import api_modules
from declarative_pipelines.definitions import decorators as dlt
from declarative_pipelines.definitions.model import ChangeFlow, Definitions, SnapshotFlow, Violation
from declarative_pipelines.definitions.registry import collected_definitions
from declarative_pipelines.errors import BadDefinition, UnsupportedFeature
from streaming_base import hooks


@pytest.fixture
def noted():
    with collected_definitions(Definitions()) as definitions:
        yield definitions


def test_expectations_are_taken_above_and_below_in_the_order_in_which_they_are_read(noted: Definitions) -> None:
    @dlt.expect_or_fail("one", "a > 1")
    @dlt.materialized_view(name="LIVE.`m`", comment="why", table_properties={"quality": "gold"})
    @dlt.expect_all_or_drop({"two": "b > 1", "three": "c > 1"})
    def anything(): ...

    [dataset] = noted.datasets
    assert [one.name for one in dataset.expectations] == ["one", "two", "three"]
    assert [one.violation for one in dataset.expectations] == [Violation.FAIL, Violation.DROP, Violation.DROP]
    assert (dataset.name, dataset.comment, dataset.properties) == ("m", "why", {"quality": "gold"})


def test_an_expectation_twice_is_refused(noted: Definitions) -> None:
    with pytest.raises(BadDefinition, match="two expectations of the name 'one'"):

        @dlt.expect("one", "a > 1")
        @dlt.expect("one", "a > 2")
        def anything(): ...


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: dlt.table(row_filter="f")(lambda: None), "no row filters"),
        (lambda: dlt.create_streaming_table("t", path="/x"), "leave path= out"),
        (lambda: dlt.apply_changes("t", "s", ["k"], "n", column_list=["a"], except_column_list=["b"]), "exclude each"),
        (lambda: dlt.apply_changes("t", "s", ["k"], "n", stored_as_scd_type=3), "the types 1 and 2"),
        (lambda: dlt.expect_all(["a > 1"]), "dictionary"),
        (lambda: dlt.apply_changes("t", "s", ["k"]), "needs sequence_by"),
        (lambda: dlt.apply_changes("t", "s", ["k"], "n", system_sequence_by="m"), "histories of two times"),
        (lambda: dlt.apply_changes("t", "s", ["k"], "n", speed=1), "no argument 'speed'"),
        (lambda: dlt.append_flow(target="t", speed=1), r"append_flow\(\) has no argument 'speed'"),
        (lambda: dlt.create_sink("s", "noop", speed=1), r"create_sink\(\) has no argument 'speed'"),
        (lambda: dlt.apply_changes_from_snapshot("t", "s", snapshot_and_version="s", keys=["k"]), "the older name"),
        (lambda: dlt.apply_changes_from_snapshot("t", keys=["k"]), "needs source="),
        (lambda: dlt.apply_changes_from_snapshot("t", "s"), "needs keys="),
        (
            lambda: dlt.apply_changes(
                "t", "s", ["k"], "n", ignore_null_updates_column_list=["a"], ignore_null_updates_except_column_list=[]
            ),
            "exclude each",
        ),
    ],
)
def test_what_is_not_here_is_refused_with_a_sentence(noted: Definitions, call, words: str) -> None:
    with pytest.raises((BadDefinition, UnsupportedFeature), match=words):
        call()


def test_arguments_of_change_flows_in_all_their_spellings(noted: Definitions) -> None:
    dlt.apply_changes("t", "s", "k", "n", ignore_null_updates_column_list="a", where="day > 1")
    dlt.create_auto_cdc_flow("t", "s", ["k"], "n", ignore_null_updates_except_column_list=["b"])
    dlt.apply_changes_from_snapshot(target="t", snapshot_and_version=lambda version: None, keys=["k"])
    some, others, snapshots = noted.changes
    assert isinstance(some, ChangeFlow) and isinstance(others, ChangeFlow) and isinstance(snapshots, SnapshotFlow)
    assert (some.ignore_null_updates, some.null_columns, some.where) == (True, ("a",), "day > 1")
    assert (others.ignore_null_updates, others.null_except_columns) == (True, ("b",))
    assert callable(snapshots.source)


def test_both_imports_give_the_names_and_sparks_own_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import pipelines

    own = pipelines.table if not api_modules._replaced else api_modules._replaced["table"]
    api_modules.install()
    assert sys.modules["dlt"].table is dlt.table and pipelines.table is dlt.table
    with pytest.raises(UnsupportedFeature, match="event hooks are not here"):
        _ = sys.modules["dlt"].on_event_hook
    with pytest.raises(UnsupportedFeature, match="flows in update mode are not here"):
        _ = pipelines.update_flow
    api_modules.uninstall()
    assert pipelines.table is own and "dlt" not in sys.modules
    assert not [hook for hook in hooks.table() if hook.by == "declarative_pipelines"]
