"""Check exercise 12L.3, "Who is a member"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lesson_exercises import planted
from lesson_exercises.lesson_12l.changes import (
    BATCHES,
    ERASE,
    FIELDS,
    LATER,
    LEAVES,
    NEWEST_ABOVE,
    Change,
    change_frame,
    change_stream,
    changes_in_epoch_seconds,
    every_change,
    land_changes,
    landed_changes,
    members_frame,
    members_of,
    raise_as_cell_error,
    values_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Name the mistake at one card: it is back, a value is lost, or a value is too old."""
    stream = attempt.stream("applied")
    attempt.wait_for_end(
        stream, "The query must stop after it has processed the available data: use `.trigger(availableNow=True)`.", 60
    )
    made = attempt.view("members_now")
    landed = landed_changes(attempt)
    attempt.must_have_checkpoint(stream, "members")
    attempt.must_have_read(stream, len(landed))
    right = members_of(values_of(landed))
    if all(name in made.columns for name in ("card", *FIELDS)):
        _must_be_right({row.card: row for row in made.collect()}, right, landed)
    attempt.compare(made, members_frame(attempt.spark, right), "members_now")


def _must_be_right(made: dict[str, Any], right: dict[str, tuple[str | None, ...]], landed: Sequence[Change]) -> None:
    """Raise a mistake if a row has one of the usual ones."""
    wrong = [
        (card, field, value, made[card][field])
        for card, values in sorted(right.items())
        for field, value in zip(FIELDS, values, strict=True)
        if card in made and made[card][field] != value
    ]
    for of in wrong:
        if of[-1] is None:
            raise _wrong_value(*of, landed)
    left = sorted(made.keys() - right.keys())
    if back := [card for card in left if made[card].name is not None]:
        raise Mistake(
            f"`{back[0]}` has left, and is in `members_now`. Either an older change that arrived later has won, or a "
            "delete left nothing behind to compare it with, or the view does not filter."
        )
    if left:
        raise Mistake(f"`{left[0]}` has left, and `members_now` has a row of it, without a name. Filter in the view.")
    for of in wrong:
        raise _wrong_value(*of, landed)


def _wrong_value(card: str, field: str, right: str | None, made: str | None, landed: Sequence[Change]) -> Mistake:
    shown, wanted = ("NULL" if value is None else repr(value) for value in (made, right))
    of_card = f"`{card}` has {shown} in the column `{field}`, and {wanted} is right."
    if made == ERASE:
        return Mistake(f"{of_card} The value was erased: the view shows NULL then.")
    if made is None:
        return Mistake(
            f"{of_card} A batch that has no value for a field must leave the one that `members` has: merge each field "
            "by itself."
        )
    ended = max((change.sequence for change in landed if (change.card, change.operation) == (card, LEAVES)), default=0)
    if any(change.card == card and getattr(change, field) == made and change.sequence < ended for change in landed):
        return Mistake(f"{of_card} It is from before the delete of this card.")
    return Mistake(f"{of_card} An older value has won: keep the value that comes from the greater `at`.")


def _in_files(sandbox: Sandbox) -> None:
    """Land the planted changes in three files, two of them in the first batch."""
    for number, changes in enumerate(BATCHES):
        land_changes(sandbox, f"a{number}", changes)
    sandbox.keep(changes=change_stream(sandbox, 2))


def _more(sandbox: Sandbox) -> None:
    """Land later changes: a newer value, a delete that is repeated after a return, inserts older than an update."""
    land_changes(sandbox, "b", LATER)


def _at_once(sandbox: Sandbox) -> None:
    """Land all planted changes in one batch, the newest first."""
    land_changes(sandbox, "a", reversed(every_change()))
    sandbox.keep(changes=change_stream(sandbox, 10))


def _split_otherwise(sandbox: Sandbox) -> None:
    """Empty the table, and call the cell's function with the same changes in two other batches."""
    function = sandbox.value("apply_changes")
    sandbox.spark.sql("DELETE FROM members")
    changes = changes_in_epoch_seconds(reversed(every_change()))
    for number in range(2):
        with raise_as_cell_error():
            function(change_frame(sandbox.spark, changes[number::2]), number)


MAKES = Makes(
    variables=("applied",),
    tables=("members",),
    views=("members_now",),
    folders=("checkpoints/members",),
    by_starter=True,
)

HIDDEN = (
    HiddenTest(
        _in_files,
        ("members_now",),
        later=(_more, planted.lose_checkpoints),
        above=NEWEST_ABOVE,
        says="Your cell was run on other changes, in several batches, and again with a lost checkpoint.",
    ),
    HiddenTest(
        _at_once,
        ("members_now",),
        after=_split_otherwise,
        above=NEWEST_ABOVE,
        says="Your cell was run on other changes: all in one batch, and then split in another way.",
    ),
)
