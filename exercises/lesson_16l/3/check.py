"""Check exercise 16L.3, "Write the runbook"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lesson_exercises.lesson_16l.reports import FIGURE_SCHEMA

from streaming_base.errors import short_message
from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

ILLNESSES = ("too small batches", "state without an end", "limit too low")


def check(attempt: Attempt) -> None:
    """Apply each condition to the hour's figures, and name a stream that it misses or finds wrongly."""
    runbook = attempt.value("RUNBOOK")
    if not isinstance(runbook, Mapping) or set(runbook) != set(ILLNESSES):
        raise Mistake("`RUNBOOK` is a dictionary with the three illnesses as they are named in the starter.")
    entries = {illness: _entry(illness, runbook[illness]) for illness in ILLNESSES}
    if all(condition is ... for condition, _ in entries.values()):
        raise NotTried
    for illness, (condition, cure) in entries.items():
        if not isinstance(condition, str) or not condition.strip():
            raise Mistake(f'*{illness}* has no condition yet. It is a string, such as `"busy > 0.1"`.')
        found = _found(attempt, illness, condition)
        right = set(_found(attempt, illness, _SIGNS[illness]))
        if missed := right - set(found):
            raise Mistake(f"The condition of *{illness}* does not find `{missed.pop()}`, which has the sign.")
        if wrongly := set(found) - right:
            raise Mistake(f"The condition of *{illness}* finds `{wrongly.pop()}`, which does not have the sign.")
        if not isinstance(cure, str) or not cure.strip(" ."):
            raise Mistake(f"The cure of *{illness}* is empty. The next person on call will read it.")


_SIGNS = {
    "too small batches": "busy > 0.5 AND rows_per_batch < 50",
    "state without an end": "state_per_minute > rows_per_minute / 2",
    "limit too low": "backlog_per_minute > 1 AND busy < 0.5",
}


def _entry(illness: str, entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, tuple | list) or len(entry) != 2:
        raise Mistake(f"*{illness}* has two strings in parentheses: the condition, and the cure.")
    return entry[0], entry[1]


def _found(attempt: Attempt, illness: str, condition: str) -> list[str]:
    figures = attempt.view("figures_vw")
    try:
        return sorted(row.name for row in figures.where(condition).collect())
    except Exception as error:  # whatever a learner's SQL raises
        sentence = short_message(error).splitlines()[0]
        raise Mistake(f"Spark cannot use the condition of *{illness}*: {sentence}") from None


def _other_figures(sandbox: Sandbox) -> None:
    """Plant streams at the limits of each sign, with two illnesses, and without any."""
    rows = [
        ("small", 100, 49.9, 80.0, 0.51, 0.0, 0.0),
        ("fifty", 100, 50.0, 80.0, 0.51, 0.0, 0.0),
        ("half", 100, 10.0, 80.0, 0.5, 2.0, 0.0),
        ("idle", 100, 10.0, 80.0, 0.49, 0.0, 0.0),
        ("grows", 60, 900.0, 900.0, 0.2, 0.0, 451.0),
        ("exactly half", 60, 900.0, 900.0, 0.2, 0.0, 450.0),
        ("many rows, some kept", 60, 900.0, 5000.0, 0.2, 0.0, 1200.0),
        ("few rows, all kept", 60, 2.0, 2.0, 0.1, 0.0, 2.0),
        ("behind", 60, 900.0, 900.0, 0.1, 1.1, 10.0),
        ("one a minute", 60, 900.0, 900.0, 0.1, 1.0, 10.0),
        ("behind and busy", 60, 900.0, 900.0, 0.9, 30.0, 10.0),
        ("two at once", 60, 20.0, 100.0, 0.95, 5.0, 100.0),
        ("shrinks", 60, 900.0, 900.0, 0.1, -8.0, -900.0),
    ]
    sandbox.view("figures_vw", sandbox.frame(rows, FIGURE_SCHEMA))


def _diagnoses(sandbox: Sandbox) -> DataFrame:
    from pyspark.sql import functions as F

    figures = sandbox.spark.table("figures_vw")
    found = None
    for illness, (condition, _) in sandbox.value("RUNBOOK").items():
        one = figures.where(condition).select(F.lit(illness).alias("illness"), "name")
        found = one if found is None else found.union(one)
    return found


MAKES = Makes(variables=("RUNBOOK",))

HIDDEN = (
    HiddenTest(
        _other_figures,
        (_diagnoses,),
        says="Your runbook was used on the figures of thirteen other streams, some exactly at a limit.",
    ),
)
