"""Rows that hidden tests plant: heart rates at the limits, NULL, duplicates, keys and devices that come later.

Times are of another year than the course's data, and file names other ones, so that nothing that was typed in fits.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from streaming_base.errors import short_message
from streaming_base.progress_reports import rows_per_batch
from streaming_classroom.exercises import Mistake, catalogue
from streaming_classroom.files import directories

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery

    from streaming_classroom.exercises.sandbox import Sandbox

READINGS = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"
#: A payment as the bank's files have it.
PAYMENT = (
    "transaction_id STRING, card_id INT, amount DOUBLE, merchant STRING, category STRING, country STRING, "
    "event_time TIMESTAMP, received_at TIMESTAMP"
)
MIDNIGHT = 1_709_596_800.0  # seconds: 2024-03-05, UTC
HOUR = 3600.0
_RUN_OUT = 60  # seconds

#: Device, patient, heart rate, time.
FIRST: tuple[tuple, ...] = (
    (1, 901, 0.0, MIDNIGHT + 60),
    (1, 901, -0.5, MIDNIGHT + 120),
    (1, 901, 71.25, MIDNIGHT + 7 * HOUR),
    (2, 902, 0.5, MIDNIGHT + 180),
    (2, 902, None, MIDNIGHT + 240),
    (2, 902, -1.0, MIDNIGHT + 300),
    (3, 903, 112.0, MIDNIGHT + 360),
    (3, 903, 112.5, MIDNIGHT + 420),
    (3, 903, 111.5, MIDNIGHT + 480),
    (3, 903, 111.5, MIDNIGHT + 480),  # a duplicate
    (3, 902, -112.5, MIDNIGHT + 540),  # a patient who has changed devices
)
SECOND: tuple[tuple, ...] = (
    (4, 904, 0.0, MIDNIGHT + 8 * HOUR),  # a device that is new
    (4, 904, -3.0, MIDNIGHT + 8 * HOUR + 60),
    (1, 901, 113.0, MIDNIGHT + 30),  # older than what the first file has of it
    (3, 903, 113.0, MIDNIGHT + 9 * HOUR),
    (2, 902, -1.0, MIDNIGHT + 300),  # a reading that was sent again
)
THIRD: tuple[tuple, ...] = (
    (5, 905, 64.5, MIDNIGHT + 10 * HOUR),
    (5, 905, -0.25, MIDNIGHT + 10 * HOUR + 60),
    (3, 903, 0.25, MIDNIGHT + 10 * HOUR),
)
WHAT_IS_THERE = (
    "Your cell was run on readings that you have not seen: heart rates of 0 and of NULL, duplicates, a new device. "
)


def reading_file(
    sandbox: Sandbox, name: str, rows: Sequence[tuple], number: int = 0, folder: str | None = None
) -> None:
    """Write readings as a file that was modified after those with smaller numbers."""
    names = [field.split()[0] for field in READINGS.split(",")]
    path = sandbox.file(name, [dict(zip(names, row, strict=True)) for row in rows], folder)
    os.utime(path, (MIDNIGHT + number, MIDNIGHT + number))


def readings_at(sandbox: Sandbox, *readings: tuple[int, float]) -> None:
    """Append to the table `bronze` a reading of each device at each hour of the planted day."""
    rows = [(device, 900 + device, 70.0, MIDNIGHT + hour * HOUR) for device, hour in readings]
    sandbox.append("bronze", rows, READINGS)


def definitions_of(lesson: str, *names: str) -> str:
    """Return the source of functions, classes and constants that a lesson's cells define.

    What else those cells do, such as starting a stream, is left out.
    """
    [path] = directories.notebooks().glob(f"{lesson}-*.ipynb")
    sources = ("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
    found = {name: text for source in sources for name, text in _definitions(source) if name in names}
    return "\n\n".join(found[name] for name in names)


def definitions_of_solution(exercise: str, *names: str) -> str:
    """Return the source of the definitions in a solution, or of these names alone."""
    found = dict(_definitions(catalogue.cell(exercise, "solution")))
    return "\n\n".join(found[name] for name in names or found)


def _definitions(source: str) -> Iterator[tuple[str, str]]:
    try:
        nodes = ast.parse(source).body
    except SyntaxError:  # text, SQL, or a magic
        return
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, ast.unparse(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, ast.unparse(node)


def outcome(test: Callable[[Any], object], tested: object) -> str:
    """Return `passes`, `fails` if a learner's test raises an AssertionError, or the words of another error."""
    try:
        test(tested)
    except AssertionError:
        return "fails"
    except Exception as error:  # whatever a learner's code raises
        return f"{type(error).__name__}: {short_message(error)}".splitlines()[0]
    return "passes"


def asserts(source: str | None) -> bool:
    """Return whether a cell asserts or raises anything; True if its source is unknown."""
    if source is None:
        return True
    return any(isinstance(node, ast.Assert | ast.Raise) for node in ast.walk(ast.parse(source)))


def calls(source: str | None, *methods: str) -> bool:
    """Return whether a cell calls a method of one of these names."""
    called = (node.func for node in ast.walk(ast.parse(source or "")) if isinstance(node, ast.Call))
    return any(isinstance(function, ast.Attribute) and function.attr in methods for function in called)


def files_stream(sandbox: Sandbox, folder: str | None = None, **options: object) -> DataFrame:
    """Return a stream over the files of readings."""
    return sandbox.spark.readStream.schema(READINGS).options(**options).json(folder or sandbox.paths.landing)


def run_out(query: StreamingQuery) -> None:
    """Wait for the end of a stream that a hidden test runs itself.

    Raises
    ------
    Mistake
        It does not end in time, which is not the learner's doing.
    """
    if not query.awaitTermination(_RUN_OUT):
        raise Mistake("A stream of the check's own has not ended in a minute: this machine is busy. Check again.")


def nothing(_sandbox: Sandbox) -> None:
    """Plant nothing: the test itself calls the function that the cell defines."""


def bronze(sandbox: Sandbox) -> None:
    """Create the table `bronze` of `FIRST`: rates of 0, NULL and below 0, a duplicate, a patient with two devices."""
    sandbox.append("bronze", FIRST, READINGS)


def more_bronze(sandbox: Sandbox) -> None:
    """Append `SECOND` to `bronze`: a new device, a late reading, and a repeated one."""
    sandbox.append("bronze", SECOND, READINGS)


def two_files(sandbox: Sandbox) -> None:
    """Land `FIRST` and `SECOND` in two files, and keep the stream `readings` of them, one file per batch."""
    reading_file(sandbox, "ward-a.json", FIRST, 1)
    reading_file(sandbox, "ward-b.json", SECOND, 2)
    sandbox.keep(readings=files_stream(sandbox, maxFilesPerTrigger=1), schema=READINGS)


def third_file(sandbox: Sandbox) -> None:
    """Land `THIRD` in one more file: a new device, rates just above and below 0, and a known device."""
    reading_file(sandbox, "ward-c.json", THIRD, 3)


def five_files(sandbox: Sandbox) -> None:
    """Land five files of three to seven readings, so that each limit of files has other batches."""
    for number in range(1, 6):
        reading_file(sandbox, f"ward-{number}.json", FIRST[: number + 2], number)
    sandbox.keep(schema=READINGS)


def three_more_files(sandbox: Sandbox) -> None:
    """Land three more files: a limit of one, two or three cuts them differently."""
    for number in (6, 7, 8):
        reading_file(sandbox, f"ward-{number}.json", SECOND[: number - 3], number)


def crash_before_commit(sandbox: Sandbox) -> None:
    """Remove the last commit of every checkpoint, as a crash does: the next run repeats the batch."""
    sandbox.forget_last_commit()


def lose_checkpoints(sandbox: Sandbox) -> None:
    """Remove every checkpoint, as if it had been deleted: the next run reads everything again."""
    sandbox.lose_checkpoints()


def batch_sizes(variable: str):
    """Return a function that returns the rows of each batch of the last run of a variable's query."""

    def sizes(sandbox: Sandbox) -> DataFrame:

        read = rows_per_batch(sandbox.query(variable))
        return sandbox.frame([(number, rows) for number, rows in enumerate(read)] or [(-1, 0)], "batch INT, rows INT")

    sizes.__name__ = f"batches of {variable}"  # as a verdict calls them
    return sizes
