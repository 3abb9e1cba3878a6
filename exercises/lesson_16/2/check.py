"""Check exercise 16.2, "One alert per trouble"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with a loop over the batches, and name an alert per batch, one too early, and a gap."""
    made = attempt.view("alerts_vw")
    backlogs = attempt.table("backlogs")
    right = _alerts(attempt, backlogs)
    if set(made.columns) == {"name", "batch"} and not attempt.is_same(made, right):
        if attempt.is_same(made, _alerts(attempt, backlogs, again=True)):
            raise Mistake(
                "A trouble that lasts is reported by each of its batches. Only the third one raises an alert."
            )
        if attempt.is_same(made, _alerts(attempt, backlogs, in_a_row=False)):
            raise Mistake(
                "The three batches need not follow each other in yours. A batch at or below the limit ends the trouble."
            )
        if attempt.is_same(made, _alerts(attempt, backlogs, needed=1)):
            raise Mistake("An alert is raised by the first batch above the limit. It takes three in a row.")
        if attempt.is_same(made, _alerts(attempt, backlogs, limit=9)):
            raise Mistake("A backlog of exactly 10 files is not above 10.")
        if attempt.is_same(made, _alerts(attempt, backlogs, only_first=True)):
            raise Mistake("A stream gets one alert in all in yours. After a good batch, the next trouble is a new one.")
    attempt.compare(made, right, "alerts_vw")


def _alerts(
    attempt: Attempt,
    backlogs: DataFrame,
    needed: int = 3,
    limit: int = 10,
    again: bool = False,
    in_a_row: bool = True,
    only_first: bool = False,
) -> DataFrame:
    """Return the alerts of a loop over the batches, or those of one of the mistakes."""
    rows, bad, alerted = [], {}, set()
    for name, batch, files in sorted(backlogs.select("name", "batch", "backlog_files").collect()):
        if files > limit:
            bad[name] = bad.get(name, 0) + 1
            if (bad[name] == needed or (again and bad[name] > needed)) and not (only_first and name in alerted):
                rows.append((name, batch))
                alerted.add(name)
        elif in_a_row:
            bad[name] = 0
    return attempt.spark.createDataFrame(rows, "name STRING, batch LONG")


def _troubles(sandbox: Sandbox) -> None:
    """Plant batch numbers with gaps, troubles at both ends, one of seven batches, and exactly ten files."""
    series = {
        "a": {5: 11, 6: 11, 8: 40},  # a number is left out: the three batches still follow each other
        "b": {0: 99, 1: 99, 2: 99, 3: 99, 4: 10, 5: 99, 6: 99, 7: 99},
        "c": {0: 10, 1: 10, 2: 10, 3: 11, 4: 11},
        "d": {0: 11, 1: 0, 2: 11, 3: 0, 4: 11, 5: 11, 6: 0},
        "e": {100: 12, 99: 12, 98: 12, 97: 0, 9: 12},
        "f": dict.fromkeys(range(20, 27), 70),  # seven batches: no second alert at the sixth
    }
    rows = [(name, batch, files) for name, batches in series.items() for batch, files in batches.items()]
    sandbox.append("backlogs", rows, "name STRING, batch LONG, backlog_files LONG")


MAKES = Makes(views=("alerts_vw",))

HIDDEN = (
    HiddenTest(
        _troubles,
        ("alerts_vw",),
        says=(
            "Your cell was run on other backlogs: troubles at the first and last batch, one of seven batches, "
            "missing batch numbers, and exactly ten files."
        ),
    ),
)
