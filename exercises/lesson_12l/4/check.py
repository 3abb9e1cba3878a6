"""Check exercise 12L.4, "The free coffee"."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lesson_exercises.lesson_12l.changes import (
    ERASE,
    FIELDS,
    LEAVES,
    NEWEST_ABOVE,
    Change,
    change_frame,
    members_frame,
    members_of,
    table_of_exercise,
    values_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

NOON = int(datetime(2025, 9, 6, 12, tzinfo=UTC).timestamp())


def _logged(log: DataFrame) -> list[Change]:
    seconds = "unix_seconds(at.changed_at)"
    return [Change(*row) for row in log.selectExpr("card", "at.sequence", seconds, "operation", *FIELDS).collect()]


def check(attempt: Attempt) -> None:
    """Compare with the two tables, and name the city of today and the wrong members."""
    made = attempt.view("vouchers_vw")
    log, now = table_of_exercise(attempt, "change_log", "12L.1"), table_of_exercise(attempt, "members_now", "12L.3")
    members = {row.card: row for row in now.collect()}
    changes = _logged(log)
    right = _vouchers(changes, members)
    if attempt.is_same(made, now.where("email IS NOT NULL")):
        raise Mistake(
            "These are the members of today, in the cities of today. The free coffee is for those of the 6th."
        )
    if attempt.is_same(made, members_frame(attempt.spark, {c: tuple(members[c])[1:] for c in right})):
        raise Mistake("The cities are those of today. The café is in the city in which the member lived on the 6th.")
    if {row.card for row in made.select("card").collect()} - members.keys():
        raise Mistake("Somebody who is not a member today gets a voucher. Join with `members_now`.")
    if attempt.is_same(made, members_frame(attempt.spark, _vouchers(changes, members, mailed=False))):
        raise Mistake("Members without an e-mail address are among them, and nobody can send them a voucher.")
    attempt.compare(made, members_frame(attempt.spark, right), "vouchers_vw")


def _vouchers(
    changes: Iterable[Change], now: dict[str, Any], noon: int = NOON, *, mailed: bool = True
) -> dict[str, tuple[str | None, ...]]:
    then = members_of(values_of(change for change in changes if change.seconds <= noon))
    return {
        card: (now[card].name, now[card].email, city)
        for card, (_, _, city) in then.items()
        if card in now and (now[card].email is not None or not mailed)
    }


#: Seconds are counted from noon of 6 September.
AROUND_NOON: tuple[Change, ...] = (
    Change("K-1", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-1", 2, 0, "UPDATE", None, None, "c2"),  # at noon exactly
    Change("K-1", 3, 1, "UPDATE", "n3", None, "c3"),
    Change("K-2", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-2", 2, -1, LEAVES),
    Change("K-2", 3, 500, "INSERT", "n3", "e3", "c3"),  # a member before, and after, not then
    Change("K-3", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-3", 2, 60, LEAVES),
    Change("K-3", 3, 600, "INSERT", "n3", "e3", None),  # a member then, and again
    Change("K-4", 1, 1, "INSERT", "n1", "e1", "c1"),
    Change("K-5", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-5", 2, 900, LEAVES),
    Change("K-6", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-6", 2, 800, "UPDATE", None, ERASE, None),  # no address today
    Change("K-7", 1, -900, "INSERT", "n1", None, ERASE),
    Change("K-7", 2, 5, "UPDATE", None, "e2", "c2"),  # no city then, and no address
    Change("M-1", 2, 0, LEAVES),
    Change("M-1", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("M-1", 3, 1, "INSERT", "n3", "e3", "c3"),
    Change("M-2", 1, -100, "INSERT", "n1", "e1", "c1"),
    Change("M-2", 3, -60, "UPDATE", None, None, "c3"),
    Change("M-2", 2, -50, "UPDATE", None, None, "c2"),  # the clock was behind when it was 3
)


def around_noon() -> list[Change]:
    """Return the planted changes with their times."""
    return [change._replace(seconds=NOON + change.seconds) for change in AROUND_NOON]


def _noon(sandbox: Sandbox) -> None:
    """Plant changes at noon and just after, with late clocks, of members who left, returned or were erased."""
    change_frame(sandbox.spark, around_noon()).write.saveAsTable("change_log")
    sandbox.view("members_now", members_frame(sandbox.spark, members_of(values_of(around_noon()))))


MAKES = Makes(views=("vouchers_vw",))

HIDDEN = (
    HiddenTest(
        _noon,
        ("vouchers_vw",),
        above=NEWEST_ABOVE,
        says=(
            "Your cell was run on other changes: made at 12:00:00 exactly, of people who had left, or of members "
            "without a city."
        ),
    ),
)
