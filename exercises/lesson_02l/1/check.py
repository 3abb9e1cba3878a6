"""Check exercise 02L.1, "Read it"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_02l.recordings import FIELDS, landed_recordings

from streaming_base.progress_reports import rows_per_batch
from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_NAMES = {"bigint": "LONG", "string": "STRING"}  # as people write them


def check(attempt: Attempt) -> None:
    """Check the type and the columns of `recordings`, then read it with a stream of the check's own."""
    frame = attempt.value("recordings")
    if hasattr(frame, "runId"):
        raise Mistake("`recordings` is a running query. The exercise asks only for the source: end with `.json(...)`.")
    if type(frame).__name__ == "DataStreamReader":
        raise Mistake("`recordings` does not define where to read: end it with `.json(DA.paths.landing)`.")
    if not hasattr(frame, "isStreaming"):
        raise Mistake(
            f"`recordings` is a {type(frame).__name__}. It must be a streaming DataFrame from `spark.readStream`."
        )
    if not frame.isStreaming:
        raise Mistake(
            "`recordings` is a batch DataFrame and reads only the files that exist now: begin with `spark.readStream`."
        )
    _must_have_fields(dict(frame.dtypes))
    _must_be_one_file_per_batch(_batches_of(attempt, frame), attempt)


def _must_have_fields(kinds: dict[str, str]) -> None:
    for field, right in FIELDS.items():
        if field not in kinds:
            raise Mistake(
                f"Your schema has no `{field}`. The names must match the fields in the file exactly. You rename the "
                "columns in a later exercise."
            )
        if kinds[field] != right:
            reason = "milliseconds since 1970 are too big for an `INT`" if kinds[field] == "int" else "see the file"
            raise Mistake(f"`{field}` is {kinds[field].upper()} in your schema; it is a `{_NAMES[right]}`: {reason}.")


def _batches_of(attempt: Attempt, frame: DataFrame) -> list[int]:
    """Return the number of rows that a stream over a frame reads in each batch."""
    query = frame.writeStream.format("noop").trigger(availableNow=True).start()
    try:
        stream = MadeStream(query)
        attempt.wait_for_end(stream, "Its source never ends.")
        return stream.rows_read
    finally:
        query.stop()


def _must_be_one_file_per_batch(read: list[int], attempt: Attempt) -> None:
    files = attempt.rows_of_files(landed_recordings(attempt))
    if sum(read) != sum(files):
        raise Mistake(
            f"Your stream reads {sum(read):,} rows, but {sum(files):,} have landed: read the folder `DA.paths.landing`."
        )
    if len(read) == 1 and len(files) > 1:
        raise Mistake(
            "All files are in one batch: the limit is missing. `maxFilesPerTrigger` is an option of the reader: set "
            "it before `.json(...)`."
        )
    if len(read) < len(files):
        raise Mistake(f"{len(files)} files come in {len(read)} batches. The exercise asks for one file per batch.")


def _recording(number: int, activity: str | None = "walk") -> dict[str, object]:
    row = {"Arrival_Time": 1_709_596_800_123 + 61_000 * number, "Creation_Time": 5, "Device": f"phone_{number % 3}"}
    return row | {"Index": number, "Model": "m", "User": "xyz"[number % 2], "gt": activity}


def _three_files(sandbox: Sandbox) -> None:
    """Land files of two, three and four recordings, with fields that the schema must leave out."""
    for number in range(3):
        sandbox.file(f"part-{number}.json", [_recording(number + row) for row in range(number + 2)])


def _batches_read(sandbox: Sandbox) -> DataFrame:
    """Return the number of rows that a stream over the learner's frame reads in each batch."""

    query = sandbox.value("recordings").writeStream.format("noop").trigger(availableNow=True).start()
    planted.run_out(query)
    return sandbox.frame(list(enumerate(rows_per_batch(query))), "batch INT, rows INT")


MAKES = Makes(variables=("recordings",), views=("recordings_vw",))

HIDDEN = (HiddenTest(_three_files, ("recordings_vw", _batches_read), says="Your cell was run on other files."),)
