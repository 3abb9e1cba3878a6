"""Check exercise 12L.1, "Each change once"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_12l.changes import (
    ERASE,
    LEAVES,
    Change,
    change_frame,
    change_stream,
    land_changes,
    landed_changes,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Distinguish an unknown card from duplicate changes, and from changes with the same sequence."""
    stream = attempt.stream("logged")
    attempt.wait_for_end(
        stream, "The query must stop after it has processed the available data: use `.trigger(availableNow=True)`.", 60
    )
    made = attempt.table("change_log")
    attempt.must_have_checkpoint(stream, "change_log")
    landed = landed_changes(attempt)
    attempt.must_have_read(stream, len(landed))
    once = set(landed)
    _must_be_cards(made, {change.card for change in once}, "change_log")
    rows = made.count()
    if rows > made.select("card", "at").distinct().count():
        raise Mistake(
            "`change_log` has changes more than once. A change is sent again in the same batch, or in a later one, and "
            "perhaps in another spelling: within a batch remove duplicates after the cards have one spelling, and let "
            "the `MERGE` insert only what is new."
        )
    if rows == len({(change.card, change.sequence) for change in once}) < len(once):
        raise Mistake(
            "Some changes are missing: those with the same `sequence` as another change of their card. They are two "
            "changes, made at different times. Compare all of `at`."
        )
    attempt.compare(made, change_frame(attempt.spark, once), "change_log")
    _must_stream_cards(attempt, {change.card for change in once})


def _must_be_cards(made: DataFrame, cards: set[str], name: str) -> None:
    if "card" not in made.columns:
        return
    strange = {str(row.card) for row in made.select("card").distinct().collect()} - cards
    if strange:
        raise Mistake(
            f"`{name}` has the card `{min(strange)}`, but no card has this number in the one spelling that was asked "
            "for. Remove the blanks at both ends, write the letter in upper case, and remove the zeros in front of the "
            "number, but no others: ` k-00407` is `K-407`."
        )


def _must_stream_cards(attempt: Attempt, cards: set[str]) -> None:
    """Raise a mistake if the stream `changes` has several spellings: the next exercises read it."""
    frame = attempt.value("changes")
    if not getattr(frame, "isStreaming", False) or hasattr(frame, "runId"):
        raise Mistake("`changes` is not a streaming DataFrame: begin with `landing`.")
    _must_be_cards(attempt.rows_of_stream(frame), cards, "changes")


#: Three files, and two that come later. Numbers with zeros within and at the end, and of both letters; a change that is
#: sent twice in a file, later, in another spelling; two with one sequence, two with one time; one of a card like
#: another one's number.
_SENT_FILES: tuple[tuple[Change, ...], ...] = (
    (
        Change(" k-0070", 1, 10, "INSERT", "n", "e", "c"),
        Change("K-70 ", 1, 10, "INSERT", "n", "e", "c"),
        Change("M-70", 1, 10, "INSERT", "m", "f", "d"),
        Change("K-00700", 1, 10, "INSERT", "o", "g", "d"),
    ),
    (
        Change("k-00070", 2, 20, "UPDATE", None, None, "c2"),
        Change("K-70", 1, 10, "INSERT", "n", "e", "c"),
        Change(" m-407", 3, 40, LEAVES),
    ),
    (
        Change("K-70", 2, 25, "UPDATE", None, None, "c3"),
        Change("K-70", 3, 25, "UPDATE", None, "e3", None),
        Change("m-00407 ", 3, 40, LEAVES),
        Change("K-7", 1, 10, "INSERT", "n", "e", "c"),
    ),
)
_SENT_LATER: tuple[Change, ...] = (
    Change("  K-0070", 2, 20, "UPDATE", None, None, "c2"),
    Change("M-407", 1, 5, "INSERT", "p", ERASE, None),
    Change("k-1001", 1, 5, "INSERT", "p", "q", "r"),
    Change("K-01001", 1, 5, "INSERT", "p", "q", "r"),
)


def _sent_in_files(sandbox: Sandbox) -> None:
    """Land three files, two of them in the first batch, with the cases beside `_SENT_FILES`."""
    for number, changes in enumerate(_SENT_FILES):
        land_changes(sandbox, f"a{number}", changes)
    sandbox.keep(landing=change_stream(sandbox, 2))


def _sent_later(sandbox: Sandbox) -> None:
    """Land one more file: a known change in another spelling, and new ones, one of them twice."""
    land_changes(sandbox, "b", _SENT_LATER)


MAKES = Makes(
    variables=("logged", "changes"),
    tables=("change_log",),
    folders=("checkpoints/change_log",),
    by_starter=True,
)

HIDDEN = (
    HiddenTest(
        _sent_in_files,
        ("change_log",),
        later=(_sent_later, planted.lose_checkpoints),
        says="Your cell was run on other changes, two of a card with the same time, in several batches, and again "
        "with a lost checkpoint.",
    ),
)
