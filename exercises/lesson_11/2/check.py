"""Check exercise 11.2, "A test that finds the mistake"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lesson_exercises import planted
from lesson_exercises.lesson_11.cells_above import cells_above

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

#: A right processor that keeps its state in another way than the lesson's, and one that looks at the first row only.
_MORE = """
class Another(StatefulProcessor):
    def init(self, handle):
        self.handle = handle
        self.seen = handle.getValueState("newest", "ms LONG, reported BOOLEAN")

    def handleInputRows(self, key, rows, timerValues):
        newest, reported = self.seen.get() or (None, False)
        found = []
        for ms in sorted(row.ms for row in rows):
            if newest is None or ms > newest:
                if newest is not None and not reported and ms - newest > LIMIT:
                    found.append(alarm(key, newest))
                newest, reported = ms, False
        self.seen.update((newest, reported))
        if not reported:
            self.handle.registerTimer(newest + LIMIT)
        return iter(found)

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        newest, reported = self.seen.get()
        if expiredTimerInfo.getExpiryTimeInMs() == newest + LIMIT and not reported:
            self.seen.update((newest, True))
            yield alarm(key, newest)


class MissesWithinABatch(EachSilence):
    def handleInputRows(self, key, rows, timerValues):
        times = sorted(row.ms for row in rows)
        yield from super().handleInputRows(key, [Row(ms=times[0])], timerValues)
        self.remember(max(times[-1], self.last.get()[0]))
"""
#: What a test must notice, with the processors that show it.
_MISTAKES = {
    "MissesWithinABatch": "misses a silence whose two heartbeats arrive in one batch",
    "ReportsTwice": "reports a silence twice: by the timer, and again when the oven is heard",
    "CountsTenMinutes": "counts exactly ten minutes as a silence when the oven is heard again",
}


def processors() -> dict[str, Callable[[], Any]]:
    """Return the processors for a test: `EachSilence`, `Another`, and those with a mistake."""
    each = planted.definitions_of("11", "EachSilence")
    twice = re.sub(r" and \(?not reported\)?", "", each).replace("EachSilence(", "ReportsTwice(")
    ten = each.replace("ms > last + LIMIT", "ms >= last + LIMIT").replace("EachSilence(", "CountsTenMinutes(")
    names: dict[str, Any] = {}
    exec("\n\n".join((cells_above(), _MORE, twice, ten)), names)
    return {name: names[name] for name in ("EachSilence", "Another", *_MISTAKES)}


def check(attempt: Attempt) -> None:
    """Run the test against right and wrong processors, and name the first one that it judges wrongly."""
    test = attempt.value("check_silence")
    if not callable(test):
        raise Mistake("`check_silence` is not a function.")
    said = {name: planted.outcome(test, make()) for name, make in processors().items()}
    if set(said.values()) == {"passes"} and not planted.asserts(attempt.source):
        if planted.calls(attempt.source, "test", "setWatermark"):
            raise Mistake("`check_silence` asserts nothing. What it returns counts for nothing: write `assert`.")
        raise NotTried
    if said["EachSilence"] == "fails":
        raise Mistake("`check_silence(EachSilence())` raises an `AssertionError`, and that processor is right.")
    broken = next((words for words in said.values() if words not in ("passes", "fails")), None)
    if broken and said["EachSilence"] == broken:
        raise Mistake(f"`check_silence(EachSilence())` raises an error: {broken}")
    if said["Another"] != "passes":
        raise Mistake(
            "`check_silence` fails for a right processor whose state variable has another name. Assert what a "
            "processor emits, not how it keeps its state."
        )
    for name, words in _MISTAKES.items():
        if said[name] == "passes":
            raise Mistake(f"`check_silence` does not notice a processor that {words}.")
        if said[name] != "fails":
            raise Mistake(f"For a processor that {words}, `check_silence` raises no `AssertionError`, but {said[name]}")


def _outcomes(sandbox: Sandbox) -> DataFrame:
    test = sandbox.value("check_silence")
    rows = [(name, planted.outcome(test, make())) for name, make in processors().items()]
    return sandbox.frame(rows, "processor STRING, outcome STRING")


MAKES = Makes(variables=("check_silence",), by_starter=True)

HIDDEN = (
    HiddenTest(
        planted.nothing,
        (_outcomes,),
        above=cells_above("MINUTE", "heard", "tester_of"),
        says="Your function was defined in a session that has only just begun, and given the same processors.",
    ),
)
