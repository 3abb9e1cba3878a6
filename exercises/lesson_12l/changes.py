"""Apply a loyalty program's changes in plain Python: lab 12L is compared with the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Mistake
from streaming_classroom.exercises.sandbox import CellFailedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streaming_classroom.exercises.sandbox import Sandbox

FIELDS = ("name", "email", "city")
ERASE, LEAVES = "-", "DELETE"
SENT_SCHEMA = (
    "card STRING, sequence LONG, operation STRING, name STRING, email STRING, city STRING, changed_at TIMESTAMP"
)
MEMBER_SCHEMA = "card STRING, name STRING, email STRING, city STRING"


class Change(NamedTuple):
    """A change of a card, with its time in seconds; a field that is None has not changed."""

    card: str
    sequence: int
    seconds: int
    operation: str
    name: str | None = None
    email: str | None = None
    city: str | None = None


Value = tuple[int, int, str]  # sequence and seconds of the change that it comes from, and what it is
Values = dict[str, dict[str, Value]]  # by card and field
Order = Callable[[Change], Any]


def values_of(
    changes: Iterable[Change],
    order: Order = lambda change: (change.sequence, change.seconds),
    *,
    nulls: bool = False,
    ends: bool = True,
    erases: bool = True,
) -> Values:
    """Return the newest value of each field of each card, by applying the changes one after the other.

    Parameters
    ----------
    changes : iterable of Change
        In any order, each as often as it comes.
    order : callable
        What they are sorted by.
    nulls, ends, erases : bool
        Whether a missing value replaces one, a delete ends all fields, an erasure is a value: turned round, a mistake.
    """
    found: Values = {}
    for change in sorted(changes, key=order):
        values = found.setdefault(change.card, {})
        at = change.sequence, change.seconds
        values["operation"] = (*at, change.operation)
        for field in FIELDS:
            value = ERASE if ends and change.operation == LEAVES else getattr(change, field)
            if (nulls or value is not None) and (erases or value != ERASE):
                values[field] = (*at, value)
    return found


def members_of(values: Values) -> dict[str, tuple[str | None, ...]]:
    """Return name, e-mail address and city of each card of a member."""
    return {
        card: tuple(None if (value := of.get(field, (0, 0, None))[2]) == ERASE else value for field in FIELDS)
        for card, of in values.items()
        if of["operation"][2] != LEAVES
    }


def one_spelling(card: str) -> str:
    """Return a card as it is printed, without leading zeros."""
    letter, number = card.strip().upper().split("-")
    return f"{letter}-{int(number)}"


def landed_changes(attempt: Attempt) -> list[Change]:
    """Return the landed changes, in one spelling, with duplicates."""
    sent = attempt.spark.read.schema(SENT_SCHEMA).json(attempt.paths.landing)
    rows = sent.selectExpr("card", "sequence", "unix_seconds(changed_at)", "operation", *FIELDS).collect()
    return [Change(*row)._replace(card=one_spelling(row[0])) for row in rows]


def change_frame(spark: SparkSession, changes: Iterable[Change]) -> DataFrame:
    """Return changes as a frame with the columns of `change_log`."""
    schema = "card STRING, sequence LONG, seconds LONG, operation STRING, name STRING, email STRING, city STRING"
    rows = spark.createDataFrame([tuple(change) for change in changes], schema).coalesce(1)
    at = "struct(sequence, timestamp_seconds(seconds) AS changed_at) AS at"
    return rows.selectExpr("card", at, "operation", *FIELDS)


def members_frame(spark: SparkSession, members: dict[str, tuple[str | None, ...]]) -> DataFrame:
    """Return members as a frame with the columns of `members_now`."""
    return spark.createDataFrame([(card, *values) for card, values in members.items()], MEMBER_SCHEMA)


def table_of_exercise(attempt: Attempt, name: str, exercise: str) -> DataFrame:
    """Return a table or view of an earlier exercise; raise a mistake if it does not exist."""
    if not attempt.spark.catalog.tableExists(name):
        raise Mistake(f"`{name}` does not exist yet: do exercise {exercise} first.")
    return attempt.spark.table(name)


def land_changes(sandbox: Sandbox, name: str, changes: Iterable[Change]) -> None:
    """Write a file of changes: some fields that have not changed are null, others are missing."""
    rows = []
    for number, change in enumerate(changes):
        fields = {field: getattr(change, field) for field in FIELDS}
        given = {field: value for field, value in fields.items() if value is not None or number % 2}
        at = datetime.fromtimestamp(planted.MIDNIGHT + change.seconds, UTC)
        row = {"card": change.card, "sequence": change.sequence, "operation": change.operation}
        rows.append(row | given | {"changed_at": f"{at:%Y-%m-%dT%H:%M:%SZ}"})
    sandbox.file(f"app-{name}.json", rows)


def change_stream(sandbox: Sandbox, files: int) -> DataFrame:
    """Return the stream `changes` over the landed files."""
    source = (
        sandbox.spark.readStream.schema(SENT_SCHEMA).option("maxFilesPerTrigger", files).json(sandbox.paths.landing)
    )
    return source.selectExpr("card", "struct(sequence, changed_at) AS at", "operation", *FIELDS)


#: Batches of changes in the order of their arrival. Which of them a mistake gets wrong is said beside each.
BATCHES: tuple[tuple[Change, ...], ...] = (
    (
        Change("K-10", 1, 10, "INSERT", "n1", "e1", "c1"),
        Change("K-10", 3, 30, "UPDATE", None, ERASE, None),  # arrives before the change that it follows
        Change("K-10", 1, 10, "INSERT", "n1", "e1", "c1"),  # again
        Change("M-10", 2, 25, "UPDATE", None, None, "a2"),  # the later of two with one sequence, and the lesser value
        Change("K-20", 4, 40, LEAVES),  # before its insert
        Change("K-30", 1, 10, "INSERT", "p1", "q1", "r1"),
        Change("K-50", 9, 90, "INSERT", "s9", "t9", "u9"),
    ),
    (
        Change("K-10", 2, 20, "UPDATE", "n2", "e2", None),  # its name is new, its address has been erased since
        Change("M-10", 2, 20, "UPDATE", None, None, "z2"),
        Change("M-10", 1, 10, "INSERT", "m1", "f1", "d1"),
        Change("K-30", 5, 50, LEAVES),
        Change("K-30", 6, 60, "INSERT", "p6", None, "r6"),  # returns without an address
        Change("K-40", 2, 15, "UPDATE", None, "y2", None),  # the clock is behind
        Change("K-50", 10, 100, "UPDATE", None, None, "u10"),
    ),
    (
        Change("K-20", 1, 10, "INSERT", "x1", "x1", "x1"),
        Change("K-20", 3, 30, "UPDATE", None, "x3", None),  # older than the delete
        Change("K-30", 4, 45, "UPDATE", None, "q4", None),  # older than the delete of somebody who has returned
        Change("K-40", 1, 20, "INSERT", "w1", "y1", "v1"),
        Change("M-60", 3, 30, "UPDATE", None, None, "b3"),  # its insert is still on the way
        Change("M-70", 7, 70, "UPDATE", None, None, "h7"),
        Change("M-70", 7, 71, LEAVES),  # the same sequence, later
        Change("K-80", 7, 71, "UPDATE", None, None, "i7"),
        Change("K-80", 7, 70, LEAVES),  # the same sequence, earlier
    ),
)
LATER: tuple[Change, ...] = (
    Change("K-10", 4, 40, "UPDATE", None, None, "c4"),
    Change("M-60", 1, 10, "INSERT", "a1", "g1", "b1"),
    Change("M-60", 2, 20, "UPDATE", None, ERASE, None),
    Change("K-30", 5, 50, LEAVES),  # again, when the person has returned
    Change("K-50", 11, 110, LEAVES),
    Change("M-70", 6, 60, "UPDATE", "j6", None, None),
    Change("K-90", 1, 10, "INSERT", "k1", None, None),
)


def every_change() -> list[Change]:
    """Return all planted changes, with the repeated ones."""
    return [change for batch in (*BATCHES, LATER) for change in batch]


def changes_in_epoch_seconds(changes: Iterable[Change]) -> list[Change]:
    """Return changes with their seconds since the epoch, not since the planted midnight."""
    return [change._replace(seconds=int(planted.MIDNIGHT) + change.seconds) for change in changes]


@contextmanager
def raise_as_cell_error() -> Iterator[None]:
    """Raise the error of a function that the cell has defined as an error of the cell."""
    try:
        yield
    except Mistake:
        raise
    except Exception as error:
        raise CellFailedError(f"{type(error).__name__}: {str(error).splitlines()[0]}") from error


NEWEST_ABOVE = "from pyspark.sql import functions as F\n\n" + planted.definitions_of_solution("12L.2")
