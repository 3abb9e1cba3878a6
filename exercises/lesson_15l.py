"""Exercises of lab 15L: rules that warn, rules that drop, a rule that needs a list, what comes twice, what was refused.

What is right is asked of the tables that the exercise before has made, and of the files, in plain SQL. The last two
checks let a further day land and run the pipeline, since a table that is right today says nothing about tomorrow.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_LINE = "station STRING, measured TIMESTAMP, received TIMESTAMP, level DOUBLE, battery DOUBLE"
_STATION = "station STRING, name STRING, river_km DOUBLE, power STRING"
_COLUMNS = ["station", "measured", "received", "level", "battery"]
_READING = ["station", "measured"]  # what a reading is known by
_POSSIBLE, _BEFORE, _LISTED = "level BETWEEN 0 AND 1000", "measured <= received", "name IS NOT NULL"
_HANDBOOK, _CHARGED = "battery >= 10.5", "battery IS NULL OR battery >= 10.5"
_RULES = {"possible level": _POSSIBLE, "measured before received": _BEFORE, "good battery": _CHARGED}
_EVERY_RULE = _RULES | {"listed station": _LISTED}


def _update(attempt: Attempt) -> Any:
    """Return the learner's update; one that has failed is a mistake."""
    update = attempt.value("update")
    if not hasattr(update, "expectations"):
        raise Mistake("`update` is not a pipeline update: assign the result of `run_pipeline()` to it.")
    if update.error is not None:
        raise Mistake(f"The update has failed: {str(update.error).splitlines()[0]}")
    return update


def _before(attempt: Attempt, table: str, exercise: str) -> DataFrame:
    """Return a table of an earlier exercise."""
    if not attempt.spark.catalog.tableExists(table):
        raise Mistake(f"The table `{table}` does not exist yet: do exercise {exercise} first.")
    return attempt.spark.table(table)


def _made(attempt: Attempt, name: str, columns: list[str]) -> DataFrame:
    """Return these columns of a table; a column that is not there is a mistake."""
    made = attempt.table(name)
    if missing := [column for column in columns if column not in made.columns]:
        raise Mistake(f"`{name}` has no column `{missing[0]}`.")
    return made.select(columns)


def _lines(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(_LINE).json(attempt.paths.landing)


def _stations(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(_STATION).json(f"{attempt.paths.datasets}/river/stations.json")


def _must_be_streaming(update: Any, name: str) -> Any:
    """Return what the update says of a dataset, which it must have read as a stream and from the beginning."""
    dataset = update.dataset(name)
    if dataset.kind.value != "streaming table":
        raise Mistake(
            f"`{name}` is a {dataset.kind.value}: it reads all data again in every update. Read a stream: "
            "`spark.readStream`."
        )
    return dataset


def _next_day(attempt: Attempt, keep: int) -> bool:
    """Let a further day land and run the pipeline, if more than `keep` are left; say whether it was so."""
    # With its engine, which the sentences and hints of the lab do without.
    from declarative_pipelines import run_pipeline

    factory = attempt.value("DA").data_factory
    if factory.left <= keep:
        return False
    factory.land()
    error = run_pipeline().error
    if error is not None:
        raise Mistake(
            f"The table was right until the next day landed; then the update failed: {str(error).splitlines()[0]}"
        )
    return True


# --------------------------------------------------------------------------------------------- 15L.1 how bad is it?

BRONZE_STARTER = """
DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "...",
    "measured before received": "...",
    "good battery": "...",
}

# your definition of bronze


update = None  # then run_pipeline()
"""

BRONZE_SOLUTION = """
DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "level BETWEEN 0 AND 1000",
    "measured before received": "measured <= received",
    "good battery": "battery >= 10.5",
}


@dp.table
@dp.expect_all(RULES)
def bronze():
    return spark.readStream.schema(SCHEMA).json(DA.paths.landing)


update = run_pipeline()
"""


def check_bronze(attempt: Attempt) -> None:
    """Compare the rows with the files, and each count with one that plain SQL makes of them."""
    update = _update(attempt)
    made = _made(attempt, "bronze", _COLUMNS)
    found = {one.name: one for one in update.expectations if one.dataset == "bronze"}
    if any(one.violation.value != "warn" for one in found.values()):
        raise Mistake(
            "Bronze must contain every line as it arrived, so a rule must not drop a line or stop the update. Use "
            "`expect`, or `expect_all` for several rules: it counts violations and keeps the rows."
        )
    dataset = _must_be_streaming(update, "bronze")
    lines = _lines(attempt)
    attempt.compare(made, lines, "bronze")
    if missing := [name for name in _RULES if name not in found]:
        raise Mistake(
            f"No expectation of `bronze` is named `{missing[0]}`. Use `@dp.expect_all(RULES)`, which counts all three."
        )
    if not dataset.rows:
        raise Mistake(
            "The rows are right, but this update read no new lines, so it counted none. Run the whole cell again."
        )
    for name in _RULES:
        _must_count(lines, name, found[name])


def _must_count(lines: DataFrame, name: str, found: Any) -> None:
    """Compare what an expectation has counted; first with the counts of the usual mistakes."""
    right = {
        "possible level": (_POSSIBLE, f"level IS NULL OR {_POSSIBLE}"),
        "measured before received": (_BEFORE, "measured < received"),
        "good battery": (_HANDBOOK, _CHARGED),
    }[name]
    if any(found.failed == _broken(lines, rule) for rule in right):
        return
    if any(found.passed == _broken(lines, rule) for rule in right):
        raise Mistake(f"`{name}` is inverted: write the condition that a *good* line meets.")
    for wrong, rule, sentence in (
        (
            "possible level",
            "level >= 0",
            "`possible level` finds only levels that are too low. Add the upper limit: 1000 cm.",
        ),
        (
            "possible level",
            "level <= 1000",
            "`possible level` finds only levels that are too high. Add the lower limit: 0 cm.",
        ),
        (
            "measured before received",
            "measured <= current_timestamp()",
            "No line violates `measured before received`: the lines are old, so none of their times is in the future "
            "today. Compare with `received`, the time at which a line arrived, which does not change later.",
        ),
    ):
        if name == wrong and found.failed == _broken(lines, rule):
            raise Mistake(sentence)
    raise Mistake(
        f"`{name}` was violated by {found.failed:,} lines; by the handbook it must be {_broken(lines, right[0]):,}."
    )


def _broken(lines: DataFrame, rule: str) -> int:
    return lines.where(f"({rule}) IS NOT TRUE").count()


_ABOVE = "from pyspark import pipelines as dp\nfrom pyspark.sql import functions as F\n"


def _line(minutes: int, level: float | None, battery: float | None, station: str = "X1", delay: int = 2) -> tuple:
    measured = datetime(2024, 3, 5, 6) + timedelta(minutes=minutes)
    return station, measured, measured + timedelta(minutes=delay), level, battery


_AT_THE_LIMITS = (
    _line(0, 0.0, 10.5), _line(1, -0.5, 12.0), _line(2, 1000.0, 12.0), _line(3, 1000.5, 12.0), _line(4, 500.0, 10.4),
    _line(5, -600.0, 10.6), _line(6, 2500.0, 9.0), _line(7, 20.0, 11.0, delay=-1), _line(8, 20.0, 10.9),
)  # fmt: skip
_AND_NULL = (
    _line(10, None, 12.0), _line(11, 20.0, None), _line(12, None, None), _line(13, 20.0, None, delay=-1),
    _line(14, 20.0, 12.0, "nowhere"), _line(15, None, 9.0, "nowhere"),
)  # fmt: skip


def _level_files(sandbox: Sandbox) -> None:
    """Land lines at each limit of the handbook and just beyond it, and one received before it was measured."""
    names = [field.split()[0] for field in _LINE.split(",")]
    rows = [
        {
            name: value if not isinstance(value, datetime) else str(value)
            for name, value in zip(names, line, strict=True)
        }
        for line in _AT_THE_LIMITS
    ]
    sandbox.file("levels.json", rows)
    sandbox.keep(SCHEMA=_LINE)


def _counted(sandbox: Sandbox) -> DataFrame:
    found = sandbox.value("update").expectations
    rows = [(one.name, one.violation.value, one.passed, one.failed) for one in found]
    return sandbox.frame(rows, "expectation STRING, on_violation STRING, met INT, violated INT")


def _bronze_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("bronze").select(_COLUMNS)


BRONZE = Exercise(
    id="15L.1",
    title="How bad is it?",
    starter=BRONZE_STARTER,
    hints=(
        "The table is lesson 15's bronze, from JSON: `spark.readStream.schema(SCHEMA).json(DA.paths.landing)`. Add "
        "a decorator that takes `RULES`.",
        "`@dp.expect_all(RULES)` counts violations and keeps rows. A rule is a SQL condition that a *good* line meets.",
        "`level BETWEEN 0 AND 1000`, `measured <= received`, `battery >= 10.5`.",
    ),
    solution=BRONZE_SOLUTION,
    why=(
        "No line is lost, and every update reports how many lines violate each rule. The rule about time compares two "
        "columns of the line: with the current time, the same line could get a different result tomorrow."
    ),
    check=check_bronze,
    hidden=(
        HiddenTest(
            _level_files,
            (_bronze_lines, _counted),
            above=_ABOVE,
            says="Your cell was run on other lines, at the limits of the handbook and just beyond.",
        ),
    ),
    wrong=(
        WrongAnswer(BRONZE_SOLUTION.replace("expect_all", "expect_all_or_drop"), "every line as it arrived"),
        WrongAnswer(BRONZE_SOLUTION.replace("level BETWEEN 0 AND 1000", "level >= 0"), "too low"),
        WrongAnswer(BRONZE_SOLUTION.replace("measured <= received", "measured <= now()"), "the lines are old"),
        WrongAnswer(BRONZE_SOLUTION.replace("measured <= received", "measured > received"), "is inverted"),
        WrongAnswer(BRONZE_SOLUTION.replace("@dp.expect_all(RULES)\n", ""), "is named `possible level`"),
        WrongAnswer(BRONZE_SOLUTION.replace("readStream", "read"), "is a materialized view"),
        WrongAnswer(BRONZE_SOLUTION.replace("battery >=", "batterie >="), "The update has failed"),
    ),
    makes=Makes(variables=("update",), tables=("bronze", "usable", "placed", "once", "refused")),
)

# ------------------------------------------------------------------------------------------- 15L.2 what cannot be used

USABLE_STARTER = """
DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = RULES | {}  # with the rule that you have repaired

# your definition of usable, from bronze


update = None  # then run_pipeline()
"""

USABLE_SOLUTION = """
DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = RULES | {"good battery": "battery IS NULL OR battery >= 10.5"}


@dp.table
@dp.expect_all_or_drop(USABLE)
def usable():
    return spark.readStream.table("bronze")


update = run_pipeline()
"""


def check_usable(attempt: Attempt) -> None:
    """Compare with bronze; first with the rows that each of the usual mistakes leaves out or lets in."""
    update = _update(attempt)
    bronze = _before(attempt, "bronze", "15L.1").select(_COLUMNS)
    made = _made(attempt, "usable", _COLUMNS)
    for rules, sentence in (
        (
            (_POSSIBLE, _BEFORE, _HANDBOOK),
            "All lines of AL1 and AL6 are missing, which are on mains. They have no battery, so `battery >= 10.5` is "
            "NULL, and NULL violates an expectation. Allow a missing battery in the rule.",
        ),
        (("true",), "Every line is there. `expect_all` counts and keeps rows; use `expect_all_or_drop` to drop them."),
        (
            (_POSSIBLE, _BEFORE),
            "Lines with a weak battery are there. A battery below 10.5 volts still violates the rule.",
        ),
        (
            (_CHARGED,),
            "Only the battery is checked. Use `RULES | {...}`, which has all rules, including the fixed one.",
        ),
        (
            (_POSSIBLE, _BEFORE, "battery IS NULL"),
            "Only gauges without a battery are there. Combine the two conditions with `OR`.",
        ),
    ):
        if attempt.is_same(made, bronze.where(" AND ".join(f"({rule})" for rule in rules))):
            raise Mistake(sentence)
    right = bronze.where(" AND ".join(f"({rule})" for rule in _RULES.values()))
    attempt.compare(made, right, "usable")
    dataset = _must_be_streaming(update, "usable")
    if not dataset.dropped:
        raise Mistake(
            "The rows are right, but the update has counted no dropped rows: a `where` drops rows silently. Use an "
            "expectation, and run the whole cell again."
        )


def _bronze_table(sandbox: Sandbox) -> None:
    """Plant lines at the limits, without a level or a battery, with two faults, and of a gauge that is not listed."""
    sandbox.append("bronze", [*_AT_THE_LIMITS, *_AND_NULL], _LINE)
    sandbox.append("stations", [("X1", "Xanten", 1.5, "solar")], _STATION)
    sandbox.keep(RULES=_RULES | {"good battery": _HANDBOOK}, USABLE=_RULES)


def _more_lines(sandbox: Sandbox) -> None:
    """Append a line without a battery, which is good, and one whose level is just too high."""
    sandbox.append("bronze", [_line(30, 40.0, None), _line(31, 1001.0, 12.0)], _LINE)


def _usable_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("usable").select(_COLUMNS)


USABLE = Exercise(
    id="15L.2",
    title="What cannot be used",
    starter=USABLE_STARTER,
    hints=(
        "For which gauges is `battery >= 10.5` neither true nor false?",
        "A line is good if the gauge has no battery, or if the battery has enough volts. Give the fixed rule the key "
        "of the old one, so that it replaces it.",
        '`{"good battery": "battery IS NULL OR battery >= 10.5"}`, and `@dp.expect_all_or_drop(USABLE)` above a table '
        "that reads bronze as a stream.",
    ),
    solution=USABLE_SOLUTION,
    why=(
        "A row meets an expectation only if the condition is TRUE. So a NULL level violates the rule, which is right, "
        "and so does a NULL battery, which is wrong for a gauge on mains. You must know what a NULL means in your "
        "data. If the rule had dropped rows from the first day, two gauges would be missing without any error."
    ),
    check=check_usable,
    hidden=(
        HiddenTest(
            _bronze_table,
            (_usable_lines,),
            later=(_more_lines,),
            above=_ABOVE,
            says="Your cell was run on other lines: at the limits, without a battery, without a level.",
        ),
    ),
    wrong=(
        WrongAnswer(
            USABLE_SOLUTION.replace('RULES | {"good battery": "battery IS NULL OR battery >= 10.5"}', "RULES"),
            "which are on mains",
        ),
        WrongAnswer(
            USABLE_SOLUTION.replace("battery IS NULL OR battery >= 10.5", "coalesce(battery, 0) >= 10.5"),
            "which are on mains",
        ),
        WrongAnswer(USABLE_SOLUTION.replace("expect_all_or_drop", "expect_all"), "Every line is there"),
        WrongAnswer(USABLE_SOLUTION.replace("battery >= 10.5", "battery > 0"), "with a weak battery"),
        WrongAnswer(USABLE_SOLUTION.replace("RULES | ", ""), "Only the battery"),
        WrongAnswer(
            USABLE_SOLUTION.replace("@dp.expect_all_or_drop(USABLE)\n", "").replace(
                'table("bronze")', 'table("bronze").where(" AND ".join(f"({rule})" for rule in USABLE.values()))'
            ),
            "silently",
        ),
        WrongAnswer(USABLE_SOLUTION.replace('table("bronze")', 'table("silver")'), "The update has failed"),
    ),
    makes=Makes(variables=("update",), tables=("usable", "placed", "once")),
)

# ------------------------------------------------------------------------------------------ 15L.3 a gauge of nowhere

PLACED_STARTER = """
DA.exercise("15L.3")  # removes what an earlier attempt created

# your definition of placed, from usable and stations


update = None  # then run_pipeline()
"""

PLACED_SOLUTION = """
DA.exercise("15L.3")  # removes what an earlier attempt created


@dp.table
@dp.expect_or_drop("listed station", "name IS NOT NULL")
def placed():
    lines, stations = spark.readStream.table("usable"), spark.read.table("stations")
    return lines.join(stations, "station", "left")


update = run_pipeline()
"""


def check_placed(attempt: Attempt) -> None:
    """Compare with usable and the list; then ask what the expectation has counted."""
    update = _update(attempt)
    usable = _before(attempt, "usable", "15L.2").select(_COLUMNS)
    stations = _stations(attempt)
    columns = [*_COLUMNS, "name", "river_km"]
    made = _made(attempt, "placed", columns)
    if attempt.is_same(made, usable.join(stations, "station", "left").select(columns)):
        raise Mistake(
            "Every line of `usable` is there, and the lines of AL9 have NULL for a name. A left join keeps lines "
            "without a match; their `name` is NULL. Drop them with `expect_or_drop` and a condition on `name`."
        )
    if attempt.is_same(made, attempt.table("bronze").join(stations, "station").select(columns)):
        raise Mistake("Your table contains lines that cannot be used: read `usable`, not `bronze`.")
    right = usable.join(stations, "station").select(columns)
    attempt.compare(made, right, "placed")
    _must_be_streaming(update, "placed")
    counted = [one for one in update.expectations if one.dataset == "placed" and one.name == "listed station"]
    if not counted:
        raise Mistake("The rows are right, but no expectation of `placed` is named `listed station`.")
    dropped = usable.count() - right.count()
    if counted[0].dropped != dropped:
        raise Mistake(
            f"The rows are right, but `listed station` has dropped {counted[0].dropped} of {dropped} lines: an "
            "inner join drops them before the expectation sees them, so they are not counted. Use a left join, and run "
            "the cell again."
        )


def _usable_table(sandbox: Sandbox) -> None:
    """Plant lines of two listed gauges of one name and of one that is not listed, and list a gauge without lines."""
    sandbox.append("usable", [*_AT_THE_LIMITS[:3], *_AND_NULL[-2:], _line(20, 5.0, 12.0, "X2")], _LINE)
    stations = [("X1", "Xanten", 1.5, "solar"), ("X2", "Xanten", 2.5, "mains"), ("X3", "Nobody", 3.5, "mains")]
    sandbox.append("stations", stations, _STATION)


def _more_usable(sandbox: Sandbox) -> None:
    """Append a line of the listed gauge that had none, and one of another gauge that is not listed."""
    sandbox.append("usable", [_line(40, 6.0, 12.0, "X3"), _line(41, 6.0, 12.0, "elsewhere")], _LINE)


def _placed_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("placed").select(*_COLUMNS, "name", "river_km")


PLACED = Exercise(
    id="15L.3",
    title="A gauge of nowhere",
    starter=PLACED_STARTER,
    hints=(
        "A rule sees one row, so the row must contain the list's columns for its gauge: join first.",
        "Which join keeps a line without a matching station? Which columns are NULL in it then?",
        '`spark.readStream.table("usable").join(spark.read.table("stations"), "station", "left")`, and above it '
        '`@dp.expect_or_drop("listed station", "name IS NOT NULL")`.',
    ),
    solution=PLACED_SOLUTION,
    why=(
        "With the left join, every line reaches the expectation, so dropped lines are counted. An inner join gives the "
        "same rows without a count: nobody would notice that a new gauge is missing from the list."
    ),
    check=check_placed,
    hidden=(
        HiddenTest(
            _usable_table,
            (_placed_lines,),
            later=(_more_usable,),
            above=_ABOVE,
            says="Your cell was run on other lines and another list: stations that are not in it, one without lines, "
            "and two of one name.",
        ),
    ),
    wrong=(
        WrongAnswer(PLACED_SOLUTION.replace('"station", "left"', '"station"'), "before the expectation sees them"),
        WrongAnswer(PLACED_SOLUTION.replace("name IS NOT NULL", "station IS NOT NULL"), "NULL for a name"),
        WrongAnswer(PLACED_SOLUTION.replace("expect_or_drop", "expect"), "NULL for a name"),
        WrongAnswer(PLACED_SOLUTION.replace('table("usable")', 'table("bronze")'), "cannot be used"),
        WrongAnswer(
            PLACED_SOLUTION.replace('@dp.expect_or_drop("listed station", "name IS NOT NULL")\n', "").replace(
                '"left")', '"left").where("name IS NOT NULL")'
            ),
            "no expectation of `placed`",
        ),
        WrongAnswer(PLACED_SOLUTION.replace("lines.join(stations,", "stations.join(lines,"), "The update has failed"),
        WrongAnswer(PLACED_SOLUTION.replace('"left")', '"left").select(lines["*"])'), "The update has failed"),
    ),
    makes=Makes(variables=("update",), tables=("placed", "once")),
)

# ----------------------------------------------------------------------------------------- 15L.4 what no rule can see

ONCE_STARTER = """
DA.exercise("15L.4")  # removes what an earlier attempt created

# your definition of once, from placed


update = None  # then run_pipeline()
"""

ONCE_SOLUTION = """
DA.exercise("15L.4")  # removes what an earlier attempt created

dp.create_streaming_table("once")
dp.create_auto_cdc_flow(
    target="once", source="placed", keys=["station", "measured"], sequence_by="received")

update = run_pipeline()
"""

_WITH_STATE = """
DA.exercise("15L.4")  # removes what an earlier attempt created


@dp.table
def once():
    lines = spark.readStream.table("placed").withWatermark("measured", "2 days")
    return lines.dropDuplicatesWithinWatermark(["station", "measured"])


update = run_pipeline()
"""


def check_once(attempt: Attempt) -> None:
    """Compare with placed, let a further day land, and compare again: in it lines are late, and repeated."""
    _update(attempt)
    _must_be_once(attempt, "")
    if _next_day(attempt, keep=1):
        _must_be_once(attempt, "The table was right until the next day landed. ")


def _must_be_once(attempt: Attempt, said: str) -> None:
    columns = [*_READING, "level"]
    placed = _before(attempt, "placed", "15L.3")
    made = _made(attempt, "once", columns)
    right = placed.dropDuplicates(_READING).select(columns)
    if attempt.is_same(made, right):
        return
    if attempt.is_same(made, placed.select(columns)):
        raise Mistake(
            f"{said}Some readings are there twice. A line that is sent again has another `received`, so the two rows "
            "differ. Identify a reading by its `station` and `measured`."
        )
    if made.count() == placed.select("station").distinct().count():
        raise Mistake(
            f"{said}There is only one row for each gauge, the last. Use the columns that identify a reading as keys: "
            "`station` and `measured`."
        )
    lost = placed.join(made.select(_READING), _READING, "left_anti")
    behind = "timestampdiff(MINUTE, measured, received)"
    late = lost.where(f"{behind} > 2").selectExpr(f"max({behind})").first()[0]
    if late is not None and lost.where(f"{behind} <= 2").isEmpty():
        raise Mistake(
            f"{said}{lost.count()} late readings are missing, up to {late} minutes late: they were behind the "
            "watermark. Use a delay longer than the lateness of the latest line."
        )
    if not lost.isEmpty():
        raise Mistake(
            f"{said}{lost.count()} readings are missing that are not duplicates. Two lines are one reading if they "
            "have the same `station` and `measured`; the level can be the same at two times."
        )
    attempt.compare(made, right, "once")


def _placed_table(sandbox: Sandbox) -> None:
    """Plant three readings, and one of a month later, which moves any watermark past them."""
    sandbox.append("placed", [_line(n, float(n), 12.0) for n in range(3)], _LINE)
    sandbox.append("placed", [_line(60 * 24 * 30, 9.0, 12.0)], _LINE)  # a month later: whatever waits has gone on


def _very_late_lines(sandbox: Sandbox) -> None:
    """Let a line come that is a month late, and one that is sent again after a month."""
    late = 60 * 24 * 31
    sandbox.append("placed", [_line(5, 5.0, 12.0, delay=late), _line(1, 1.0, 12.0, delay=late)], _LINE)
    sandbox.append("placed", [_line(1, 1.0, 12.0, "X2"), _line(60 * 24 * 31, 9.0, 12.0)], _LINE)


def _once_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("once").select("station", "measured", "level")


ONCE = Exercise(
    id="15L.4",
    title="What no rule can see",
    starter=ONCE_STARTER,
    hints=(
        "Which columns identify a reading? You can keep one row per reading by merging, or by dropping duplicates.",
        "Lesson 15 keeps one row for each customer with `create_auto_cdc_flow`. Here a row is for a `station` and a "
        "`measured`, and the newer of two lines is the one with the later `received`.",
        '`dp.create_streaming_table("once")`, then `dp.create_auto_cdc_flow(target="once", source="placed", '
        'keys=["station", "measured"], sequence_by="received")`.',
    ),
    solution=ONCE_SOLUTION,
    why=(
        "The table itself holds the keys: a repeated line matches its row, however late it arrives. "
        "`dropDuplicatesWithinWatermark` would also work, with a watermark delay longer than a gauge can be without "
        "network. It would have to run here, after the rules: otherwise a clock that is a day ahead would advance the "
        "watermark, and the lines of all other gauges would be late."
    ),
    check=check_once,
    hidden=(
        HiddenTest(
            _placed_table,
            (_once_lines,),
            later=(_very_late_lines,),
            above=_ABOVE,
            says="Your cell was run on other lines: one comes a month late, and one is sent again after a month.",
        ),
    ),
    wrong=(
        WrongAnswer(
            _WITH_STATE.replace('.withWatermark("measured", "2 days")', "").replace(
                'dropDuplicatesWithinWatermark(["station", "measured"])', "dropDuplicates()"
            ),
            "has another `received`",
        ),
        WrongAnswer(
            ONCE_SOLUTION.replace('keys=["station", "measured"]', 'keys=["station"]'), "one row for each gauge"
        ),
        WrongAnswer(_WITH_STATE.replace('["station", "measured"]', '["station", "level"]'), "that are not duplicates"),
        WrongAnswer(_WITH_STATE.replace("2 days", "1 hour"), "behind the watermark"),
        WrongAnswer(
            '@dp.table\n@dp.expect_or_drop("once", "count(*) OVER (PARTITION BY station, measured) = 1")\ndef once():\n'
            '    return spark.readStream.table("placed")\n\n\nupdate = run_pipeline()\n',
            "The update has failed",
        ),
        WrongAnswer(ONCE_SOLUTION.replace('dp.create_streaming_table("once")\n', ""), "The update has failed"),
    ),
    makes=Makes(variables=("update",), tables=("once",)),
)

# ------------------------------------------------------------------------------------- 15L.5 every line is somewhere

REFUSED_STARTER = """
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}

# your definition of refused, from bronze and stations


update = None  # then run_pipeline()
"""

REFUSED_SOLUTION = """
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name)) for name, rule in EVERY_RULE.items()]
    every = lines.join(stations, "station", "left").withColumn("reasons", F.array_compact(F.array(*reasons)))
    return every.where("size(reasons) > 0")


update = run_pipeline()
"""


def check_refused(attempt: Attempt) -> None:
    """Compare with bronze, let a further day land, and compare again; then every line must be somewhere."""
    update = _update(attempt)
    _must_be_refused(attempt, "")
    _must_be_streaming(update, "refused")
    if _next_day(attempt, keep=0):
        _must_be_refused(attempt, "The table was right until the next day landed. ")
    bronze, refused = attempt.table("bronze").count(), attempt.table("refused").count()
    placed = _before(attempt, "placed", "15L.3").count()
    if bronze != placed + refused:
        raise Mistake(
            f"`refused` is right, but of {bronze:,} lines {placed:,} are in `placed` and {refused:,} in `refused`: "
            "check exercises 15L.2 and 15L.3 again."
        )


def _must_be_refused(attempt: Attempt, said: str) -> None:
    from pyspark.sql import functions as F

    bronze = _before(attempt, "bronze", "15L.1").select(_COLUMNS)
    columns = [*_COLUMNS, "reasons"]
    made = _made(attempt, "refused", columns)
    if dict(made.dtypes)["reasons"] != "array<string>":
        raise Mistake("`reasons` must be an array of names: a line can violate more than one rule.")
    if not made.where("exists(reasons, reason -> reason IS NULL)").isEmpty():
        raise Mistake(
            f"{said}There are NULLs among the reasons, one for each rule that the line meets. Remove them with "
            "`array_compact`."
        )
    made = made.withColumn("reasons", F.array_sort("reasons")).localCheckpoint()
    lines = bronze.join(_stations(attempt), "station", "left").localCheckpoint()
    right = _with_reasons(lines, _EVERY_RULE)
    for wrong, sentence in (
        (
            _with_reasons(lines, _EVERY_RULE, is_refused="true"),
            "Every line is there, most of them without a reason. Keep only lines with a reason.",
        ),
        (
            _with_reasons(lines, _EVERY_RULE, opposite="NOT ({})"),
            "Lines without a level are missing, or a reason is missing: the rule is NULL for them, and so is NOT of "
            "it. Use `(...) IS NOT TRUE`.",
        ),
        (
            _with_reasons(lines, _RULES),
            "Lines of AL9 are missing, or a reason is missing: a gauge that is not in the list is a reason as well.",
        ),
        (
            _with_reasons(lines.where(_LISTED), _EVERY_RULE),
            "Lines of AL9 are missing: an inner join drops them. Use a left join.",
        ),
        (
            _with_reasons(lines, _RULES | {"listed station": _LISTED, "good battery": _HANDBOOK}),
            "Gauges on mains are refused for their battery. Use the same rules as `usable`, so that a line is in "
            "exactly one of the two tables.",
        ),
        (
            right.select(*_COLUMNS, F.explode("reasons").alias("reason")).selectExpr(
                *_COLUMNS, "array(reason) AS reasons"
            ),
            "A line with two reasons is there twice. Keep one row, with both reasons in its array.",
        ),
    ):
        if attempt.is_same(made, wrong):
            raise Mistake(f"{said}{sentence}")
    if attempt.is_same(made.select(_COLUMNS), right.select(_COLUMNS)) and made.where("size(reasons) > 1").isEmpty():
        raise Mistake(f"{said}The lines are right, and each has one reason. Some lines violate two rules: name both.")
    attempt.compare(made, right, "refused")


def _with_reasons(
    lines: DataFrame, rules: dict[str, str], opposite: str = "({}) IS NOT TRUE", is_refused: str = "size(reasons) > 0"
) -> DataFrame:
    """Return the lines that break a rule, with the names of the rules; or, with other words, a mistake's rows."""
    reasons = ", ".join(f"CASE WHEN {opposite.format(rule)} THEN '{name}' END" for name, rule in rules.items())
    every = lines.selectExpr(*_COLUMNS, f"array_sort(array_compact(array({reasons}))) AS reasons")
    return every.where(is_refused)


def _refused_with_reasons(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("refused").selectExpr(*_COLUMNS, "array_sort(reasons) AS reasons")


REFUSED = Exercise(
    id="15L.5",
    title="Every line is somewhere",
    starter=REFUSED_STARTER,
    hints=(
        "Read bronze, and join the list as in 15L.3. Then compute for each rule its name if the line violates it, and "
        "NULL if the line meets it.",
        '`F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name))` for each `name, rule` in `EVERY_RULE.items()`.',
        'Put all of them in one column: `F.array_compact(F.array(*reasons))`. Then use `where("size(reasons) > 0")`.',
    ),
    solution=REFUSED_SOLUTION,
    why=(
        "`refused` and the tables with expectations use the same rules: one with `IS NOT TRUE`, the others with TRUE. "
        "So a line is on exactly one side. A line with two faults is in `refused` once, with both reasons: if it named "
        "only the first, the second would appear only after the first is fixed."
    ),
    check=check_refused,
    hidden=(
        HiddenTest(
            _bronze_table,
            (_refused_with_reasons,),
            later=(_more_lines,),
            above=_ABOVE,
            says="Your cell was run on other lines, which break each rule alone, two of them, or none.",
        ),
    ),
    wrong=(
        WrongAnswer(REFUSED_SOLUTION.replace("({rule}) IS NOT TRUE", "NOT ({rule})"), "so is NOT of it"),
        WrongAnswer(REFUSED_SOLUTION.replace('every.where("size(reasons) > 0")', "every"), "Every line is there"),
        WrongAnswer(REFUSED_SOLUTION.replace('"station", "left"', '"station"'), "inner join"),
        WrongAnswer(REFUSED_SOLUTION.replace("EVERY_RULE.items()", "USABLE.items()"), "as well"),
        WrongAnswer(REFUSED_SOLUTION.replace("= USABLE |", "= RULES |"), "on mains"),
        WrongAnswer(REFUSED_SOLUTION.replace("F.array_compact(F.array(*reasons))", "F.array(*reasons)"), "NULLs among"),
        WrongAnswer(
            REFUSED_SOLUTION.replace(
                "F.array_compact(F.array(*reasons))", "F.array_compact(F.array(F.coalesce(*reasons)))"
            ),
            "each has one reason",
        ),
        WrongAnswer(
            REFUSED_SOLUTION.replace("F.array_compact(F.array(*reasons))", 'F.concat_ws(", ", *reasons)').replace(
                "size(reasons) > 0", "reasons <> ''"
            ),
            "must be an array",
        ),
        WrongAnswer(
            REFUSED_SOLUTION.replace(
                "F.array_compact(F.array(*reasons)))",
                'F.array_compact(F.array(*reasons))).selectExpr("* EXCEPT (reasons)", "explode(reasons) AS reason").'
                'selectExpr("*", "array(reason) AS reasons")',
            ),
            "is there twice",
        ),
    ),
    makes=Makes(variables=("update",), tables=("refused",)),
)

EXERCISES = (BRONZE, USABLE, PLACED, ONCE, REFUSED)
