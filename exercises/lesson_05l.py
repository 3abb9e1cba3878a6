"""Exercises of lab 05L: what four offers cost, a screen, a report, a backlog, and why each has the trigger it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lesson_exercises import planted

from streaming_classroom.exercises import (
    Attempt,
    Exercise,
    HiddenTest,
    MadeStream,
    Makes,
    Mistake,
    NotTried,
    WrongAnswer,
    interval_of,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"
_MOST_ROWS = 4_000  # of a batch, for the small machine of 05L.4


def _landed(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(_SCHEMA).json(attempt.paths.landing)


# -------------------------------------------------------------------------------------- 05L.1 what four offers cost

OFFERS_STARTER = """
%sql
DROP VIEW IF EXISTS offers_vw;
-- CREATE TEMP VIEW offers_vw AS
-- SELECT ...
"""

OFFERS_SOLUTION = """
%sql
DROP VIEW IF EXISTS offers_vw;
CREATE TEMP VIEW offers_vw AS
SELECT offer,
       count(*) AS batches,
       max(rows_read) AS largest_batch,
       max(waited) AS longest_wait,
       sum(seconds) AS busy
FROM batches_vw
GROUP BY offer
"""

_AGGREGATES = {
    "batches": "count(*)",
    "largest_batch": "max(rows_read)",
    "longest_wait": "max(waited)",
    "busy": "sum(seconds)",
}


def check_offers(attempt: Attempt) -> None:
    """Compare the view; know the aggregate that was taken for another."""
    view = attempt.view("offers_vw")
    reports = attempt.spark.table("batches_vw")
    if attempt.is_same(view, _per_offer(reports)):
        return
    if attempt.is_same(view, _per_offer(reports, largest_batch="sum(rows_read)")):
        raise Mistake(
            "`largest_batch` has the total rows of an offer. It must be the row count of the largest batch: use `max`."
        )
    if attempt.is_same(view, _per_offer(reports, longest_wait="avg(waited)")):
        raise Mistake("`longest_wait` is a mean. It must be the wait of the row that waited longest: use `max`.")
    if attempt.is_same(view, _per_offer(reports, busy="max(seconds)")):
        raise Mistake("`busy` is the longest batch. It must be the total seconds of all batches: use `sum`.")
    if attempt.is_same(view, _per_offer(reports, batches="sum(batch)")):
        raise Mistake("`batches` adds up the batch numbers. It must be the number of batches: count the rows.")
    if any(attempt.is_same(view, _rounded_offers(reports, places)) for places in range(4)):
        raise Mistake("Your numbers are right, but they are rounded. Other queries may use the view: do not round.")
    if set(view.columns) == set(_per_offer(reports).columns) and view.count() == reports.count():
        raise Mistake("Your view has a row for each batch. For one row per offer, use `GROUP BY offer`.")
    attempt.compare(view, _per_offer(reports), "offers_vw")


def _per_offer(reports: DataFrame, **other: str) -> DataFrame:
    """Return the right rows, or those with another aggregate in a column."""
    from pyspark.sql import functions as F

    aggregates = (_AGGREGATES | other).items()
    return reports.groupBy("offer").agg(*[F.expr(aggregate).alias(name) for name, aggregate in aggregates])


def _rounded_offers(reports: DataFrame, places: int) -> DataFrame:
    rounded = {name: f"round({_AGGREGATES[name]}, {places})" for name in ("longest_wait", "busy")}
    return _per_offer(reports, **rounded)


_REPORTS = "offer STRING, batch INT, rows_read LONG, began TIMESTAMP, seconds DOUBLE, waited DOUBLE"


def _reports(sandbox: Sandbox) -> None:
    rows = [
        ("monthly", 7, 10, None, 4.25, None),
        ("monthly", 9, 900, None, 0.5, 30.0),
        ("monthly", 10, 10, None, 0.5, 31.5),
        ("weekly", 0, 5, None, 1.0, None),
        ("hourly", 3, 70, None, 9.0, 2.0),
        ("hourly", 4, 70, None, 8.0, 2.5),
    ]
    sandbox.view("batches_vw", sandbox.frame(rows, _REPORTS))


OFFERS = Exercise(
    id="05L.1",
    title="What four offers cost",
    starter=OFFERS_STARTER,
    hints=(
        "`batches_vw` has a row for each batch. You need one row per `offer`: `GROUP BY offer`.",
        "Two columns are a maximum, one is a count, one is a sum. Which row makes a customer complain?",
        "`SELECT offer, count(*) AS batches, max(rows_read) AS largest_batch, ... FROM batches_vw GROUP BY offer`",
    ),
    solution=OFFERS_SOLUTION,
    why=(
        "Three numbers describe an offer: how long a row waits, how many rows a batch must hold, and how long the "
        "machine works. Every offer has read the same rows, so only these numbers differ."
    ),
    check=check_offers,
    hidden=(HiddenTest(_reports, ("offers_vw",), says="Your cell was run on the reports of other offers."),),
    wrong=(
        WrongAnswer(OFFERS_SOLUTION.replace("max(rows_read)", "sum(rows_read)"), "the total rows of an offer"),
        WrongAnswer(OFFERS_SOLUTION.replace("max(waited)", "avg(waited)"), "is a mean"),
        WrongAnswer(OFFERS_SOLUTION.replace("sum(seconds)", "max(seconds)"), "the longest batch"),
        WrongAnswer(OFFERS_SOLUTION.replace("count(*)", "sum(batch)"), "adds up the batch numbers"),
        WrongAnswer(
            OFFERS_SOLUTION.replace("max(waited)", "round(max(waited), 2)").replace(
                "sum(seconds)", "round(sum(seconds), 2)"
            ),
            "they are rounded",
        ),
        WrongAnswer(OFFERS_SOLUTION.replace("GROUP BY offer", "GROUP BY offer, batch"), "a row for each batch"),
        WrongAnswer(OFFERS_SOLUTION.replace(" AS busy", ""), "column `busy` is missing"),
        WrongAnswer(OFFERS_SOLUTION.replace("FROM batches_vw", "FROM batch_vw"), "raised an error"),
    ),
    makes=Makes(views=("offers_vw",)),
)

# ------------------------------------------------------------------------------------------- 05L.2 the ward's screen

WARD_STARTER = """
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = None  # write last_readings_vw here, with its trigger, its output mode, its checkpoint and its table
"""

WARD_SOLUTION = """
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))
"""

_WARD_TRIGGER = '    .trigger(processingTime="2 seconds")\n'


def check_ward(attempt: Attempt) -> None:
    """Look at the trigger before waiting; what a refused output mode says is the same in every version."""
    _must_have_a_mode_for_an_aggregate(attempt)
    stream = attempt.stream("ward")
    attempt.must_not_have_failed(stream)
    if stream.trigger is not None:  # which Connect does not tell
        _must_suit_the_ward(stream.trigger)
        if not stream.is_active:
            raise Mistake("The trigger is right, but your stream was stopped: leave it running.")
    attempt.wait_until_idle(stream)
    made, landed = attempt.table("ward_screen"), _landed(attempt)
    good = landed.where("heartrate >= 0")
    if attempt.is_same(made, _last_of_each(landed)) and not attempt.is_same(made, _last_of_each(good)):
        raise Mistake("Faulty readings are on the screen. Write `last_readings_vw`, which filters them out.")
    attempt.must_have_read(stream, good.count())
    attempt.compare(made, _last_of_each(good), "ward_screen")
    attempt.must_have_checkpoint(stream, "ward")


def _must_have_a_mode_for_an_aggregate(attempt: Attempt) -> None:
    said = attempt.words_of_error.lower()
    if "output mode" in said or "without watermark" in said:
        raise Mistake(
            "Spark rejects this output mode. The last reading of a device changes with each batch, so the table must "
            f"be replaced each time: use `complete`. Spark says: {attempt.words_of_error}"
        )


def _must_suit_the_ward(trigger: str) -> None:
    if trigger in ("availableNow", "once"):
        raise Mistake(
            f"`{trigger}` makes a job that ends, and then the screen stops updating. The ward needs a stream that "
            "keeps running."
        )
    if trigger == "default":
        raise Mistake(
            "Without an interval, each file that lands starts a batch, including batches between two redraws, which "
            "nobody sees. Set a `processingTime` trigger."
        )
    if (seconds := interval_of(trigger)) is None:
        raise Mistake(f"Your stream has the trigger `{trigger}`. For a fixed interval, use `processingTime`.")
    if seconds > 2:
        raise Mistake(
            f"A reading could wait for {seconds:g} seconds, but the ward accepts two: use a shorter interval."
        )
    if seconds < 2:
        raise Mistake(
            f"A batch every {seconds:g} seconds is more often than needed: the screen is redrawn every two. Use a "
            "longer interval."
        )


def _last_of_each(readings: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    last = F.max_by("heartrate", "time").alias("heartrate")
    return readings.groupBy("device_id").agg(last, F.max("time").alias("time"))


def _screen_of(sandbox: Sandbox) -> None:
    for number, rows in enumerate((planted.FIRST, planted.SECOND), 1):
        planted.reading_file(sandbox, f"ward-{number}.json", rows, number)
    sandbox.view("readings_vw", planted.files_stream(sandbox))
    good = sandbox.spark.sql(
        "SELECT device_id, max_by(heartrate, time) AS heartrate, max(time) AS time FROM readings_vw "
        "WHERE heartrate >= 0 GROUP BY device_id"
    )
    sandbox.view("last_readings_vw", good)


WARD = Exercise(
    id="05L.2",
    title="The ward's screen",
    starter=WARD_STARTER,
    hints=(
        "Which offer has a wait of two seconds and no batch that nobody sees?",
        "The view is an aggregate with one row per device, and these rows change. Lesson 01 wrote such a result to a "
        "table in the output mode that replaces the table.",
        '`spark.table("last_readings_vw").writeStream.outputMode("complete")`, the checkpoint, '
        '`.trigger(processingTime="2 seconds")`, `.toTable("ward_screen")`.',
    ),
    solution=WARD_SOLUTION,
    why=(
        "The allowed wait determines the trigger: with a limit of two seconds, an interval of two seconds is the "
        "longest that meets it, and the longest interval makes the fewest batches. Replacing twelve rows is fast, so "
        "`complete` costs little here."
    ),
    check=check_ward,
    hidden=(HiddenTest(_screen_of, ("ward_screen",), later=(planted.third_file,), says=planted.WHAT_IS_THERE),),
    wrong=(
        WrongAnswer(WARD_SOLUTION.replace(_WARD_TRIGGER, ""), "which nobody sees"),
        WrongAnswer(WARD_SOLUTION.replace('processingTime="2 seconds"', "availableNow=True"), "a job that ends"),
        WrongAnswer(WARD_SOLUTION.replace("2 seconds", "10 seconds"), "could wait for 10 seconds"),
        WrongAnswer(WARD_SOLUTION.replace('    .outputMode("complete")\n', ""), "rejects this output mode"),
        WrongAnswer(WARD_SOLUTION.replace('"complete"', '"update"'), "rejects this output mode"),
        WrongAnswer(WARD_SOLUTION.replace("checkpoints}/ward", "checkpoints}/screen"), "`ward` was asked for"),
        WrongAnswer(WARD_SOLUTION + "ward.stop()\n", "was stopped"),
    ),
    makes=Makes(variables=("ward",), tables=("ward_screen",), folders=("checkpoints/ward", "checkpoints/screen")),
)

# ----------------------------------------------------------------------------------------- 05L.3 the nightly report

REPORT_STARTER = """
DA.exercise("05L.3")  # removes what an earlier attempt created

report = None  # write the faulty readings of readings_vw here, as a job that costs as little as it can
"""

REPORT_SOLUTION = """
DA.exercise("05L.3")  # removes what an earlier attempt created

report = (spark.table("readings_vw")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/report")
    .trigger(availableNow=True)
    .toTable("faulty_report"))
"""

_LIMITED = """(spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)"""


def check_report(attempt: Attempt) -> None:
    """A job that ends, with the right rows, in one batch, and with a checkpoint for the next night."""
    stream = attempt.stream("report")
    if stream.trigger == "once":
        raise Mistake("`once` would do the same tonight, but it is deprecated: use `availableNow`.")
    attempt.wait_for_end(stream, "The machine is paid for until the job ends: use `.trigger(availableNow=True)`.")
    made, landed = attempt.table("faulty_report"), _landed(attempt)
    faulty = landed.where("heartrate < 0")
    if attempt.is_same(made, landed):
        raise Mistake(
            "`faulty_report` has every reading. The exercise asks only for those with a heart rate below zero."
        )
    if attempt.is_same(made, landed.where("heartrate >= 0")):
        raise Mistake("These are the good readings. The technician needs those below zero.")
    attempt.must_have_read(stream, faulty.count())
    attempt.compare(made, faulty, "faulty_report")
    if (batches := len(stream.rows_read)) > 1:
        raise Mistake(
            f"The rows are right, but there are {batches} batches. Each batch has the overhead of planning and of the "
            "checkpoint's logs, and there are few rows: leave out the limit."
        )
    attempt.must_have_checkpoint(stream, "report")


REPORT = Exercise(
    id="05L.3",
    title="The nightly report",
    starter=REPORT_STARTER,
    hints=(
        "In the measurements, which offer kept the machine busy for the shortest time?",
        "A filter never changes a row that it has emitted, so use `append`, the default.",
        '`spark.table("readings_vw").where("heartrate < 0").writeStream`, the checkpoint, '
        '`.trigger(availableNow=True)`, `.toTable("faulty_report")`.',
    ),
    solution=REPORT_SOLUTION,
    why=(
        "Nobody needs this table before the morning, so the machine only has to run at night. One batch has the "
        "overhead of planning and of the checkpoint's logs only once. Because of the checkpoint, tomorrow's run "
        "reads only tomorrow's file."
    ),
    check=check_report,
    hidden=(
        HiddenTest(
            _screen_of,
            ("faulty_report", planted.batch_sizes("report")),
            later=(planted.third_file,),
            says=planted.WHAT_IS_THERE,
        ),
    ),
    wrong=(
        WrongAnswer(REPORT_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "paid for until the job ends"),
        WrongAnswer(REPORT_SOLUTION.replace("availableNow=True", 'processingTime="2 seconds"'), "paid for until"),
        WrongAnswer(REPORT_SOLUTION.replace("availableNow=True", "once=True"), "it is deprecated"),
        WrongAnswer(REPORT_SOLUTION.replace('(spark.table("readings_vw")', _LIMITED), "leave out the limit"),
        WrongAnswer(REPORT_SOLUTION.replace('    .where("heartrate < 0")\n', ""), "has every reading"),
        WrongAnswer(REPORT_SOLUTION.replace("heartrate < 0", "heartrate >= 0"), "the good readings"),
        WrongAnswer(REPORT_SOLUTION.replace("checkpoints}/report", "checkpoints}/offers/job"), "of its own"),
    ),
    makes=Makes(variables=("report",), tables=("faulty_report",), folders=("checkpoints/report",)),
)

# ------------------------------------------------------------------------------------------------ 05L.4 the backlog

BACKLOG_STARTER = """
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = None  # read DA.paths.archive here, and write it to history in batches that fit
"""

BACKLOG_SOLUTION = """
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 3)
    .json(DA.paths.archive)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/backlog")
    .trigger(availableNow=True)
    .toTable("history"))
"""

_LIMIT = '    .option("maxFilesPerTrigger", 3)\n'


def check_backlog(attempt: Attempt) -> None:
    """Look at the largest batch, then at their number: both follow from the limit."""
    stream = attempt.stream("backlog")
    if stream.trigger == "once":
        raise Mistake("`once` reads the whole backlog in one batch, whatever the limit is: use `availableNow`.")
    attempt.wait_for_end(stream, "A backlog is finite, so its job must end: `.trigger(availableNow=True)`.")
    made = attempt.table("history")
    archive = attempt.spark.read.schema(_SCHEMA).json(attempt.paths.archive)
    if attempt.is_same(made, _landed(attempt)):
        raise Mistake("`history` has the files that landed for the ward. Read the backlog from `DA.paths.archive`.")
    attempt.must_have_read(stream, archive.count())
    attempt.compare(made, archive, "history")
    sizes = [row["count"] for row in archive.groupBy("_metadata.file_name").count().collect()]
    _must_fit(stream.rows_read, sizes)
    attempt.must_have_checkpoint(stream, "backlog")


def _must_fit(batches: list[int], sizes: list[int]) -> None:
    if len(batches) == 1:
        raise Mistake(
            f"The rows are right, but one batch has read all {batches[0]:,} of them. The limit is an option of the "
            "reader: set it before `.json(...)`."
        )
    if max(batches) > _MOST_ROWS:
        raise Mistake(
            f"A batch had {max(batches):,} rows, but only {_MOST_ROWS:,} fit into the machine: use fewer files per "
            "batch."
        )
    largest = sorted(sizes, reverse=True)
    at_a_time = max(number for number in range(1, len(sizes) + 1) if sum(largest[:number]) <= _MOST_ROWS)
    fewest = -(-len(sizes) // at_a_time)
    if len(batches) > fewest:
        raise Mistake(
            f"Every batch fits, but there were {len(batches)} batches where {fewest} are enough: the largest had "
            f"{max(batches):,} rows. Use more files per batch."
        )


def _archive(sandbox: Sandbox) -> None:
    sandbox.keep(schema=_SCHEMA)
    sandbox.paths.archive = f"{sandbox.paths.working_dir}/archive"
    for number in range(7):
        planted.reading_file(sandbox, f"old-{number}.json", planted.FIRST[: number + 3], number, sandbox.paths.archive)


def _four_more_days(sandbox: Sandbox) -> None:
    for number in range(7, 11):
        planted.reading_file(sandbox, f"old-{number}.json", planted.SECOND[: number - 5], number, sandbox.paths.archive)


BACKLOG = Exercise(
    id="05L.4",
    title="The backlog",
    starter=BACKLOG_STARTER,
    hints=(
        "The table above says how many rows a file has. How many of the largest fit into a batch?",
        'Set how much a batch reads on the reader: `.option("maxFilesPerTrigger", ...)`, before `.json(...)`.',
        "`spark.readStream.schema(schema)`, the limit of 3, `.json(DA.paths.archive)`, `.writeStream`, the checkpoint, "
        '`.trigger(availableNow=True)`, `.toTable("history")`.',
    ),
    solution=BACKLOG_SOLUTION,
    why=(
        "Three of the largest files stay below the limit, four do not. `availableNow` respects the limit, and `once` "
        "does not. A job that fails in the middle resumes after its last completed batch instead of starting again."
    ),
    check=check_backlog,
    hidden=(
        HiddenTest(
            _archive,
            ("history", planted.batch_sizes("backlog")),
            later=(_four_more_days,),
            says="Your cell was run on another archive, with readings sent twice, and on four more files after a "
            "restart.",
        ),
    ),
    wrong=(
        WrongAnswer(BACKLOG_SOLUTION.replace(_LIMIT, ""), "an option of the reader"),
        WrongAnswer(BACKLOG_SOLUTION.replace('Trigger", 3', 'Trigger", 4'), "fewer files per batch"),
        WrongAnswer(BACKLOG_SOLUTION.replace('Trigger", 3', 'Trigger", 1'), "Use more files per batch"),
        WrongAnswer(BACKLOG_SOLUTION.replace("availableNow=True", "once=True"), "in one batch, whatever the limit"),
        WrongAnswer(BACKLOG_SOLUTION.replace("availableNow=True", 'processingTime="1 second"'), "still running"),
        WrongAnswer(
            BACKLOG_SOLUTION.replace("DA.paths.archive", "DA.paths.landing"), "the files that landed for the ward"
        ),
        WrongAnswer(BACKLOG_SOLUTION.rstrip() + ".awaitTermination()\n", "in a line of its own"),
    ),
    makes=Makes(variables=("backlog",), tables=("history",), folders=("checkpoints/backlog",)),
)

# ------------------------------------------------------------------------------------------------ 05L.5 the defence

DEFENCE_STARTER = """
# trigger: "default", "interval" or "availableNow"; always_on: True or False; the rest are numbers
defence = {
    "ward": {"trigger": None, "always_on": None, "batches": None, "largest_batch": None},
    "report": {"trigger": None, "always_on": None, "batches": None, "largest_batch": None},
    "backlog": {"trigger": None, "always_on": None, "batches": None, "largest_batch": None},
}
"""

DEFENCE_SOLUTION = """
def numbers(customer):
    rows = [row.rows_read for row in spark.table("made_vw").where(f"customer = '{customer}'").collect()]
    return {"batches": len(rows), "largest_batch": max(rows)}

defence = {
    "ward": {"trigger": "interval", "always_on": True, **numbers("ward")},
    "report": {"trigger": "availableNow", "always_on": False, **numbers("report")},
    "backlog": {"trigger": "availableNow", "always_on": False, **numbers("backlog")},
}
"""

_CUSTOMERS = {"ward": "05L.2", "report": "05L.3", "backlog": "05L.4"}
_LINES = ("trigger", "always_on", "batches", "largest_batch")
_TRIGGERS = ("default", "interval", "availableNow")


def check_defence(attempt: Attempt) -> None:
    """Compare each line with what the customer's stream says of itself."""
    defence = attempt.value("defence")
    if not isinstance(defence, Mapping):
        raise Mistake(
            f"`defence` is a {type(defence).__name__}. It must be a dictionary, with an entry for each customer."
        )
    entries = {customer: defence.get(customer) for customer in _CUSTOMERS}
    if all(_is_empty(entry) for entry in entries.values()):
        raise NotTried
    for customer, entry in entries.items():
        _must_be_complete(customer, entry)
        _must_be_true(customer, entry, _stream_of(attempt, customer))


def _is_empty(entry: Any) -> bool:
    return entry is None or (isinstance(entry, Mapping) and all(value is None for value in entry.values()))


def _must_be_complete(customer: str, entry: Any) -> None:
    open_lines = [name for name in _LINES if not isinstance(entry, Mapping) or entry.get(name) is None]
    if open_lines:
        raise Mistake(
            f"For the {customer}, these values are still missing: {', '.join(f'`{name}`' for name in open_lines)}."
        )
    if entry["trigger"] not in _TRIGGERS:
        raise Mistake(
            f"The {customer}'s trigger must be one of {', '.join(f'`{name}`' for name in _TRIGGERS)}, not "
            f"`{entry['trigger']}`."
        )


def _stream_of(attempt: Attempt, customer: str) -> MadeStream:
    try:
        return attempt.stream(customer)
    except NotTried:
        raise Mistake(
            f"There is no stream `{customer}`: solve exercise {_CUSTOMERS[customer]} first, which creates it."
        ) from None


def _must_be_true(customer: str, entry: Mapping[str, Any], stream: MadeStream) -> None:
    used = _kind_of(stream.trigger)
    if used is not None and entry["trigger"] != used:
        raise Mistake(
            f"Your answer says that the {customer} has the trigger `{entry['trigger']}`, but its stream has `{used}`."
        )
    if bool(entry["always_on"]) != (entry["trigger"] != "availableNow"):
        raise Mistake(
            f"Does the {customer} need a machine that is always on? A job with `availableNow` ends by itself. With "
            "every other trigger the query waits for more data, so the machine must keep running."
        )
    rows = stream.rows_read
    for name, right in (("batches", len(rows)), ("largest_batch", max(rows, default=0))):
        if entry[name] != right:
            raise Mistake(
                f"The {customer}'s `{name}` is not {entry[name]}. The stream's reports have another value: see "
                "`made_vw`, which has one row per batch."
            )


def _kind_of(trigger: str | None) -> str | None:
    return "interval" if interval_of(trigger) is not None else trigger


_with = DEFENCE_SOLUTION.replace


def _other_batches(sandbox: Sandbox) -> None:
    rows = [(customer, n, 100 * n + len(customer)) for customer in ("ward", "report", "backlog") for n in range(1, 4)]
    rows += [("ward", 4, 1), ("nobody", 9, 10**6)]
    made = sandbox.frame(rows, "customer STRING, batch INT, rows_read LONG")
    sandbox.view("made_vw", made.selectExpr("*", "current_timestamp() AS began", "1.0 AS seconds"))


def _defence(sandbox: Sandbox) -> DataFrame:
    said = sandbox.value("defence")
    rows = [(customer, str(key), str(value)) for customer, facts in said.items() for key, value in facts.items()]
    return sandbox.frame(rows, "customer STRING, fact STRING, value STRING")


DEFENCE = Exercise(
    id="05L.5",
    title="The defense",
    starter=DEFENCE_STARTER,
    hints=(
        "You chose the trigger and the machine yourself. The numbers are in `made_vw`, which has one row per batch.",
        "A machine must be always on if its stream waits for more data. Which of your three streams ends by itself?",
        "`SELECT customer, count(*) AS batches, max(rows_read) AS largest_batch FROM made_vw GROUP BY customer`, in a "
        "cell of your own.",
    ),
    solution=DEFENCE_SOLUTION,
    why=(
        "The ward pays for a machine that is always on and gets two seconds for it. The report pays for one batch "
        "per night. The backlog pays for more than one batch, and can use a small machine."
    ),
    check=check_defence,
    hidden=(
        HiddenTest(
            _other_batches,
            (_defence,),
            says="Your cell was run on other batches, and its numbers did not change: read them from `made_vw`.",
        ),
    ),
    wrong=(
        WrongAnswer(
            _with('"trigger": "interval", "always_on": True', '"trigger": "default", "always_on": True'),
            "its stream has `interval`",
        ),
        WrongAnswer(_with('"report": {"trigger": "availableNow"', '"report": {"trigger": "once"'), "must be one of"),
        WrongAnswer(_with('"interval", "always_on": True', '"interval", "always_on": False'), "always on?"),
        WrongAnswer(
            _with(
                '"availableNow", "always_on": False, **numbers("backlog")',
                '"availableNow", "always_on": True, **numbers("backlog")',
            ),
            "always on?",
        ),
        WrongAnswer(_with('"largest_batch": max(rows)', '"largest_batch": sum(rows)'), "`largest_batch` is not"),
        WrongAnswer(_with('"batches": len(rows), ', ""), "still missing: `batches`"),
        WrongAnswer(
            _with('**numbers("report")', '"batches": 2, "largest_batch": 1'), "The report's `batches` is not 2"
        ),
    ),
    makes=Makes(variables=("defence",)),
)

EXERCISES = (OFFERS, WARD, REPORT, BACKLOG, DEFENCE)
