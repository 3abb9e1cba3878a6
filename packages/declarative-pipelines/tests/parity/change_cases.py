"""AUTO CDC: one pipeline has all cases, and its updates bring the changes of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from declarative_pipelines.testing import PipelineTest

Change = tuple[int, int | None, str | None, str | None, str | None]
FEED = "target STRING, id INT, seq LONG, op STRING, name STRING, city STRING"
_HISTORY = "stored_as_scd_type=2"
_BY_NAME = f'{_HISTORY}, track_history_column_list=["name"]'
_APART = 100  # between the first keys of two cases


@dataclass(frozen=True)
class Case:
    """A line of the page by its first cell, its flow's options, the changes of each update, and the rows that follow.

    A change is id, seq, op, name and city; ``expected`` is None where nothing is documented.
    """

    what: str
    options: str
    updates: tuple[list[Change], ...]
    expected: list[tuple[Any, ...]] | None


def _up(seq: int, name: str | None, city: str | None = None, key: int = 1) -> Change:
    return key, seq, "U", name, city


def _delete(seq: int, key: int = 1) -> Change:
    return key, seq, "D", None, None


def _history(*versions: tuple[str, int, int | None]) -> list[tuple[Any, ...]]:
    return sorted((1, name, None, start, end) for name, start, end in versions)


CASES = [
    Case("type 1, a later change", "",
         ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", "Ada", "Oslo")]), [(1, "Ada", "Oslo")]),
    Case("type 1, an older change arrives later", "",
         ([(1, 5, "U", "Ada", "Oslo")], [(1, 3, "U", "Ada", "Rome")]), [(1, "Ada", "Oslo")]),
    Case("type 1, out of order in one update", "",
         ([(1, 3, "U", "Ada", "Bonn"), (1, 1, "U", "Ada", "Rome"), (1, 2, "U", "Ada", "Oslo")],), [(1, "Ada", "Bonn")]),
    Case("type 1, a change twice in an update, and again in the next", "",
         ([(1, 1, "U", "Ada", "Rome")] * 2, [(1, 1, "U", "Ada", "Rome")]), [(1, "Ada", "Rome")]),
    Case("type 1, the whole feed again", "",
         ([(1, 1, "U", "Ada", "Rome"), (1, 2, "D", None, None), (2, 1, "U", "Bo", "Oslo")],) * 2, [(2, "Bo", "Oslo")]),
    Case("type 1, two changes with one sequence value, in either order", "",
         ([(1, 1, "U", "Ada", "Rome"), (1, 1, "U", "Ada", "Oslo"), (2, 1, "U", "Ada", "Oslo"),
           (2, 1, "U", "Ada", "Rome")],),
         None),
    Case("type 1, a delete", "",
         ([(1, 1, "U", "Ada", "Rome"), (2, 1, "U", "Bo", "Oslo")], [(1, 2, "D", None, None)]), [(2, "Bo", "Oslo")]),
    Case("type 1, a delete that is older than the row", "",
         ([(1, 5, "U", "Ada", "Rome")], [(1, 3, "D", None, None)]), [(1, "Ada", "Rome")]),
    Case("type 1, an upsert that is older than the delete", "",
         ([(1, 5, "U", "Ada", "Rome")], [(1, 8, "D", None, None)], [(1, 7, "U", "Ada", "Oslo")]), []),
    Case("type 1, NULLs in an update", "",
         ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", None, "Oslo")]), [(1, None, "Oslo")]),
    Case("type 1, NULLs with `ignore_null_updates`", "ignore_null_updates=True",
         ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", None, "Oslo")]), [(1, "Ada", "Oslo")]),
    Case("type 1, a truncate", "apply_as_truncates=\"op = 'T'\"",
         ([(1, 1, "U", "Ada", "Rome"), (2, 5, "U", "Bo", "Oslo")], [(9, 3, "T", None, None)]), [(2, "Bo", "Oslo")]),
    Case("type 2, a later change", _HISTORY,
         ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", "Ada", "Oslo")]),
         [(1, "Ada", "Oslo", 2, None), (1, "Ada", "Rome", 1, 2)]),
    Case("type 2, a change between two that are there", _HISTORY,
         ([(1, 1, "U", "Ada", "Rome"), (1, 5, "U", "Ada", "Bonn")], [(1, 3, "U", "Ada", "Oslo")]),
         [(1, "Ada", "Bonn", 5, None), (1, "Ada", "Oslo", 3, 5), (1, "Ada", "Rome", 1, 3)]),
    Case("type 2, the whole feed again", _HISTORY,
         ([(1, 1, "U", "Ada", "Rome"), (1, 2, "U", "Ada", "Oslo")],) * 2,
         [(1, "Ada", "Oslo", 2, None), (1, "Ada", "Rome", 1, 2)]),
    Case("type 2, a delete, and the key again", _HISTORY,
         ([(1, 1, "U", "Ada", "Rome")], [(1, 3, "D", None, None)], [(1, 5, "U", "Ada", "Oslo")]),
         [(1, "Ada", "Oslo", 5, None), (1, "Ada", "Rome", 1, 3)]),
    Case("type 2, a delete between two versions", _HISTORY,
         ([(1, 1, "U", "Ada", "Rome"), (1, 5, "U", "Ada", "Oslo")], [(1, 3, "D", None, None)]),
         [(1, "Ada", "Oslo", 5, None), (1, "Ada", "Rome", 1, 3)]),
    Case("type 2, the same values with a later sequence value", _HISTORY,
         ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", "Ada", "Rome")]), [(1, "Ada", "Rome", 1, None)]),
    Case("type 2, `track_history_except_column_list`, the column changes",
         f'{_HISTORY}, track_history_except_column_list=["name"]',
         ([(1, 1, "U", "Ada", "Rome")], [(1, 2, "U", "A.", "Rome")], [(1, 3, "U", "A.", "Oslo")]),
         [(1, "A.", "Oslo", 3, None), (1, "A.", "Rome", 1, 3)]),
]  # fmt: skip
# The examples of Spark 4.3's guide and of its own tests, with the rows that they give. Nothing of it was run there.
SPARK_4_3 = [
    Case("type 1, six changes in one update, one of them late and doubled", "",
          ([_up(1, "Ada"), _up(1, "Bo", key=2), _up(2, "Adele"), _delete(2, key=2), _up(1, "Cy", key=3),
           _up(1, "Ada")],),
         [(1, "Adele", None), (3, "Cy", None)]),
    Case("type 1, three updates: two inserts; an update in disorder, a delete and an insert; an old change again", "",
         ([_up(1, "Ada"), _up(1, "Bo", key=2)],
          [_up(2, "Adele"), _up(1, "Ada"), _delete(2, key=2), _up(1, "Cy", key=3)], [_up(1, "Ada")]),
         [(1, "Adele", None), (3, "Cy", None)]),
    Case("type 1, an insert, its delete and another insert in one update", "",
         ([_up(1, "Ada"), _delete(2), _up(3, "Adele")],), [(1, "Adele", None)]),
    Case("type 2, an insert", _HISTORY,
         ([_up(10, "a")],), _history(("a", 10, None))),
    Case("type 2, two values in one update", _HISTORY,
         ([_up(10, "a"), _up(20, "b")],), _history(("a", 10, 20), ("b", 20, None))),
    Case("type 2, an insert and its delete in one update", _HISTORY,
         ([_up(10, "a"), _delete(20)],), _history(("a", 10, 20))),
    Case("type 2, insert, change, delete and insert in one update", _HISTORY,
         ([_up(10, "a"), _up(20, "b"), _delete(30), _up(40, "c")],),
         _history(("a", 10, 20), ("b", 20, 30), ("c", 40, None))),
    Case("type 2, one value in two updates, then another one", _HISTORY,
         ([_up(10, "a")], [_up(20, "a")], [_up(30, "b")]), _history(("a", 10, 30), ("b", 30, None))),
    Case("type 2, a delete of a key that was never there", _HISTORY,
         ([_delete(5)],), []),
    Case("type 2, a late change before all others", _HISTORY,
         ([_up(10, "a")], [_up(5, "b")]), _history(("b", 5, 10), ("a", 10, None))),
    Case("type 2, a late change within a version that has ended", _HISTORY,
         ([_up(10, "a"), _up(20, "c")], [_up(15, "b")]), _history(("a", 10, 15), ("b", 15, 20), ("c", 20, None))),
    Case("type 2, a late delete within a version that has ended", _HISTORY,
         ([_up(10, "a"), _up(30, "b")], [_delete(20)]), _history(("a", 10, 20), ("b", 30, None))),
    Case("type 2, a late delete before another delete", _HISTORY,
         ([_up(10, "a"), _delete(20)], [_delete(15)]), _history(("a", 10, 15))),
    Case("type 2, two late changes in one update, each within a version of its own", _HISTORY,
         ([_up(1, "a"), _up(5, "b"), _up(10, "c"), _up(20, "d")], [_up(7, "x"), _up(15, "y")]),
         _history(("a", 1, 5), ("b", 5, 7), ("x", 7, 10), ("c", 10, 15), ("y", 15, 20), ("d", 20, None))),
    Case("type 2, an insert after a delete of a key that was never there", _HISTORY,
         ([_delete(20)], [_up(30, "x")]), _history(("x", 30, None))),
    Case("type 2, a late insert before such a delete", _HISTORY,
         ([_delete(20)], [_up(10, "x")]), _history(("x", 10, 20))),
    Case("type 2, a late change amid changes of one value", _HISTORY,
         ([_up(5, "a"), _up(10, "a"), _up(15, "a")], [_up(20, "c")], [_up(12, "b")]),
         _history(("a", 5, 12), ("b", 12, 15), ("a", 15, 20), ("c", 20, None))),
    Case("type 2, one value twice, its delete, and a later insert", _HISTORY,
         ([_up(10, "a"), _up(11, "a")], [_delete(12)], [_up(20, "b")]), _history(("a", 10, 12), ("b", 20, None))),
    Case("type 2, a change twice in an update, and again in the next", _HISTORY,
         ([_up(10, "a")] * 2, [_up(10, "a")]), _history(("a", 10, None))),
    Case("type 2, an upsert and a delete with one sequence value", _HISTORY,
         ([_up(10, "a"), _delete(10)],), []),
    Case("type 2, the condition for deletes is NULL", _HISTORY,
         ([(1, 10, None, "a", None)],), _history(("a", 10, None))),
    Case("type 2, only a column that is not tracked changes, in two updates", _BY_NAME,
         ([_up(10, "a", "100"), _up(20, "a", "200")], [_up(30, "a", "300")]), [(1, "a", "300", 10, None)]),
    Case("type 2, the same, and then a tracked one", _BY_NAME,
         ([_up(39, "a", "39")], [_up(41, "a", "41")], [_up(42, "b", "42"), _up(43, "c", "43")]),
         [(1, "a", "41", 39, 42), (1, "b", "42", 42, 43), (1, "c", "43", 43, None)]),
]  # fmt: skip
_TARGET = """
@dlt.view
def from_{name}():
    return spark.readStream.table("feed").where("target = '{name}'").drop("target")
dlt.create_streaming_table("{name}")
dlt.create_auto_cdc_flow(target="{name}", source="from_{name}", keys=["id"], sequence_by="seq",
    apply_as_deletes="op = 'D'", except_column_list=["op", "seq"], {options})
"""


def pipeline_of(cases: list[Case]) -> tuple[str, dict[str, str]]:
    """Return a pipeline of all cases, and the targets by the options of their flows.

    It reads the changes from the table ``feed``.  Cases with the same options have one target; each has keys of its
    own, so that they do not meet.
    """
    targets = {one: f"target_{number}" for number, one in enumerate(dict.fromkeys(case.options for case in cases))}
    flows = "".join(_TARGET.format(name=name, options=one) for one, name in targets.items())
    return f"import dlt\n{flows}", targets


def feed_of(cases: list[Case], targets: dict[str, str], update: int) -> list[tuple[Any, ...]]:
    """Return the rows of ``feed`` that arrive before an update, from 0."""
    return [
        (targets[case.options], None if key is None else key + number * _APART, *change)
        for number, case in enumerate(cases, 1)
        if update < len(case.updates)
        for key, *change in case.updates[update]
    ]


def split_rows(cases: list[Case], rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> list[list[tuple[Any, ...]]]:
    """Return the rows of each case, from those of each target by its options."""
    return [
        [(row[0] - number * _APART, *row[1:]) for row in rows[case.options] if row[0] // _APART == number]
        for number, case in enumerate(cases, 1)
    ]


def updates_of(cases: list[Case]) -> int:
    """Return how many updates the cases need."""
    return max(len(case.updates) for case in cases)


def rows_of(spark: SparkSession, file: Path, cases: list[Case]) -> list[list[tuple[Any, ...]]]:
    """Run cases as one pipeline, and return the rows of each."""
    text, targets = pipeline_of(cases)
    file.write_text(text)
    with PipelineTest(file, spark=spark) as pipeline:
        for update in range(updates_of(cases)):
            if update:
                pipeline.append("feed", feed_of(cases, targets, update))
            else:
                pipeline.mock("feed", feed_of(cases, targets, update), FEED)
            result = pipeline.run()
        rows = {options: result.rows(target) for options, target in targets.items()}
    return split_rows(cases, rows)
