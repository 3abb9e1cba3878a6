from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import DataFrame, SparkSession

from streaming_classroom.exercises import Mistake, NotTried, Rubric, catalogue, verdict
from streaming_classroom.exercises.progress import progress_shown
from streaming_classroom.exercises.verdict import ExerciseNotSolved, Verdict, difference

EXERCISE = replace(
    catalogue.find("01.2"), id="01.1", title="A <b>title</b>", hints=("Do `this`.", "Then `<that>`.", "All.")
)


def test_what_must_be_right_and_is_not_is_an_error() -> None:
    right = Verdict(EXERCISE, "right", "right.")
    assert right.or_fail() is right
    for kind in ("wrong", "not tried"):
        with pytest.raises(ExerciseNotSolved, match=r"01\.1"):
            Verdict(EXERCISE, kind, "No.").or_fail()


def test_what_is_done_is_told_by_lesson_and_what_comes_next(tmp_path) -> None:
    from streaming_classroom.exercises.progress import ExerciseRecord

    record = ExerciseRecord(tmp_path / "home" / "exercises.json")
    first, second = catalogue.exercises_of("00")[:2]
    assert str(progress_shown(record)).endswith(f"Next: {first.id} {first.title}")
    record.hint(first.id, 1)
    record.tried(first.id, is_right=True)
    lines = str(progress_shown(record)).splitlines()
    assert lines[0].startswith("00   ●○") and f"1 of {len(catalogue.exercises_of('00'))} right, 1 hint" in lines[0]
    assert lines[-1] == f"Next: {second.id} {second.title}"
    assert f"; a quiz of {len(catalogue.quiz_of('00'))}" in lines[0]


def test_one_mistake_does_not_hide_what_is_met_and_what_is_not_tried() -> None:
    rubric = Rubric()
    with rubric.criterion("Bronze"):
        pass
    with rubric.criterion("Silver"):
        raise Mistake("Two rows are missing.")
    with rubric.criterion("Gold"):
        raise NotTried
    with pytest.raises(Mistake) as found:
        rubric.close()
    assert found.value.sentence == (
        "1 of 3 criteria are met.\n✓ Bronze\n✗ Silver: Two rows are missing.\n✗ Gold: not there yet."
    )


@pytest.fixture
def rows(spark: SparkSession):
    def make(*rows: tuple, columns: str = "id INT, v DOUBLE") -> DataFrame:
        return spark.createDataFrame(list(rows), columns)

    return make


def test_the_same_rows_in_another_order_with_columns_in_another_order_are_the_same(rows) -> None:
    made = rows((1.5, 1), (2.5, 2), columns="V DOUBLE, Id INT")
    assert difference(made, rows((2, 2.5), (1, 1.5)), "t") is None


def test_the_last_digits_of_a_sum_are_no_difference(rows) -> None:
    assert difference(rows((1, 0.1 + 0.2)), rows((1, 0.3)), "t") is None
    assert difference(rows((1, 0.3001)), rows((1, 0.3)), "t") is not None


def test_columns_are_named_that_are_missing_or_too_many(rows) -> None:
    sentence, table = difference(rows((1, 2.0), columns="id INT, x DOUBLE"), rows((1, 2.0)), "t")
    assert sentence == "In `t` the column `v` is missing and the column `x` was not asked for." and table is None
    sentence, _ = difference(rows((1, 2.0, 3, 4), columns="id INT, v DOUBLE, x INT, y INT"), rows((1, 2.0)), "t")
    assert sentence == "In `t` the columns `x`, `y` were not asked for."


def test_an_empty_table_is_said_to_be_empty(rows) -> None:
    assert difference(rows(), rows((1, 1.0)), "t")[0] == "`t` is empty; 1 row would be right."


def test_rows_that_are_there_more_than_once_are_said_to_be(rows) -> None:
    sentence, table = difference(rows((1, 1.0), (1, 1.0), (2, None)), rows((1, 1.0), (2, None)), "t")
    assert sentence == "`t` has rows more than once: 3 rows instead of 2."
    assert table.rows == (("too many", "1", "1.0"),)


def test_a_few_of_the_rows_that_differ_are_shown_those_with_null_as_well(rows) -> None:
    made, right = rows((1, 1.0), (2, None)), rows((1, 1.0), *((3, float(v)) for v in range(9)))
    sentence, table = difference(made, right, "t")
    assert sentence == "In `t` 9 rows are missing and 1 row should not be there; it has 2 rows, and 10 would be right."
    assert [row[0] for row in table.rows] == ["missing"] * 3 + ["too many"] and table.rows[-1][-1] is None
    assert table.cut


def test_a_table_that_is_far_too_large_is_not_fetched(rows, spark: SparkSession, monkeypatch) -> None:
    monkeypatch.setattr(verdict, "ROW_LIMIT", 10)
    assert difference(spark.range(100).toDF("id"), spark.range(3).toDF("id"), "t")[0].startswith("`t` has more than 10")
