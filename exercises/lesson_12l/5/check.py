"""Check exercise 12L.5, "Forget me"."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_12l.changes import (
    ERASE,
    FIELDS,
    LEAVES,
    NEWEST_ABOVE,
    Change,
    Value,
    change_frame,
    changes_in_epoch_seconds,
    landed_changes,
    raise_as_cell_error,
    table_of_exercise,
    values_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_AT = "STRUCT<sequence: LONG, changed_at: TIMESTAMP>"
_VALUE = f"STRUCT<at: {_AT}, value: STRING>"
_MEMBERS = f"card STRING, operation {_VALUE}, name {_VALUE}, email {_VALUE}, city {_VALUE}"
_APPLY_ABOVE = f"{NEWEST_ABOVE}\n\n" + planted.definitions_of_solution("12L.3", "apply_changes")
FORGOTTEN = "K-407"


def check(attempt: Attempt) -> None:
    """Check that the card is in neither table; the hidden test has the changes that arrive later."""
    if not callable(attempt.value("forget")):
        raise Mistake("`forget` is not a function: begin with `def forget(card):`.")
    log, members = table_of_exercise(attempt, "change_log", "12L.1"), table_of_exercise(attempt, "members", "12L.3")
    if rows := log.where(f"card = '{FORGOTTEN}'").count():
        raise Mistake(
            f"`change_log` still has {rows} changes of `{FORGOTTEN}`: delete them. Did you call the function?"
        )
    row = members.where(f"card = '{FORGOTTEN}'").first()
    if row is None:
        raise Mistake(
            f"`members` has no row of `{FORGOTTEN}` any more, so its next late change would be inserted like one of "
            "somebody unknown. Leave a tombstone."
        )
    if known := [
        row[field].value for field in FIELDS if row[field] is not None and row[field].value not in (None, "-")
    ]:
        raise Mistake(f"`members` still has {known[0]!r} in the row of `{FORGOTTEN}`. Erase the three values as well.")
    if row.operation is None or row.operation.value != LEAVES:
        raise Mistake(f"The operation of `{FORGOTTEN}` in `members` is not `DELETE`, so the card is in `members_now`.")
    if members.count() != len({change.card for change in landed_changes(attempt)}) or not log.count():
        raise Mistake("Other cards are gone as well, or there more than once.")


#: The members when the request comes; one of them has changes that arrive afterwards, and another one all of them.
REMEMBERED: tuple[Change, ...] = (
    Change("K-407", 1, 10, "INSERT", "n1", "e1", "c1"),
    Change("K-407", 3, 30, "UPDATE", None, "e3", None),
    Change("K-40", 1, 10, "INSERT", "o1", "p1", "d1"),
    Change("M-407", 1, 10, "INSERT", "m1", "f1", "d1"),
    Change("M-407", 2, 20, "UPDATE", None, ERASE, None),
)
_MEMBERS_NOW = """
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """
TOO_LATE: tuple[Change, ...] = (
    Change("K-407", 2, 20, "UPDATE", None, None, "c2"),
    Change("K-407", 4, 40, "UPDATE", "n4", None, None),
    Change("K-407", 900_000_000, 50, "INSERT", "n5", "e5", "c5"),
    Change("M-9", 1, 10, "INSERT", "q1", "r1", "s1"),
    Change("M-407", 3, 30, "UPDATE", None, None, "d3"),
    Change("K-40", 2, 20, "UPDATE", "o2", None, None),
)


def _request(sandbox: Sandbox) -> None:
    """Plant the view and both tables: the card to forget, one with a similar number, one with another letter."""
    changes = changes_in_epoch_seconds(REMEMBERED)
    change_frame(sandbox.spark, changes).write.saveAsTable("change_log")
    sandbox.append("members", [_row(card, of) for card, of in values_of(changes).items()], _MEMBERS)
    sandbox.spark.sql(_MEMBERS_NOW)


def _row(card: str, of: dict[str, Value]) -> tuple:
    """Return a row of `members`."""

    def stored(value: Value | None) -> tuple | None:
        return value and ((value[0], datetime.fromtimestamp(value[1], UTC)), value[2])

    return card, *(stored(of.get(field)) for field in ("operation", *FIELDS))


def _another_request(sandbox: Sandbox) -> None:
    """Call the function for an unknown card, then append late changes."""
    forget, apply = sandbox.value("forget"), sandbox.value("apply_changes")
    with raise_as_cell_error():
        forget("M-9")
    apply(change_frame(sandbox.spark, changes_in_epoch_seconds(TOO_LATE)), 1)


def _what_members_has(sandbox: Sandbox) -> DataFrame:
    """Return the values in `members`, without the changes that they come from."""
    texts = (f"nullif({field}.value, '-') AS {field}" for field in ("operation", *FIELDS))
    return sandbox.rows("members").selectExpr("card", *texts)


_what_members_has.__name__ = "members"


MAKES = Makes(variables=("forget",), changes=("change_log", "members"))

HIDDEN = (
    HiddenTest(
        _request,
        (_what_members_has, "members_now", "change_log"),
        after=_another_request,
        above=_APPLY_ABOVE,
        says="Your function was called for two cards, one of them unknown; then late changes of them arrived.",
    ),
)
