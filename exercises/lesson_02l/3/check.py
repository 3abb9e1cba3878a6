"""Check exercise 02L.3, "Put it on the board"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_02l.recordings import clean, landed_recordings, plant_activities, shaped

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare the rows that the board displays after all available data."""
    frame = attempt.value("per_activity")
    if not hasattr(frame, "isStreaming"):
        raise Mistake(f"`per_activity` is a {type(frame).__name__}: pass your query to `spark.sql`.")
    if not frame.isStreaming:
        raise Mistake(
            "`per_activity` is a batch query that is counted only once: select from `activity_vw`, which is a stream."
        )
    attempt.wait_until_idle(_stream_of_board(attempt))
    made = attempt.spark.table("board")
    if "recordings" not in made.columns:
        raise Mistake("The board has no column `recordings`: count with `count(*) AS recordings`.")
    if attempt.is_same(made, _counts(shaped(landed_recordings(attempt)))):
        raise Mistake("The board counts the label `null` as well: select from `activity_vw`, which filters it out.")
    attempt.compare(made, _counts(clean(attempt)), "board")


def _stream_of_board(attempt: Attempt) -> MadeStream:
    for query in attempt.spark.streams.active:
        if query.name == "board":
            return MadeStream(query)
    if attempt.cell_error is not None:
        raise Mistake(f"There is no board, because your cell raised an error: {attempt.words_of_error}")
    raise Mistake("No stream named `board` is running: run your cell again, and leave its last two lines as they are.")


def _counts(frame: DataFrame) -> DataFrame:
    return frame.groupBy("activity").count().withColumnRenamed("count", "recordings")


def _board(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows_of(sandbox.value("per_activity"), "complete")


MAKES = Makes(variables=("per_activity",), streams=("board",), views=("board",))

HIDDEN = (HiddenTest(plant_activities, (_board,), says="Your cell was run on other activities."),)
