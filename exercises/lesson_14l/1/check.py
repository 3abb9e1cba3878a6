"""Check exercise 14L.1, "Who undoes whom"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_14l.edit_wars import (
    UNDO_COLUMNS,
    minutes_after_noon,
    must_be_a_stream,
    run_view,
    undos_in_topic,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with the undos in the topic, with duplicates."""
    view = attempt.view("undos_vw")
    must_be_a_stream(view, "undos_vw", "edits_vw")
    undos = undos_in_topic(attempt)
    right = undos.select(UNDO_COLUMNS)
    made = run_view(attempt, view, "append").rows
    if attempt.is_same(made, right):
        return
    if set(made.columns) == set(UNDO_COLUMNS):
        _must_be_undos(made, right)
    attempt.compare(made, right, "undos_vw")


def _must_be_undos(made: DataFrame, right: DataFrame) -> None:
    """Raise the mistake of rows that have the right columns."""
    if made.select("id").exceptAll(right.select("id")).count():
        raise Mistake(
            "Your view contains edits that undo nothing. The comment of an undo begins with `Undid revision`."
        )
    missing = right.join(made.select("id"), "id", "left_anti")
    if not missing.isEmpty() and missing.where("user NOT LIKE '%Bot'").isEmpty():
        raise Mistake("The bots' undos are missing. Keep them: a later exercise decides what is a war.")
    if made.count() != right.count():
        return
    if made.drop("dt").exceptAll(right.drop("dt")).isEmpty():
        raise Mistake(
            "Only `dt` is wrong. It must be the time of the edit, which is `dt` in `edits_vw`, not the time at which "
            "the message arrived."
        )
    wrong = made.exceptAll(right).select("id", "undone").join(right.selectExpr("id", "undone AS name"), "id").first()
    if wrong.undone and wrong.name.startswith(wrong.undone):
        raise Mistake(
            f"`undone` is `{wrong.undone}` where the comment names `{wrong.name}`. A name may be an IP address, "
            "which contains dots: take all the text after `by`."
        )
    if not wrong.undone:
        value = "`NULL`" if wrong.undone is None else "empty"
        raise Mistake(f"`undone` is {value} where the comment names `{wrong.name}`: take the text after `by`.")
    raise Mistake(
        f"`undone` is `{wrong.undone}` where the comment names `{wrong.name}`: take only the text after `by`."
    )


_PLANTED_EDIT = "id STRING, dt TIMESTAMP, wiki STRING, title STRING, user STRING, comment STRING, arrived TIMESTAMP"
_PLANTED_COMMENTS = (
    "Undid revision 71 by Ann",
    "Undid revision 72 by 203.0.113.5",
    "Undid revision 73 by Stand by Me",
    "Undid revision 74 by Some Bot",
    "undid revision 75 by Bea",
    "I think: Undid revision 76 by Cay",
    "Undid 77 by Dee",
    "Fixed by Eve",
    None,
)


def _comments(sandbox: Sandbox) -> None:
    """Plant an address as a name, bots on both sides, comments that only look like an undo, and NULL."""
    rows = [
        (
            str(n),
            minutes_after_noon(n),
            f"wiki{n % 2}",
            "T",
            "Helper Bot" if n == 1 else "u",
            comment,
            minutes_after_noon(n + 1),
        )
        for n, comment in enumerate((*_PLANTED_COMMENTS[:2], *_PLANTED_COMMENTS[3:]))
    ]
    sandbox.append("planted", rows, _PLANTED_EDIT)
    sandbox.view("edits_vw", sandbox.stream("planted"))


MAKES = Makes(views=("undos_vw",))

HIDDEN = (
    HiddenTest(
        _comments,
        ("undos_vw",),
        says="Your cell was run on other comments: names that are addresses, and comments that only look like an undo.",
    ),
)
