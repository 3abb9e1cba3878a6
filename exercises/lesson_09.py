"""Exercises of lesson 09: sessions in SQL, and a delay that is chosen from measured lateness."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from stream_view import late_rows
from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

# ------------------------------------------------------------------------------------------------- 09.1 rides, in SQL

RIDES_STARTER = """
%sql
DROP VIEW IF EXISTS rides_vw;
-- CREATE TEMP VIEW rides_vw AS
-- SELECT ...
"""

RIDES_SOLUTION = """
%sql
DROP VIEW IF EXISTS rides_vw;
CREATE TEMP VIEW rides_vw AS
SELECT tram,
       session_window.start AS begins,
       max(event_time) AS last_tap,
       count(*) AS taps
FROM taps_vw
GROUP BY tram, session_window(event_time, '8 minutes')
HAVING count(*) > 1
"""


def check_rides(attempt: Attempt) -> None:
    """Run the view as a stream, and compare first with what people take for a ride."""
    view = attempt.view("rides_vw")
    if not view.isStreaming:
        raise Mistake("Your view does not read a stream: select from `taps_vw`, not from `all_taps`.")
    made = attempt.rows_of_stream(view)
    taps = attempt.view("taps_vw")
    rides = attempt.rows_of_stream(_rides(taps))
    if attempt.is_same(made, rides):
        raise Mistake("Rides of a single tap are among them. SQL filters groups with `HAVING`.")
    right = rides.where("taps > 1")
    others = "last_tap" in made.columns and attempt.is_same(made.drop("last_tap"), right.drop("last_tap"))
    if others and not attempt.is_same(made, right):
        raise Mistake(
            "`last_tap` is not the time of the last tap. A session ends eight minutes after it; the tap's own time is "
            "in `event_time`."
        )
    if attempt.is_same(made, attempt.rows_of_stream(_rides(taps, "5 minutes")).where("taps > 1")):
        raise Mistake("Your sessions end like those with a gap of five minutes. The exercise asks for eight.")
    attempt.compare(made, right, "rides_vw")


def _rides(taps: DataFrame, gap: str = "8 minutes") -> DataFrame:
    from pyspark.sql import functions as F

    counts = (F.max("event_time").alias("last_tap"), F.count("*").alias("taps"))
    rides = taps.groupBy("tram", F.session_window("event_time", gap).alias("ride")).agg(*counts)
    return rides.select("tram", F.col("ride.start").alias("begins"), "last_tap", "taps")


def _taps(sandbox: Sandbox) -> None:
    """Give taps whose breaks are just under, exactly and just over eight minutes, and one much later that ends all."""
    times = ((1, "10:00:00"), (1, "10:07:59"), (1, "10:15:59"), (2, "10:01:00"), (2, "10:09:01"), (3, "10:02:00"))
    late = ((2, "10:04:30"), (1, "10:23:00"), (3, "10:02:00"), (9, "12:00:00"))
    schema = "tap STRING, tram INT, event_time TIMESTAMP, received TIMESTAMP"
    for number, part in enumerate((times, late)):
        at = [(tram, datetime.fromisoformat(f"2024-03-05 {time}")) for tram, time in part]
        sandbox.append("planted_taps", [(f"{number}", tram, time, time) for tram, time in at], schema)
    sandbox.view("taps_vw", sandbox.stream("planted_taps").withWatermark("event_time", "10 minutes"))


RIDES = Exercise(
    id="09.1",
    title="Rides, in SQL",
    starter=RIDES_STARTER,
    hints=(
        "Group by `tram` and by `session_window(event_time, '8 minutes')`. `session_window.start` is when a session "
        "begins.",
        "`session_window.end` is eight minutes after the last tap. The last tap itself is the largest `event_time` of "
        "the group.",
        "`WHERE` filters rows before they are grouped. To leave out groups, use `HAVING`, after `GROUP BY`.",
    ),
    solution=RIDES_SOLUTION,
    why=(
        "A session's end includes the gap, because only after the gap is it known that the session is over. So a ride "
        "of a live stream is emitted at least eight minutes of event time after its last tap, plus the delay of the "
        "watermark."
    ),
    check=check_rides,
    hidden=(
        HiddenTest(
            _taps,
            ("rides_vw",),
            says="Your cell was run on other taps: breaks of just under and of exactly eight minutes, and a late tap.",
        ),
    ),
    wrong=(
        WrongAnswer(RIDES_SOLUTION.replace("HAVING count(*) > 1\n", ""), "Rides of a single tap"),
        WrongAnswer(RIDES_SOLUTION.replace("max(event_time)", "session_window.end"), "not the time of the last tap"),
        WrongAnswer(RIDES_SOLUTION.replace("'8 minutes'", "'5 minutes'"), "a gap of five minutes"),
        WrongAnswer(RIDES_SOLUTION.replace("FROM taps_vw", "FROM all_taps"), "does not read a stream"),
        WrongAnswer(RIDES_SOLUTION.replace("session_window", "window"), "`rides_vw`"),
        WrongAnswer(
            RIDES_SOLUTION.replace("SELECT tram,\n       ", "SELECT ").replace("GROUP BY tram, ", "GROUP BY "),
            "Global aggregation",
        ),
    ),
    makes=Makes(views=("rides_vw",)),
)

# ------------------------------------------------------------------------------------ 09.2 a delay that you can defend

DELAY_STARTER = """
DA.exercise("09.2")  # removes what an earlier attempt created

counted = None  # the stream into payments_by_window, with your delay

first_rows_lost = None  # of the rows in late_rows(counted): how many are the first of their transaction_id?
"""

DELAY_SOLUTION = """
DA.exercise("09.2")  # removes what an earlier attempt created

counted = (spark.readStream
    .schema(payment)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .withWatermark("event_time", "90 minutes")
    .groupBy("country", F.window("event_time", "10 minutes"))
    .agg(F.count("*").alias("payments"))
    .select("country", F.col("window.start").alias("begins"), "payments")
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/payments_by_window")
    .trigger(availableNow=True)
    .toTable("payments_by_window"))
counted.awaitTermination()

first = spark.sql("SELECT transaction_id, min(received_at) AS received_at FROM payments_vw GROUP BY transaction_id")
lost = late_rows(counted).select("row.transaction_id", "row.received_at")
first_rows_lost = lost.join(first, ["transaction_id", "received_at"]).count()
"""

_DELAY = 90  # minutes: the latest first row arrives 89.5 minutes after its payment


def check_delay(attempt: Attempt) -> None:
    """Look at the delay before the rows, which another delay changes, then at how it is defended."""
    stream = attempt.stream("counted")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    made = attempt.table("payments_by_window")
    landed = attempt.view("payments_vw")
    attempt.must_have_read(stream, landed.count())
    _must_wait_long_enough(_delay_of(attempt.value("counted"), landed))
    files = attempt.rows_of_files(attempt.spark.read.text(attempt.paths.landing))
    if len(stream.rows_read) < len(files):
        raise Mistake("A batch has read more than one file. Set `maxFilesPerTrigger` to 1.")
    attempt.compare(made, attempt.rows_of_stream(_counts(attempt)), "payments_by_window")
    attempt.must_have_checkpoint(stream, "payments_by_window")
    lost = attempt.value("first_rows_lost")
    if lost != 0:
        raise Mistake(
            f"`first_rows_lost` is {lost}, but none of the dropped rows is the first of its payment. Compare "
            "transaction and `received_at` of each row in `late_rows(counted)` with its payment's first `received_at`."
        )


def _delay_of(query: Any, landed: DataFrame) -> float:
    """Return the minutes between the newest event time and the last watermark."""
    from pyspark.sql import functions as F

    reports = [report for report in query.recentProgress if report["eventTime"].get("watermark")]
    if not reports:
        raise Mistake("Your stream has no watermark. Set one on `event_time` before the `groupBy`.")
    watermark = max(datetime.fromisoformat(report["eventTime"]["watermark"]) for report in reports)
    newest = landed.agg(F.unix_millis(F.max("event_time"))).first()[0] / 1000
    return round((newest - watermark.timestamp()) / 60, 1)


def _must_wait_long_enough(minutes: float) -> None:
    if minutes < _DELAY:
        raise Mistake(
            f"Your delay is {minutes:g} minutes, and the first row of some payment arrived later than that. A row "
            "that is later than the delay may be dropped: whether it is depends on the batches."
        )
    if minutes > _DELAY:
        raise Mistake(
            f"Your delay is {minutes:g} minutes. No payment's first row is so late: every result waits longer than it "
            "must."
        )


def _counts(attempt: Attempt) -> DataFrame:
    from pyspark.sql import functions as F

    source = attempt.spark.readStream.schema(attempt.value("payment")).option("maxFilesPerTrigger", 1)
    payments = source.json(attempt.paths.landing).withWatermark("event_time", f"{_DELAY} minutes")
    counts = payments.groupBy("country", F.window("event_time", "10 minutes")).agg(F.count("*").alias("payments"))
    return counts.select("country", F.col("window.start").alias("begins"), "payments")


_PAYMENT = (
    "transaction_id STRING, card_id INT, amount DOUBLE, country STRING, event_time TIMESTAMP, received_at TIMESTAMP"
)


def _payments(sandbox: Sandbox) -> None:
    """Land payments that are 85 minutes late, end a window to the second, come again, or lose their first row."""
    _land(sandbox, "a", ("t1", "08:00:00", "08:00:05"), ("t2", "09:59:59", "10:00:00"), ("t3", "10:00:00", "10:00:01"))
    _land(sandbox, "b", ("t4", "08:35:00", "10:00:30"), ("t1", "08:00:00", "10:10:00"), ("t5", "11:30:00", "11:30:01"))
    # The rows of file c are late by 8:30, the watermark of the batch before: a repetition and two first rows are lost.
    _land(
        sandbox, "c",
        ("t1", "08:00:00", "11:40:00"), ("t4", "08:35:00", "11:41:00"), ("t2", "09:49:59", "11:42:00"),
        ("t6", "12:00:00", "12:00:00"), ("t7", "08:15:00", "11:43:00"), ("t8", "08:25:00", "11:44:00"),
    )  # fmt: skip
    sandbox.keep(payment=_PAYMENT, late_rows=late_rows)
    landed = sandbox.spark.read.schema(_PAYMENT).json(sandbox.paths.landing)
    landed.createOrReplaceTempView("payments_vw")


def _first_rows_lost(sandbox: Sandbox) -> DataFrame:
    return sandbox.frame([(int(sandbox.value("first_rows_lost")),)], "first_rows_lost INT")


def _land(sandbox: Sandbox, name: str, *payments: tuple[str, str, str]) -> None:
    rows = [
        {"transaction_id": transaction, "card_id": 1, "amount": 1.0, "country": "PT"}
        | {"event_time": f"2024-03-05T{made}Z", "received_at": f"2024-03-05T{received}Z"}
        for transaction, made, received in payments
    ]
    sandbox.file(f"card-{name}.json", rows)


DELAY = Exercise(
    id="09.2",
    title="A delay that you can defend",
    starter=DELAY_STARTER,
    hints=(
        "The last query above has measured it: of the first rows of each payment, how late is the latest? "
        "Round up to a quarter of an hour.",
        'Chain: `readStream` with `payment` and one file per batch, `withWatermark("event_time", ...)`, '
        '`groupBy("country", F.window("event_time", "10 minutes"))`, the count, the three columns, `writeStream` in '
        "append mode.",
        "`late_rows(counted)` has the dropped rows in its column `row`. A row is the first of its payment if its "
        "`received_at` is the smallest of its `transaction_id`; join both.",
    ),
    solution=DELAY_SOLUTION,
    why=(
        "The latest first row arrived 89.5 minutes after its payment, so 90 minutes guarantee that none is lost. With "
        "a shorter delay it may still be counted, if the batches happen to be large: that is luck. The rows that are "
        "dropped are repetitions, hours late, and nobody misses them. So the results are 90 minutes old instead of "
        "five hours."
    ),
    check=check_delay,
    hidden=(
        HiddenTest(
            _payments,
            ("payments_by_window", _first_rows_lost),
            says="Your cell was run on other payments: one is 85 minutes late, and the first rows of two are dropped.",
        ),
    ),
    wrong=(
        WrongAnswer(DELAY_SOLUTION.replace('"90 minutes"', '"75 minutes"'), "arrived later than that"),
        WrongAnswer(DELAY_SOLUTION.replace('"90 minutes"', '"5 hours"'), "waits longer than it must"),
        WrongAnswer(DELAY_SOLUTION.replace('    .withWatermark("event_time", "90 minutes")\n', ""), "raised an error"),
        WrongAnswer(
            DELAY_SOLUTION.replace('lost.join(first, ["transaction_id", "received_at"]).count()', "lost.count()"),
            "`first_rows_lost` is",
        ),
        WrongAnswer(DELAY_SOLUTION[: DELAY_SOLUTION.index("first = ")] + "first_rows_lost = 0\n", "first_rows_lost"),
        WrongAnswer(DELAY_SOLUTION.replace('    .option("maxFilesPerTrigger", 1)\n', ""), "more than one file"),
        WrongAnswer(
            DELAY_SOLUTION.replace('groupBy("country", ', "groupBy(").replace('"country", F.col', "F.col"),
            "the column `country` is missing",
        ),
    ),
    makes=Makes(
        variables=("counted", "first_rows_lost"),
        tables=("payments_by_window",),
        folders=("checkpoints/payments_by_window",),
    ),
)

EXERCISES = (RIDES, DELAY)
