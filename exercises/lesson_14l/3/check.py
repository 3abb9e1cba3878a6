"""Check exercise 14L.3, "What is a war"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_14l.edit_wars import (
    PLANTED_UNDO_SCHEMA,
    last_alert_per_war,
    minutes_after_noon,
    must_be_a_stream,
    run_view,
    undos_in_topic,
    wars_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Run the view, and compare the last row that it has emitted per window."""
    view = attempt.view("wars_vw")
    must_be_a_stream(view, "wars_vw", "once_vw")
    made = run_view(attempt, view, "update").rows
    undos = undos_in_topic(attempt)
    once = undos.dropDuplicates(["id"]).localCheckpoint()
    right = wars_of(once).localCheckpoint()
    if set(made.columns) == set(right.columns):
        made = last_alert_per_war(made).localCheckpoint()
        if attempt.is_same(made, right):
            return
        _must_be_wars(attempt, made, undos, once)
    attempt.compare(made, right, "wars_vw")


def _must_be_wars(attempt: Attempt, made: DataFrame, undos: DataFrame, once: DataFrame) -> None:
    """Raise a mistake if the rows have one of the usual ones."""
    if attempt.is_same(made, wars_of(once, window="window(dt, '10 minutes')")):
        raise Mistake(
            "Your windows do not overlap, so a war that crosses a window boundary is split, and each part is too "
            "small. Use the third argument of `window`, which sets how often a window begins."
        )
    if attempt.is_same(made, wars_of(undos)):
        raise Mistake("Duplicates are counted as undos. Read `once_vw`, which contains each undo once.")
    if attempt.is_same(made, wars_of(once, condition="count(*) >= 4")):
        raise Mistake(
            "On Kestrelow Bridge only one of the two users has undone edits, which is not a war. Both users must occur "
            "in the `user` column of a group: require that its minimum and maximum differ."
        )
    if attempt.is_same(made, wars_of(once, condition="count(*) > 4 AND min(user) <> max(user)")):
        raise Mistake("Wars with exactly four undos are missing: *at least four* is `>= 4`.")
    _must_have_pairs(made)
    if made.join(wars_of(once), ["wiki", "title"], "left_anti").count():
        page = made.join(wars_of(once), ["wiki", "title"], "left_anti").first()
        raise Mistake(
            f"{page.title} has no war: its undos are more than ten minutes apart, or by different pairs of users."
        )


def _must_have_pairs(made: DataFrame) -> None:
    """Raise a mistake if a group is not of one pair of users, in either role."""
    if made.isEmpty():
        raise Mistake(
            "There is no war at all. If you group by `user` and `undone`, *A undoes B* and *B undoes A* are two "
            "groups, and neither contains both directions. Group by `least` and `greatest` of the two names."
        )
    if turned := made.where("one > other").first():
        raise Mistake(
            f"`one` is {turned.one} and `other` is {turned.other}. A pair must look the same in every alert: `one` "
            "must be the lesser of the two names, whoever made the undo."
        )


def _quarrels(sandbox: Sandbox) -> None:
    """Plant quarrels of three and four undos, within ten minutes and just beyond, in two wikis, one-sided."""
    rows = []

    def quarrel(wiki: str, title: str, minutes: tuple[float, ...], users: tuple[tuple[str, str], ...]) -> None:
        pairs = [users[n % len(users)] for n in range(len(minutes))]
        rows.extend((f"{wiki}{title}{n}", minutes_after_noon(m), wiki, title, *pairs[n]) for n, m in enumerate(minutes))

    both, others = (("ann", "Bob"), ("Bob", "ann")), (("cay", "dee"), ("dee", "cay"))
    quarrel("enwiki", "four", (0, 3, 6, 9.9), both)
    quarrel("enwiki", "three", (0, 3, 6), both)
    quarrel("enwiki", "slow", (30.5, 33, 36, 40.6), both)
    quarrel("enwiki", "split", (60, 63), both)
    quarrel("dewiki", "split", (61, 64), both)
    quarrel("enwiki", "one side", (90, 91, 92, 93), both[:1])
    quarrel("enwiki", "two pairs", (120, 121), both)
    quarrel("enwiki", "two pairs", (122.0, 123.0), others)
    quarrel("enwiki", "five", (150, 152, 154, 156, 158), others)
    sandbox.append("planted", rows, PLANTED_UNDO_SCHEMA)
    sandbox.view("once_vw", sandbox.stream("planted").withWatermark("dt", "45 minutes"))


MAKES = Makes(views=("wars_vw",))

HIDDEN = (
    HiddenTest(
        _quarrels,
        ("wars_vw",),
        mode="update",
        says="Your cell was run on other quarrels: of three and four undos, within ten minutes and beyond, in "
        "two wikis.",
    ),
)
