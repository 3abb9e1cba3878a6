"""Check exercise 14L.5, "The morning's report"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_14l.edit_wars import (
    PLANTED_WAR_SCHEMA,
    alerts_in_topic,
    minutes_after_noon,
    undos_in_topic,
    wars_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_REPORT = ["wiki", "title", "one", "other", "began", "undos"]
_PAGE = "wiki, title, one, other"
_SESSIONS = f"{_PAGE}, session_window(start, '10 minutes')"


def _report(
    alerts: DataFrame, groups: str = _SESSIONS, began: str = "min(first_undo)", undos: str = "max(undos)"
) -> DataFrame:
    """Return one row per war; with other expressions, the rows of a mistake."""
    query = f"SELECT {_PAGE}, {began} AS began, {undos} AS undos FROM {{alerts}} GROUP BY {groups}"
    return alerts.sparkSession.sql(query, alerts=alerts)


def check(attempt: Attempt) -> None:
    """Check the view, wait for the night's messages, and check it again: it must have the wars in them."""
    view = attempt.view("report_vw")
    stream = _stream_of_alerts(attempt)
    if view.isStreaming:
        raise Mistake(
            "`report_vw` is a stream. The report is a batch query, run once in the morning: read `alerts_vw`."
        )
    _must_report(attempt, stream)
    factory = attempt.value("DA").data_factory
    if not factory.left:
        return
    while factory.land():
        pass
    _must_report(attempt, stream)


def _stream_of_alerts(attempt: Attempt) -> MadeStream:
    try:
        return attempt.stream("alerts")
    except (NotTried, Mistake):
        raise Mistake("No query sends alerts yet, so there is nothing to report: do exercise 14L.4 first.") from None


def _must_report(attempt: Attempt, stream: MadeStream) -> None:
    """Compare the report with the wars in the edits, once the stream has read all of them."""
    attempt.must_not_have_failed(stream)
    if not stream.is_active:
        raise Mistake("The query of 14L.4 is not running, so the night's wars are not detected. Restart it first.")
    attempt.wait_until_idle(stream, 40)
    right = _report(wars_of(undos_in_topic(attempt).dropDuplicates(["id"]))).localCheckpoint()
    made = attempt.view("report_vw").localCheckpoint()
    if attempt.is_same(made, right):
        return
    alerts = alerts_in_topic(attempt).localCheckpoint()
    if set(made.columns) == set(_REPORT):
        _must_be_a_report(attempt, made, right, alerts)
    attempt.compare(made, right, "report_vw")


def _must_be_a_report(attempt: Attempt, made: DataFrame, right: DataFrame, alerts: DataFrame) -> None:
    if attempt.is_same(made, _report(alerts, undos="sum(undos)")):
        raise Mistake(
            "`undos` adds up counts from several alerts about the same undos. Take the highest count instead."
        )
    if attempt.is_same(made, _report(alerts, undos="count(*)")):
        raise Mistake("`undos` counts alerts, not undos. Take the highest `undos` of the alerts.")
    if attempt.is_same(made, _report(alerts, began="min(start)")):
        raise Mistake("`began` is the start of a window, which is before the first undo. Use `first_undo`.")
    if attempt.is_same(made, _report(alerts, groups=_PAGE)):
        raise Mistake(
            "During the night, the same two users had a second war on Cindrel Bridge, an hour after the first, and "
            "your report has one row for both. Alerts about one war are close in time: group them by session."
        )
    wars, rows = right.count(), made.count()
    if rows > wars and made.select("title").distinct().count() == right.select("title").distinct().count():
        raise Mistake(
            f"There are {rows:,} rows for {wars} wars: one war causes many alerts, from windows that overlap. "
            "Put alerts that follow each other within minutes into one group."
        )


def _night(sandbox: Sandbox) -> None:
    """Plant alerts of wars that cross an hour, follow each other, and differ in one part of their names."""
    rows = []

    def war(wiki: str, title: str, one: str, other: str, starts: tuple[float, ...], first: float) -> None:
        rows.extend(
            (wiki, title, one, other, minutes_after_noon(m), 4 + n, minutes_after_noon(first))
            for n, m in enumerate(starts)
        )

    war("enwiki", "Bridge", "ann", "bob", (50, 55, 58, 61, 66), 52)  # across one o'clock
    war("enwiki", "Bridge", "ann", "bob", (77, 78), 79)  # a second one, eleven minutes later
    war("enwiki", "Bridge", "ann", "cay", (56, 57), 58)
    war("dewiki", "Bridge", "ann", "bob", (56, 57), 59)
    war("enwiki", "Road", "ann", "bob", (5, 15), 6)  # just close enough
    war("enwiki", "Road", "ann", "bob", (30, 40.1), 31)  # just too far apart
    sandbox.view("alerts_vw", sandbox.frame(rows, PLANTED_WAR_SCHEMA))


MAKES = Makes(views=("report_vw",))

HIDDEN = (
    HiddenTest(
        _night,
        ("report_vw",),
        says="Your cell was run on the alerts of another night: wars that cross an hour, and two of the same pair.",
    ),
)
