"""A hidden test tells a wrong cell from a right one on data that the learner has not seen (grader.py)."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable

import pytest

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Mistake, catalogue
from streaming_classroom.exercises.grader import run_hidden_tests
from streaming_classroom.exercises.sandbox import Sandbox
from streaming_classroom.exercises.verdict import Rows

RIGHT = """
query = (spark.readStream.table("bronze").where("id > 1")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/copy")
    .trigger(availableNow=True)
    .toTable("copy"))
"""


def at_the_limit(box: Sandbox) -> None:
    box.append("bronze", [(0,), (1,), (2,)], "id LONG")


def more(box: Sandbox) -> None:
    box.append("bronze", [(1,), (3,)], "id LONG")


TEST = HiddenTest(at_the_limit, ("copy",), later=(more,), says="It was run on other rows.")
EXERCISE = Exercise("42.1", "t", "", (), RIGHT, "", lambda _attempt: None, (), hidden=(TEST,))


@pytest.fixture
def judge(spark, paths) -> Callable[..., str]:
    def judge(source: str | None, exercise: Exercise = EXERCISE, **notebook) -> str:
        return run_hidden_tests(exercise, Attempt(spark, paths, notebook, source=source))

    return judge


@pytest.mark.slow
def test_the_right_rows_in_other_words_pass_and_nothing_is_said(judge) -> None:
    assert judge(RIGHT) == ""
    assert judge(RIGHT.replace('.where("id > 1")', '.selectExpr("id").filter("NOT (id <= 1)")')) == ""


def test_a_limit_that_shown_data_cannot_tell_is_a_mistake_with_the_rows_that_differ(judge) -> None:
    with pytest.raises(Mistake, match=r"It was run on other rows\. In `copy` 2 rows should not be there") as caught:
        judge(RIGHT.replace(">", ">="))
    assert caught.value.difference is not None


@pytest.mark.slow
def test_a_query_that_does_not_resume_is_a_mistake(judge) -> None:
    again = "import uuid\n" + RIGHT.replace("/copy", "/{uuid.uuid4()}")
    with pytest.raises(Mistake, match="`copy` has rows more than once"):
        judge(again)


@pytest.mark.slow
def test_a_cell_that_fails_there_says_why(judge) -> None:
    with pytest.raises(Mistake, match=r"There your cell fails: AnalysisException: .*no_such_column"):
        judge(RIGHT.replace("id > 1", "no_such_column > 1"))


@pytest.mark.slow
def test_a_view_that_fails_only_where_it_is_read_is_the_cells_mistake(judge) -> None:
    def texts(box: Sandbox) -> None:
        box.append("texts", [("1",), ("one",)], "text STRING")

    view = "%sql\nCREATE TEMP VIEW copy AS SELECT {} AS number FROM texts"
    right = view.format("try_cast(text AS INT)")
    test = HiddenTest(texts, ("copy",), says="It was run on other rows.")
    exercise = dataclasses.replace(EXERCISE, id="42.8", solution=right, hidden=(test,))
    assert judge(right, exercise) == ""
    with pytest.raises(Mistake, match=r"There `copy` fails when it is read: .*CAST_INVALID_INPUT"):
        judge(view.format("CAST(text AS INT)"), exercise)


@pytest.mark.slow
def test_where_the_solution_makes_other_rows_than_are_kept_the_file_is_blamed(judge, monkeypatch) -> None:
    old = [("copy", Rows(("id",), Counter([(2,)])))]
    monkeypatch.setattr(catalogue, "expected_rows", lambda _exercise, _number: old)
    with pytest.raises(Mistake, match=r"your cell is not to blame: `exercises/expected\.json` may be older") as caught:
        judge(RIGHT)
    assert "`tools/expected_rows.py 42` writes it again. It was run on other rows." in caught.value.sentence
    with pytest.raises(Mistake, match=r"^It was run on other rows\."):
        judge(RIGHT.replace("id > 1", "1 < id"))


@pytest.mark.slow
def test_a_cell_that_cannot_be_run_elsewhere_is_told_and_not_rejected(judge, spark) -> None:
    assert "uses `mine`, which another cell makes" in judge("query = mine", mine=spark.range(1))
    assert "has not seen your cell" in judge(None)


def test_a_sandbox_that_fails_is_no_mistake_of_the_cell(judge, caplog) -> None:
    def broken(_box: Sandbox) -> None:
        raise OSError("the disk is full")

    exercise = dataclasses.replace(EXERCISE, id="42.9", hidden=(HiddenTest(broken, ("copy",)),))
    assert "the sandbox failed with OSError" in judge(RIGHT, exercise)
    assert "the disk is full" in caplog.text
