"""Check exercise 02.2, "Repair the query without losing data"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_02.recordings import SCHEMA, landed_recordings, recording_row

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

ELSEWHERE = (
    "`repaired` writes to another directory. The first nine batches are in `slopes`, and the query resumes with the "
    "tenth: use the same output directory."
)


def check(attempt: Attempt) -> None:
    """Check that the repaired query is the same query, then compare the rows of its output."""
    dying = attempt.stream("dying")
    dying.has_ended(min(30.0, attempt.left))  # on a busy machine the cell has stopped waiting before it fails
    if dying.error is None:
        raise Mistake(
            "`dying` has not failed, so there is nothing to repair. Leave its code unchanged, run it after all cells "
            "above, and start the repaired query below it, in `repaired`."
        )
    repaired = attempt.stream("repaired")
    repaired.has_ended(min(30.0, attempt.left))
    if "BATCH_METADATA_NOT_FOUND" in str(repaired.error):  # the new directory's log lacks the batches before
        raise Mistake(ELSEWHERE)
    attempt.wait_for_end(repaired, "Use the same trigger as before: `.trigger(availableNow=True)`.")
    if repaired.query.id != dying.query.id:
        raise Mistake(
            "`repaired` is a new query: it has another checkpoint and started at the first file. To resume, a repaired "
            "query needs its original checkpoint: `.../slopes`."
        )
    folder = f"{attempt.paths.working_dir}/slopes"
    if not repaired.sink.rstrip("]").endswith("/slopes"):
        raise Mistake(ELSEWHERE)
    made = attempt.spark.read.schema("Device STRING, Index LONG, slope DOUBLE").parquet(folder)
    right = landed_recordings(attempt).selectExpr("Device", "Index", "try_divide(y, x) AS slope")
    if attempt.is_same(made, right.where("slope IS NOT NULL")):
        raise Mistake(
            "The recording whose `x` is 0 is missing. It must be in the output, with NULL as its slope: divide with "
            "`try_divide`, and do not filter."
        )
    attempt.compare(made, right, "slopes")


def _two_zeros(sandbox: Sandbox) -> None:
    """Land four files; two rows cannot be divided: one in the second file, one in the last."""
    for number in range(4):
        rows = [
            recording_row(10 * number + row, y=float(row + 1), x=0.0 if row == number % 2 == 1 else 4.0)
            for row in range(3)
        ]
        sandbox.file(f"part-{number}.json", [*rows, recording_row(10 * number + 9, y=None)])
    stream = sandbox.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(sandbox.paths.landing)
    sandbox.keep(schema=SCHEMA, one_file_per_batch=stream)


def _slopes(sandbox: Sandbox) -> DataFrame:
    return sandbox.spark.read.schema("Device STRING, Index LONG, slope DOUBLE").parquet(
        f"{sandbox.paths.working_dir}/slopes"
    )


MAKES = Makes(
    variables=("dying", "repaired"),
    folders=("checkpoints/slopes", "checkpoints/slopes_repaired", "slopes", "slopes_repaired"),
    by_starter=True,
)

HIDDEN = (
    HiddenTest(
        _two_zeros,
        (_slopes,),
        may_fail=("dying",),
        says="Your cell was run on other files, in which the division fails for two rows.",
    ),
)
