"""Spark 4.3 merges changes by itself: the examples of its guide and of its own tests, with the rows that they give.

Facts alone, with other names.  No Delta of today runs on Spark 4.3, so nothing of this was run there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .behaviors import Behavior, Measured
from .change_cases import Change, ChangeCase, rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

_TESTS = "https://github.com/apache/spark/blob/v4.3.0/sql/pipelines/src/test/scala/org/apache/spark/sql/pipelines"
SOURCES = {
    "guide": ("guide", "https://spark.apache.org/docs/4.3.0/declarative-pipelines-programming-guide.html"),
    "flows": ("flows of type 1", f"{_TESTS}/graph/AutoCdcScd1SinglePipelineSuite.scala"),
    "batches": ("batches of type 2", f"{_TESTS}/autocdc/Scd2ForeachBatchHandlerSuite.scala"),
    "rows": ("rows of type 2", f"{_TESTS}/autocdc/Scd2BatchProcessorSuite.scala"),
}
_TYPE_2 = "stored_as_scd_type=2"
_NAME_TRACKED = f'{_TYPE_2}, track_history_column_list=["name"]'


def _upsert(seq: int, name: str | None, city: str | None = None, key: int = 1) -> Change:
    return key, seq, "U", name, city


def _delete(seq: int, key: int = 1) -> Change:
    return key, seq, "D", None, None


def _case(what, source, options, updates, expected) -> ChangeCase:
    return ChangeCase(Behavior(what, "", source, expected, ""), options, updates)


def _history(*versions: tuple[str, int, int | None]) -> list[tuple]:
    return sorted((1, name, None, start, end) for name, start, end in versions)


CASES = {
    "guide_at_once": _case(
        "type 1, six changes in one update, one of them late and doubled", "guide", "",
        ([_upsert(1, "Ada"), _upsert(1, "Bo", key=2), _upsert(2, "Adele"), _delete(2, key=2), _upsert(1, "Cy", key=3),
          _upsert(1, "Ada")],), [(1, "Adele", None), (3, "Cy", None)],
    ),
    "guide_in_three": _case(
        "type 1, three updates: two inserts; an update in disorder, a delete and an insert; an old change again",
        "guide", "",
        ([_upsert(1, "Ada"), _upsert(1, "Bo", key=2)],
         [_upsert(2, "Adele"), _upsert(1, "Ada"), _delete(2, key=2), _upsert(1, "Cy", key=3)],
         [_upsert(1, "Ada")]), [(1, "Adele", None), (3, "Cy", None)],
    ),
    "again": _case(
        "type 1, an insert, its delete and another insert in one update", "flows", "",
        ([_upsert(1, "Ada"), _delete(2), _upsert(3, "Adele")],), [(1, "Adele", None)],
    ),
    "opens": _case("type 2, an insert", "batches", _TYPE_2, ([_upsert(10, "a")],), _history(("a", 10, None))),
    "closes": _case(
        "type 2, two values in one update", "batches", _TYPE_2, ([_upsert(10, "a"), _upsert(20, "b")],),
        _history(("a", 10, 20), ("b", 20, None)),
    ),
    "ends": _case(
        "type 2, an insert and its delete in one update", "batches", _TYPE_2, ([_upsert(10, "a"), _delete(20)],),
        _history(("a", 10, 20)),
    ),
    "gap": _case(
        "type 2, insert, change, delete and insert in one update", "batches", _TYPE_2,
        ([_upsert(10, "a"), _upsert(20, "b"), _delete(30), _upsert(40, "c")],),
        _history(("a", 10, 20), ("b", 20, 30), ("c", 40, None)),
    ),
    "repeated": _case(
        "type 2, one value in two updates, then another one", "batches", _TYPE_2,
        ([_upsert(10, "a")], [_upsert(20, "a")], [_upsert(30, "b")]), _history(("a", 10, 30), ("b", 30, None)),
    ),
    "unknown": _case("type 2, a delete of a key that was never there", "batches", _TYPE_2, ([_delete(5)],), []),
    "earliest": _case(
        "type 2, a late change before all others", "batches", _TYPE_2, ([_upsert(10, "a")], [_upsert(5, "b")]),
        _history(("b", 5, 10), ("a", 10, None)),
    ),
    "splits": _case(
        "type 2, a late change within a version that has ended", "batches", _TYPE_2,
        ([_upsert(10, "a"), _upsert(20, "c")], [_upsert(15, "b")]),
        _history(("a", 10, 15), ("b", 15, 20), ("c", 20, None)),
    ),
    "shortens": _case(
        "type 2, a late delete within a version that has ended", "batches", _TYPE_2,
        ([_upsert(10, "a"), _upsert(30, "b")], [_delete(20)]), _history(("a", 10, 20), ("b", 30, None)),
    ),
    "shortens_last": _case(
        "type 2, a late delete before another delete", "batches", _TYPE_2,
        ([_upsert(10, "a"), _delete(20)], [_delete(15)]), _history(("a", 10, 15)),
    ),
    "splits_two": _case(
        "type 2, two late changes in one update, each within a version of its own", "batches", _TYPE_2,
        ([_upsert(1, "a"), _upsert(5, "b"), _upsert(10, "c"), _upsert(20, "d")], [_upsert(7, "x"), _upsert(15, "y")]),
        _history(("a", 1, 5), ("b", 5, 7), ("x", 7, 10), ("c", 10, 15), ("y", 15, 20), ("d", 20, None)),
    ),
    "returns": _case(
        "type 2, an insert after a delete of a key that was never there", "batches", _TYPE_2,
        ([_delete(20)], [_upsert(30, "x")]), _history(("x", 30, None)),
    ),
    "before_a_delete": _case(
        "type 2, a late insert before such a delete", "batches", _TYPE_2, ([_delete(20)], [_upsert(10, "x")]),
        _history(("x", 10, 20)),
    ),
    "splits_repeats": _case(
        "type 2, a late change amid changes of one value", "batches", _TYPE_2,
        ([_upsert(5, "a"), _upsert(10, "a"), _upsert(15, "a")], [_upsert(20, "c")], [_upsert(12, "b")]),
        _history(("a", 5, 12), ("b", 12, 15), ("a", 15, 20), ("c", 20, None)),
    ),
    "after_the_end": _case(
        "type 2, one value twice, its delete, and a later insert", "batches", _TYPE_2,
        ([_upsert(10, "a"), _upsert(11, "a")], [_delete(12)], [_upsert(20, "b")]),
        _history(("a", 10, 12), ("b", 20, None)),
    ),
    "doubled": _case(
        "type 2, a change twice in an update, and again in the next", "batches", _TYPE_2,
        ([_upsert(10, "a")] * 2, [_upsert(10, "a")]), _history(("a", 10, None)),
    ),
    "tie_with_a_delete": _case(
        "type 2, an upsert and a delete with one sequence value", "batches", _TYPE_2,
        ([_upsert(10, "a"), _delete(10)],), [],
    ),
    "no_verdict": _case(
        "type 2, the condition for deletes is NULL", "rows", _TYPE_2, ([(1, 10, None, "a", None)],),
        _history(("a", 10, None)),
    ),
    "untracked_now": _case(
        "type 2, only a column that is not tracked changes, in two updates", "batches", _NAME_TRACKED,
        ([_upsert(10, "a", "100"), _upsert(20, "a", "200")], [_upsert(30, "a", "300")]), [(1, "a", "300", 10, None)],
    ),
    "untracked_ended": _case(
        "type 2, the same, and then a tracked one", "batches", _NAME_TRACKED,
        ([_upsert(39, "a", "39")], [_upsert(41, "a", "41")], [_upsert(42, "b", "42")], [_upsert(43, "c", "43")]),
        [(1, "a", "41", 39, 42), (1, "b", "42", 42, 43), (1, "c", "43", 43, None)],
    ),
}  # fmt: skip


def measure(spark: SparkSession, folder: Path) -> list[Measured]:
    """Run all cases."""
    rows = rows_of(spark, folder / "spark_4_3.py", CASES)
    return [Measured(case.behavior, rows[name]) for name, case in CASES.items()]
