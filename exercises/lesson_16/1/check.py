"""Check exercise 16.1, "Files to come"."""

from __future__ import annotations

from streaming_classroom.exercises import Attempt, Makes, Mistake


def check(attempt: Attempt) -> None:
    """Compare with the metric of the second report, and name another report, another metric, and text."""
    made = attempt.value("to_come")
    outstanding = [_outstanding(report) for report in attempt.value("healthy").recentProgress[:3]]
    if isinstance(made, str):
        raise Mistake("`to_come` is text, as metrics are: convert it to an integer.")
    if made == outstanding[1]:
        return
    if made in outstanding:
        raise Mistake("`to_come` is the number of another batch: take the report of the second one.")
    raise Mistake(f"`to_come` is {made!r}, and not the number of files that the second report has.")


def _outstanding(report: object) -> int:
    return int(report["sources"][0]["metrics"]["numFilesOutstanding"])  # type: ignore[index]


MAKES = Makes(variables=("to_come",))
