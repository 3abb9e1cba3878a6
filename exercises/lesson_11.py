"""Exercises of lesson 11: a rule that needs state of its own, and a test that finds mistakes of a processor."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, NotTried, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

HEARTBEAT = "oven STRING, at TIMESTAMP, status STRING, temperature DOUBLE"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_IMPORTS = """
from pyspark.sql import Row
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor
from pyspark.sql.streaming.tws_tester import TwsTester

"""


def _above(*names: str) -> str:
    return _IMPORTS + planted.definitions_of("11", "LIMIT", "ALARM", "alarm", "Silence", "EachSilence", *names)


# ------------------------------------------------------------------------------- 11.1 switched off is not silent

CALLS_STARTER = """
DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    ...  # which methods need to know the status?


# run_into("calls", Watch())
"""

CALLS_SOLUTION = """
DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    def init(self, handle):
        super().init(handle)
        self.off = handle.getValueState("off", "ms LONG")  # the newest heartbeat that said "off"

    def was_off(self, ms):
        return self.off.exists() and self.off.get()[0] == ms

    def handleInputRows(self, key, rows, timerValues):
        rows = list(rows)
        off = {row.ms for row in rows if row.status == "off"}
        for found in super().handleInputRows(key, rows, timerValues):
            if found.last_ms not in off and not self.was_off(found.last_ms):
                yield found
        if off:
            self.off.update((max(off),))

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        for found in super().handleExpiredTimer(key, timerValues, expiredTimerInfo):
            if not self.was_off(found.last_ms):
                yield found


run_into("calls", Watch())
"""


def check_calls(attempt: Attempt) -> None:
    """Compare with the silences that plain SQL finds, and name which of the switched-off ovens is called for."""
    made = attempt.view("calls")  # a table; without it, nobody has tried
    landed = attempt.spark.read.schema(HEARTBEAT).json(attempt.paths.landing)
    every = _silences(landed)
    right = every.where("status = 'on'").drop("status", "heard_again")
    if set(made.columns) == set(right.columns):
        _must_not_be_off(made, every)
        if made.count() and made.join(every.where("heard_again IS NOT NULL"), ["oven", "last_heard"]).isEmpty():
            raise Mistake(
                "Only ovens that were not heard again are among the calls. `Silence` misses a silence that ends before "
                "its timer fires: derive `Watch` from `EachSilence`."
            )
        _must_not_be_of_the_heartbeat_before(made, landed)
    attempt.compare(made, right, "calls")


def _must_not_be_off(made: DataFrame, every: DataFrame) -> None:
    off = made.join(every.where("status = 'off'"), ["oven", "last_heard"], "left_semi")
    again = off.join(every.where("heard_again IS NOT NULL"), ["oven", "last_heard"], "left_semi").count()
    for_good = off.count() - again
    if again and for_good:
        raise Mistake(
            "Ovens that were switched off are among the calls, as in `alarms`. If `Watch` looks at the status: what a "
            "method stores in `self` is lost after the batch, so the status has to be in a state variable."
        )
    if again:
        raise Mistake(
            "An oven that was switched off, and later on again, is among the calls. Its silence is found when the oven "
            "is heard again, often in a later batch than its `off`: `handleInputRows` needs a state variable with it."
        )
    if for_good:
        raise Mistake(
            "An oven that was switched off for good is among the calls. That alarm comes from `handleExpiredTimer`, "
            "which is given no rows: what it must know has to be in the state."
        )


def _must_not_be_of_the_heartbeat_before(made: DataFrame, landed: DataFrame) -> None:
    off = landed.where("status = 'off'").selectExpr("oven", "at AS off_at")
    close = "last_heard < off_at AND last_heard > off_at - INTERVAL 2 MINUTES"
    if made.join(off, "oven").where(close).count():
        raise Mistake(
            "An oven is called for although it was switched off: `last_heard` is the minute before its `off`. A "
            "heartbeat with the status `off` is a heartbeat: do not leave it out."
        )


def _silences(landed: DataFrame) -> DataFrame:
    """Return each silence that was over, or that the watermark had passed, with the status before it."""
    landed.createOrReplaceTempView("_heartbeats_11")
    return landed.sparkSession.sql("""
        SELECT oven, at AS last_heard, at + INTERVAL 10 MINUTES AS alarm_at, status, heard_again
        FROM (SELECT *, lead(at) OVER (PARTITION BY oven ORDER BY at) AS heard_again, max(at) OVER () AS newest
              FROM _heartbeats_11)
        WHERE heard_again > at + INTERVAL 10 MINUTES
            OR (heard_again IS NULL AND at + INTERVAL 10 MINUTES <= newest - INTERVAL 10 MINUTES)
        """)


#: Oven, minute, status. In one file: a gap, and an off with a return; rows are not in their order.
_FIRST = (
    ("A", 1, "on"), ("A", 30, "on"), ("A", 14, "on"), ("A", 5, "off"),
    ("B", 2, "on"), ("B", 12, "on"), ("B", 31, "off"),
    ("C", 3, "off"), ("C", 4, "on"), ("C", 20, "on"),
    ("D", 29, "off"),
)  # fmt: skip
#: B returns from its off and then falls silent; C says off and stays away.
_SECOND = (("B", 50, "on"), ("C", 33, "off"), ("A", 39, "on"), ("A", 55, "off"), ("A", 56, "on"), ("E", 58, "on"))
_THIRD = (("B", 51, "on"), ("A", 90, "on"), ("E", 95, "on"), ("D", 96, "on"))
_FOURTH = (("A", 130, "on"), ("D", 131, "on"))


def _a_night(sandbox: Sandbox) -> None:
    """Land two files: rows out of order, a break of exactly ten minutes, ovens off and on within and across files."""
    sandbox.spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
    _land(sandbox, "1", _FIRST)
    _land(sandbox, "2", _SECOND)
    stream = sandbox.spark.readStream.schema(HEARTBEAT).option("maxFilesPerTrigger", 1).json(sandbox.paths.landing)
    sandbox.keep(heartbeats=stream.withWatermark("at", "10 minutes"))


def _the_night_goes_on(sandbox: Sandbox) -> None:
    """Land a late heartbeat, and ovens that return: from a silence, and from the `off` of an earlier file."""
    _land(sandbox, "3", _THIRD)


def _the_morning(sandbox: Sandbox) -> None:
    """Land two ovens that return after the restart; the others stay silent, or switched off for good."""
    _land(sandbox, "4", _FOURTH)


def _land(sandbox: Sandbox, name: str, beats: tuple[tuple[str, int, str], ...]) -> None:
    rows = [
        {"oven": oven, "at": f"2024-03-05T{minute // 60:02}:{minute % 60:02}:00Z", "status": status}
        | {"temperature": 200.5}
        for oven, minute, status in beats
    ]
    sandbox.file(f"night-{name}.json", rows)


_ONLY_THE_TIMER = CALLS_SOLUTION.replace("if found.last_ms not in off and not self.was_off(found.last_ms):", "if True:")
_ONLY_THE_ROWS = CALLS_SOLUTION.replace("            if not self.was_off(found.last_ms):\n    ", "        ")
_IN_THE_OBJECT = (
    CALLS_SOLUTION.replace(
        'self.off = handle.getValueState("off", "ms LONG")  # the newest heartbeat that said "off"', "self.off = {}"
    )
    .replace("return self.off.exists() and self.off.get()[0] == ms", "return self.off.get(0) == ms")
    .replace("self.off.update((max(off),))", "self.off[0] = max(off)")
)
_WITHOUT_OFF = """
DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    def handleInputRows(self, key, rows, timerValues):
        on = [row for row in rows if row.status == "on"]
        return super().handleInputRows(key, on, timerValues) if on else iter(())


run_into("calls", Watch())
"""
_EVER_OFF = CALLS_SOLUTION.replace("self.off.get()[0] == ms", "ms >= 0").replace(
    "if found.last_ms not in off and not", "if not off and not"
)

CALLS = Exercise(
    id="11.1",
    title="Switched off is not silent",
    starter=CALLS_STARTER,
    hints=(
        "An alarm is raised in two places: in `handleInputRows`, where the oven is back, and in `handleExpiredTimer`. "
        "Both must know whether the heartbeat at `last_ms` said `off`, and that one may be of an earlier batch.",
        "Add a state variable in `init`, after `super().init(handle)`: the time of the oven's newest `off`. An alarm "
        "with that `last_ms` is not passed on.",
        "`for found in super().handleInputRows(key, rows, timerValues): if found.last_ms ...: yield found`, and "
        "the same in `handleExpiredTimer`. `rows` can be read only once: make a list of it first.",
    ),
    solution=CALLS_SOLUTION,
    why=(
        "What a later batch must know is in a state variable; what this batch knows as well is in its rows. The "
        "alarm's own `last_ms` tells which heartbeat it is about, so an old `off` says nothing about a later silence."
    ),
    check=check_calls,
    hidden=(
        HiddenTest(
            _a_night,
            ("calls",),
            later=(_the_night_goes_on, planted.crash_before_commit, _the_morning),
            above=_above("readable", "run_into"),
            says=(
                "Your cell was run on another night: ovens that are switched off and on within one file, that fall "
                "silent after it, and a restart in between."
            ),
        ),
    ),
    wrong=(
        WrongAnswer(_ONLY_THE_TIMER, "switched off, and later on again"),
        WrongAnswer(_ONLY_THE_ROWS, "switched off for good"),
        WrongAnswer(_IN_THE_OBJECT, "has to be in the state"),
        WrongAnswer(_WITHOUT_OFF, "do not leave it out"),
        WrongAnswer(_EVER_OFF, "another night"),
        WrongAnswer(
            CALLS_SOLUTION.replace("Watch(EachSilence)", "Watch(Silence)"), "derive `Watch` from `EachSilence`"
        ),
    ),
    makes=Makes(tables=("calls",), folders=("checkpoints/calls",)),
)

# ------------------------------------------------------------------------------- 11.2 a test that finds the mistake

TESTS_STARTER = """
DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    ...  # assert what tester.test("T", heard(...)) and tester.setWatermark(...) must return


check_silence(EachSilence())
"""

TESTS_SOLUTION = """
DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    assert tester.test("T", heard(1, 30)) == [alarm("T", 1 * MINUTE)]  # both in one batch
    assert tester.test("T", heard(40)) == []  # exactly ten minutes later
    assert tester.setWatermark(55 * MINUTE) == [alarm("T", 40 * MINUTE)]
    assert tester.test("T", heard(60)) == []  # it has been reported


check_silence(EachSilence())
"""

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
    """Return the processors that a test is given: `EachSilence`, `Another`, and those of the mistakes."""
    each = planted.definitions_of("11", "EachSilence")
    twice = re.sub(r" and \(?not reported\)?", "", each).replace("EachSilence(", "ReportsTwice(")
    ten = each.replace("ms > last + LIMIT", "ms >= last + LIMIT").replace("EachSilence(", "CountsTenMinutes(")
    names: dict[str, Any] = {}
    exec("\n\n".join((_above(), _MORE, twice, ten)), names)
    return {name: names[name] for name in ("EachSilence", "Another", *_MISTAKES)}


def check_tests(attempt: Attempt) -> None:
    """Play the test against right and wrong processors, and name the first one that it judges wrongly."""
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


_BETWEEN_BATCHES = TESTS_SOLUTION.replace(
    'assert tester.test("T", heard(1, 30)) ==', 'tester.test("T", heard(1))\n    assert tester.test("T", heard(30)) =='
)
_LOOKS_INSIDE = TESTS_SOLUTION.replace(
    "    assert tester.setWatermark",
    '    assert tester.peekValueState("last", "T") == (40 * MINUTE,)\n    assert tester.setWatermark',
)

TESTS = Exercise(
    id="11.2",
    title="A test that finds the mistake",
    starter=TESTS_STARTER,
    hints=(
        "One `assert` per mistake, in the order of time: each call continues with the state of the call before.",
        'For the first: `assert tester.test("T", heard(1, 30)) == [alarm("T", 1 * MINUTE)]`. For the second, let the '
        "timer fire, and then let the oven be heard. What must `test` return then?",
        'For the third: `assert tester.test("T", heard(40)) == []`, ten minutes after the heartbeat of minute 30.',
    ),
    solution=TESTS_SOLUTION,
    why=(
        "A test of a processor is a short story of one key. It looks at what is emitted and nothing else, so that "
        "somebody may keep the state in another way tomorrow. A test is worth as much as the mistakes that it finds: "
        "plant one, and see it fail."
    ),
    check=check_tests,
    hidden=(
        HiddenTest(
            planted.nothing,
            (_outcomes,),
            above=_above("MINUTE", "heard", "tester_of"),
            says="Your function was defined in a session that has only just begun, and given the same processors.",
        ),
    ),
    wrong=(
        WrongAnswer(_BETWEEN_BATCHES, "arrive in one batch"),
        WrongAnswer(TESTS_SOLUTION.replace('    assert tester.test("T", heard(60)) == []  # it', "    # it"), "twice"),
        WrongAnswer(TESTS_SOLUTION.replace("heard(40)", "heard(39)").replace("40 *", "39 *"), "exactly ten minutes"),
        WrongAnswer(_LOOKS_INSIDE, "has another name"),
        WrongAnswer(TESTS_SOLUTION.replace("55 *", "45 *"), "that processor is right"),
        WrongAnswer(TESTS_SOLUTION.replace("    assert ", "    "), "asserts nothing"),
        WrongAnswer(TESTS_SOLUTION.replace("[alarm(", "[Alarm("), "NameError"),
    ),
    makes=Makes(variables=("check_silence",), by_starter=True),
)

EXERCISES = (CALLS, TESTS)
