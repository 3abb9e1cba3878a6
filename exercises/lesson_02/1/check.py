"""Check exercise 02.1, "A batch that fits"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_02.recordings import SCHEMA, landed_recordings, recording_row

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox

FITS = 7_000  # recordings


def check(attempt: Attempt) -> None:
    """Check that no batch is too large, then that there are as few batches as possible."""
    stream = attempt.stream("fitting")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
    )
    attempt.must_have_checkpoint(stream, "fitting")
    read = stream.rows_read
    if max(read, default=0) > FITS:
        raise Mistake(_too_large(stream, max(read)))
    files = _files_with(sum(read), attempt.rows_of_files(landed_recordings(attempt)))
    largest = FITS // max(files, default=FITS)
    if len(read) > -(-len(files) // largest):
        raise Mistake(
            f"Each batch fits, but there are {len(read)} batches of {_list(read)} recordings. Fewer are possible: how "
            f"many files together have at most {FITS:,}?"
        )
    if sum(read) != sum(files):
        raise Mistake("The stream has not read all recordings in the landing directory.")


def _too_large(stream: MadeStream, rows: int) -> str:
    too_large = f"A batch has read {rows:,} recordings, and {FITS:,} fit."
    if stream.trigger == "once":
        return f"{too_large} `once` ignores every limit; `availableNow` respects it."
    return (
        f"{too_large} `maxFilesPerTrigger` sets how many files a batch reads. It is an option of the reader: set it "
        "before `.json(...)`. The writer accepts the option but ignores it."
    )


def _files_with(rows: int, files: list[int]) -> list[int]:
    """Return the first files with this number of rows: more may have landed since the stream ended."""
    return next((files[:number] for number in range(len(files)) if sum(files[:number]) == rows), files)


def _list(numbers: list[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _five_files(sandbox: Sandbox) -> None:
    """Land five files of 3,000 recordings: two of them fit into a batch, three do not."""
    sandbox.keep(schema=SCHEMA)
    for number in range(5):
        sandbox.file(f"part-{number}.json", [recording_row(row) for row in range(3000)])


def _three_more_files(sandbox: Sandbox) -> None:
    """Land three more files, which the next run must read in two batches, without the first five."""
    for number in (5, 6, 7):
        sandbox.file(f"part-{number}.json", [recording_row(row) for row in range(3000)])


MAKES = Makes(variables=("fitting",), folders=("checkpoints/fitting",))

HIDDEN = (
    HiddenTest(
        _five_files,
        (planted.batch_sizes("fitting"),),
        later=(_three_more_files,),
        says="Your cell was run on five other files of 3,000 recordings, and on three more after a restart.",
    ),
)
