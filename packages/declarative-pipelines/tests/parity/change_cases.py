"""AUTO CDC and snapshots: one pipeline has the cases of each kind, and its updates bring the changes of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from declarative_pipelines.testing import PipelineTest

from .behaviors import Behavior, Measured

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

Change = tuple[int, int, str, str | None, str | None]
_SCHEMA = "target STRING, id INT, seq LONG, op STRING, name STRING, city STRING"
_HISTORY = "stored_as_scd_type=2"
_APART = 100  # between the first keys of two cases


@dataclass(frozen=True)
class ChangeCase:
    """A case: the options of its flow, and the changes (id, seq, op, name, city) of each update."""

    behavior: Behavior
    options: str
    updates: tuple[list[Change], ...]


def _case(what, platform, source, options, updates, expected) -> ChangeCase:
    stock = "type 2" if "type=2" in options else "type 1"
    return ChangeCase(Behavior(what, platform, source, expected, stock), options, updates)


_ORDER = "Pipelines handle data that arrives out of order."
_TOMBSTONE = "A deleted row is retained as a tombstone, so that late changes are recognized."
_TYPE_2 = "`__START_AT` and `__END_AT` have the sequence values between which a version was current."
CASES = {
    "upsert": _case(
        "type 1, a later change", "An insert or an update upserts the row of its key.", "flow", "",
        ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", "Ada", "Oslo")]), [(1, "Ada", "Oslo")],
    ),
    "late": _case(
        "type 1, an older change arrives later", _ORDER, "cdc", "",
        ([(1, 5, "U", "Ada", "Oslo")], [(1, 3, "U", "Ada", "Rome")]), [(1, "Ada", "Oslo")],
    ),
    "disorder": _case(
        "type 1, out of order in one update", _ORDER, "cdc", "",
        ([(1, 3, "U", "Ada", "Bonn"), (1, 1, "U", "Ada", "Rome"), (1, 2, "U", "Ada", "Oslo")],), [(1, "Ada", "Bonn")],
    ),
    "duplicate": _case(
        "type 1, a change twice in an update, and again in the next", "A key has one row.", "flow", "",
        ([(1, 1, "U", "Ada", "Rome")] * 2, [(1, 1, "U", "Ada", "Rome")]), [(1, "Ada", "Rome")],
    ),
    "replay": _case(
        "type 1, the whole feed again", _ORDER, "cdc", "",
        ([(1, 1, "U", "Ada", "Rome"), (1, 2, "D", None, None), (2, 1, "U", "Bo", "Oslo")],) * 2, [(2, "Bo", "Oslo")],
    ),
    "ties": _case(
        "type 1, two changes with one sequence value, in either order",
        "There should be one distinct update per key at each sequencing value.", "cdc", "",
        (
            [(1, 1, "U", "Ada", "Rome"), (1, 1, "U", "Ada", "Oslo"), (2, 1, "U", "Ada", "Oslo"),
             (2, 1, "U", "Ada", "Rome")],
        ), None,
    ),
    "delete": _case(
        "type 1, a delete", "`apply_as_deletes` says when a change is a delete, not an upsert.", "flow", "",
        ([(1, 1, "U", "Ada", "Rome"), (2, 1, "U", "Bo", "Oslo")], [(1, 2, "D", None, None)]), [(2, "Bo", "Oslo")],
    ),
    "late_delete": _case(
        "type 1, a delete that is older than the row", _ORDER, "cdc", "",
        ([(1, 5, "U", "Ada", "Rome")], [(1, 3, "D", None, None)]), [(1, "Ada", "Rome")],
    ),
    "tombstone": _case(
        "type 1, an upsert that is older than the delete", _TOMBSTONE, "flow", "",
        ([(1, 5, "U", "Ada", "Rome")], [(1, 8, "D", None, None)], [(1, 7, "U", "Ada", "Oslo")]), [],
    ),
    "nulls": _case(
        "type 1, NULLs in an update", "Without `ignore_null_updates`, existing values are overwritten with NULL.",
        "flow", "", ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", None, "Oslo")]), [(1, None, "Oslo")],
    ),
    "ignored_nulls": _case(
        "type 1, NULLs with `ignore_null_updates`", "Columns with a NULL retain their existing values.", "flow",
        "ignore_null_updates=True", ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", None, "Oslo")]), [(1, "Ada", "Oslo")],
    ),
    "truncate": _case(
        "type 1, a truncate", "`apply_as_truncates` says when a change empties the table.", "flow",
        "apply_as_truncates=\"op = 'T'\"",
        ([(1, 1, "U", "Ada", "Rome"), (2, 5, "U", "Bo", "Oslo")], [(9, 3, "T", None, None)]), [(2, "Bo", "Oslo")],
    ),
    "history": _case(
        "type 2, a later change", _TYPE_2, "cdc", _HISTORY,
        ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", "Ada", "Oslo")]),
        [(1, "Ada", "Oslo", 2, None), (1, "Ada", "Rome", 1, 2)],
    ),
    "late_history": _case(
        "type 2, a change between two that are there", _ORDER, "cdc", _HISTORY,
        ([(1, 1, "U", "Ada", "Rome"), (1, 5, "U", "Ada", "Bonn")], [(1, 3, "U", "Ada", "Oslo")]),
        [(1, "Ada", "Bonn", 5, None), (1, "Ada", "Oslo", 3, 5), (1, "Ada", "Rome", 1, 3)],
    ),
    "history_replay": _case(
        "type 2, the whole feed again", _ORDER, "cdc", _HISTORY,
        ([(1, 1, "U", "Ada", "Rome"), (1, 2, "U", "Ada", "Oslo")],) * 2,
        [(1, "Ada", "Oslo", 2, None), (1, "Ada", "Rome", 1, 2)],
    ),
    "history_delete": _case(
        "type 2, a delete, and the key again", "A delete ends the current version.", "cdc", _HISTORY,
        ([(1, 1, "U", "Ada", "Rome")], [(1, 3, "D", None, None)], [(1, 5, "U", "Ada", "Oslo")]),
        [(1, "Ada", "Oslo", 5, None), (1, "Ada", "Rome", 1, 3)],
    ),
    "late_history_delete": _case(
        "type 2, a delete between two versions", _ORDER, "cdc", _HISTORY,
        ([(1, 1, "U", "Ada", "Rome"), (1, 5, "U", "Ada", "Oslo")], [(1, 3, "D", None, None)]),
        [(1, "Ada", "Oslo", 5, None), (1, "Ada", "Rome", 1, 3)],
    ),
    "same_values": _case(
        "type 2, the same values with a later sequence value",
        "A new record begins where a tracked column changes.", "flow", _HISTORY,
        ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", "Ada", "Rome")]), [(1, "Ada", "Rome", 1, None)],
    ),
    "untracked": _case(
        "type 2, `track_history_except_column_list`, the column changes",
        "Columns that are not tracked are updated in place.", "cdc",
        f'{_HISTORY}, track_history_except_column_list=["name"]',
        ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", "A.", "Rome")], [(1, 3, "U", "A.", "Oslo")]),
        [(1, "A.", "Oslo", 3, None), (1, "A.", "Rome", 1, 3)],
    ),
}  # fmt: skip
_HEAD = "import dlt\n"
_TARGET = """
@dlt.view
def from_{name}():
    return spark.readStream.table("feed").where("target = '{name}'").drop("target")
dlt.create_streaming_table("{name}")
dlt.create_auto_cdc_flow(target="{name}", source="from_{name}", keys=["id"], sequence_by="seq",
    apply_as_deletes="op = 'D'", except_column_list=["op", "seq"], {options})
"""
_REFUSED = """
import dlt
dlt.create_streaming_table("refused")
dlt.create_auto_cdc_flow(target="refused", source="feed", keys=["id"], sequence_by="seq", {options})
"""
NULL_SEQUENCE = Behavior(
    "a NULL in the sequence", "NULL sequencing values are unsupported.", "cdc", "the update fails", "type 1"
)
NULL_KEY = Behavior("a NULL in the key", "nothing found", "flow", None, "type 1")
TRUNCATED_HISTORY = Behavior(
    "type 2, `apply_as_truncates`", "Supported for SCD type 1 only.", "flow", "the update fails", "type 2"
)
_SNAPSHOTS = """
import dlt
for kind in (1, 2):
    dlt.create_streaming_table(f"snapshots_{kind}")
    dlt.create_auto_cdc_from_snapshot_flow(
        target=f"snapshots_{kind}", source=versions, keys=["id"], stored_as_scd_type=kind)
"""
SNAPSHOT_1 = Behavior(
    "snapshots, type 1: a row is new, one has changed, one is gone",
    "The target is what the newest snapshot says.", "snapshot", [(2, "Bob"), (3, "Di")], "snapshots",
)  # fmt: skip
SNAPSHOT_2 = Behavior(
    "snapshots, type 2: the same", "Versions begin and end with the versions of the snapshots.", "snapshot",
    [(1, "Ada", 1, 2), (2, "Bo", 1, 2), (2, "Bob", 2, None), (3, "Di", 2, None)], "snapshots",
)  # fmt: skip
SNAPSHOT_SAME = Behavior(
    "snapshots, type 2: no newer snapshot", "The function returns None: there is nothing to process.", "snapshot",
    [(1, "Ada", 1, 2), (2, "Bo", 1, 2), (2, "Bob", 2, None), (3, "Di", 2, None)], "snapshots",
)  # fmt: skip


def measure(spark: SparkSession, folder: Path) -> list[Measured]:
    """Run all cases."""
    rows = rows_of(spark, folder / "changes.py", CASES)
    found = [Measured(case.behavior, rows[name]) for name, case in CASES.items()]
    found += [
        Measured(NULL_SEQUENCE, _refused(spark, folder, (1, None, "U", "Ada", "Rome"), "")),
        Measured(NULL_KEY, _refused(spark, folder, (None, 1, "U", "Ada", "Rome"), "")),
        Measured(TRUNCATED_HISTORY, _refused(spark, folder, (1, 1, "T", None, None), _TRUNCATED)),
    ]
    return found + _snapshots(spark, folder)


_TRUNCATED = "apply_as_truncates=\"op = 'T'\", stored_as_scd_type=2"


def rows_of(spark: SparkSession, file: Path, cases: Mapping[str, ChangeCase]) -> dict[str, Any]:
    """Run cases as one pipeline, and return the rows of each.

    Cases with the same options have one target; each has keys of its own, so that they do not meet.
    """
    options = dict.fromkeys(case.options for case in cases.values())
    targets = {one: f"target_{number}" for number, one in enumerate(options)}
    before = {name: number * _APART for number, name in enumerate(cases, 1)}
    file.write_text(_HEAD + "".join(_TARGET.format(name=name, options=one) for one, name in targets.items()))
    with PipelineTest(file, spark=spark) as pipeline:
        for number in range(max(len(case.updates) for case in cases.values())):
            changes = [
                (targets[case.options], key + before[name], *change)
                for name, case in cases.items()
                if number < len(case.updates)
                for key, *change in case.updates[number]
            ]
            if number:
                pipeline.append("feed", changes)
            else:
                pipeline.mock("feed", changes, _SCHEMA)
            result = pipeline.run()
        return {
            name: [
                (row[0] - before[name], *row[1:])
                for row in result.rows(targets[case.options])
                if before[name] < row[0] < before[name] + _APART
            ]
            for name, case in cases.items()
        }


def _refused(spark: SparkSession, folder: Path, change: tuple[Any, ...], options: str) -> str:
    file = folder / "refused.py"
    file.write_text(_REFUSED.format(options=options))
    with PipelineTest(file, spark=spark) as pipeline:
        pipeline.mock("feed", [change], _SCHEMA.partition(", ")[2])
        return "the update fails" if pipeline.run(check=False).error is not None else "the update succeeds"


def _snapshots(spark: SparkSession, folder: Path) -> list[Measured]:
    versions = {1: [(1, "Ada"), (2, "Bo")], 2: [(2, "Bob"), (3, "Di")]}
    function = f"""
VERSIONS = {versions!r}
def versions(newest):
    following = (newest or 0) + 1
    if following not in VERSIONS:
        return None
    return spark.createDataFrame(VERSIONS[following], "id INT, name STRING"), following
"""
    file = folder / "snapshots.py"
    file.write_text(function + _SNAPSHOTS)
    with PipelineTest(file, spark=spark) as pipeline:
        first = pipeline.run()
        seen = [[tuple(row) for row in first.rows(f"snapshots_{kind}")] for kind in (1, 2)]
        again = [tuple(row) for row in pipeline.run("snapshots_2").rows("snapshots_2")]
    return [Measured(SNAPSHOT_1, seen[0]), Measured(SNAPSHOT_2, seen[1]), Measured(SNAPSHOT_SAME, again)]
