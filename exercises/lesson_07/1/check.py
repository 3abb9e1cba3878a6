"""Check exercise 07.1, "Which batches are done?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare the numbers with the names of the files."""
    done, names = attempt.value("done"), attempt.value("names")
    if not isinstance(done, list):
        raise Mistake(f"`done` is a {type(done).__name__}. It must be a list of numbers.")
    if any(not isinstance(number, int) for number in done):
        raise Mistake("The elements of `done` must be numbers: convert each name with `int`.")
    right = sorted(int(name) for name in names if name.isdigit())
    if done != right:
        raise Mistake(f"`done` is {done}, and the commit log has {len(right)} batches: one per name that is a number.")


def _a_longer_log(sandbox: Sandbox) -> None:
    """Keep the names of eleven batches, in the order of a directory, with their checksums and a temporary file."""
    names = [name for number in range(2, 13) for name in (str(number), f".{number}.crc")]
    sandbox.keep(names=sorted([*names, ".13.8f3c.tmp"]))


def _numbers(sandbox: Sandbox) -> DataFrame:
    return sandbox.frame(
        [(place, number) for place, number in enumerate(sandbox.value("done"))], "place INT, batch INT"
    )


MAKES = Makes(variables=("done",))

HIDDEN = (HiddenTest(_a_longer_log, (_numbers,), says="Your cell was run on names that you have not seen."),)
