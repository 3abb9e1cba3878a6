"""Exercises of lesson 10: a deduplication that survives a replay, and a join that emits its last row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_ENDS = "The query must stop after it has processed the available data: use `.trigger(availableNow=True)`."

# ------------------------------------------------------------------------------------------ 10.1 once, whatever happens

SETTLED_STARTER = '''
DA.exercise("10.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS settled (transaction_id STRING, card_id INT, amount DOUBLE,
    event_time TIMESTAMP, received_at TIMESTAMP)""")


def settle(batch, batch_id):
    ...  # write the batch into settled here


settling = None  # the stream that calls settle
'''

SETTLED_SOLUTION = '''
DA.exercise("10.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS settled (transaction_id STRING, card_id INT, amount DOUBLE,
    event_time TIMESTAMP, received_at TIMESTAMP)""")


def settle(batch, batch_id):
    (batch
        .groupBy("transaction_id", "card_id", "amount", "event_time")
        .agg(F.min("received_at").alias("received_at"))
        .createOrReplaceTempView("first_of_batch"))
    batch.sparkSession.sql("""
        MERGE INTO settled USING first_of_batch AS new ON settled.transaction_id = new.transaction_id
        WHEN NOT MATCHED THEN INSERT *""")


settling = (transactions
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/settled")
    .foreachBatch(settle)
    .trigger(availableNow=True)
    .start())
settling.awaitTermination()
'''


def check_settled(attempt: Attempt) -> None:
    """Tell duplicates of one batch from those of two, and a wrong time from a wrong row."""
    stream = attempt.stream("settling")
    attempt.wait_for_end(stream, _ENDS, 60)
    made = attempt.table("settled")
    landed = attempt.spark.read.schema(planted.PAYMENT).json(attempt.paths.landing)
    attempt.must_have_read(stream, landed.count())
    _must_be_once(made, landed)
    right = _first_of(landed)
    if attempt.is_same(made.drop("received_at"), right.drop("received_at")) and not attempt.is_same(made, right):
        raise Mistake(
            "Each transaction is there once, but `received_at` is not always the first one. `dropDuplicates` keeps any "
            "row of an id: group instead, and take the smallest `received_at`."
        )
    attempt.compare(made, right, "settled")
    attempt.must_have_checkpoint(stream, "settled")


def _must_be_once(made: DataFrame, landed: DataFrame) -> None:
    from pyspark.sql import functions as F

    counted = made.groupBy("transaction_id").count().where("count > 1")
    doubles = counted.count()
    if not doubles:
        return
    per_file = landed.groupBy("transaction_id", "_metadata.file_name").count()
    in_one_file = per_file.groupBy("transaction_id").agg(F.max("count").alias("most")).where("most > 1")
    if not counted.join(in_one_file, "transaction_id", "left_anti").count():
        raise Mistake(
            f"{doubles:,} transactions are there more than once: those whose rows were in one batch. `MERGE` does not "
            "compare the rows of a batch with each other, so remove the batch's duplicates first."
        )
    raise Mistake(f"{doubles:,} transactions are there more than once. Insert only those that the table does not have.")


def _first_of(landed: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    keys = ("transaction_id", "card_id", "amount", "event_time")
    return landed.groupBy(*keys).agg(F.min("received_at").alias("received_at"))


def _payments(sandbox: Sandbox) -> None:
    """Land an id three times in one file, the first one received last in it, and again in the next file."""
    _land(sandbox, "a", ("t1", 3), ("t1", 1), ("t2", 2), ("t1", 2))
    _land(sandbox, "b", ("t2", 9), ("t3", 8), ("t3", 7))
    sandbox.keep(transactions=_stream(sandbox), TRANSACTION=planted.PAYMENT)
    sandbox.view("arrived_vw", sandbox.spark.read.schema(planted.PAYMENT).json(sandbox.paths.landing))


def _stream(sandbox: Sandbox) -> DataFrame:
    source = sandbox.spark.readStream.schema(planted.PAYMENT).option("maxFilesPerTrigger", 1)
    return source.json(sandbox.paths.landing)


def _sent_again(sandbox: Sandbox) -> None:
    """Land a file with an id of a file before, and with a new one twice."""
    _land(sandbox, "c", ("t1", 30), ("t4", 21), ("t4", 20), ("t3", 22))


def _land(sandbox: Sandbox, name: str, *payments: tuple[str, int]) -> None:
    rows = [
        {"transaction_id": transaction, "card_id": 1, "amount": 2.5, "merchant": "Corner", "category": "fuel"}
        | {"country": "PT", "event_time": "2024-03-05T08:00:00Z", "received_at": f"2024-03-05T08:{minute:02}:00Z"}
        for transaction, minute in payments
    ]
    sandbox.file(f"card-{name}.json", rows)


SETTLED = Exercise(
    id="10.1",
    title="Once, whatever happens",
    starter=SETTLED_STARTER,
    hints=(
        "First make the batch's rows unique: one per transaction, with the smallest `received_at`.",
        '`groupBy` the columns that are equal in all rows of a transaction, and aggregate `F.min("received_at")` with '
        "the alias `received_at`. Then make it a temporary view, so that SQL can read it.",
        "The `MERGE` is that of the section above, with your view as its source. It must run in the session of the "
        "batch: `batch.sparkSession.sql(...)`.",
    ),
    solution=SETTLED_SOLUTION,
    why=(
        "Two steps remove duplicates: grouping removes those of one batch, the insert-only `MERGE` those of different "
        "batches. The table itself is the memory, so neither a replayed batch nor a lost checkpoint changes it. As "
        "files are read in the order in which they arrived, the row that is inserted first was also received first."
    ),
    check=check_settled,
    hidden=(
        HiddenTest(
            _payments,
            ("settled",),
            later=(_sent_again, planted.crash_before_commit, planted.lose_checkpoints),
            says="Your cell was run on other payments, again after a crash, and again with its checkpoint deleted.",
        ),
    ),
    wrong=(
        WrongAnswer(
            SETTLED_SOLUTION.replace(
                '"event_time")\n        .agg(F.min("received_at").alias("received_at"))',
                '"event_time", "received_at").agg(F.lit(1).alias("one")).drop("one")',
            ),
            "those whose rows were in one batch",
        ),
        WrongAnswer(
            SETTLED_SOLUTION.replace(
                '    batch.sparkSession.sql("""\n        MERGE INTO settled USING first_of_batch AS new ON '
                'settled.transaction_id = new.transaction_id\n        WHEN NOT MATCHED THEN INSERT *""")',
                '    batch.sparkSession.sql("INSERT INTO settled SELECT * FROM first_of_batch")',
            ),
            "Insert only those that the table does not have",
        ),
        WrongAnswer(SETTLED_SOLUTION.replace("F.min(", "F.max("), "is not always the first one"),
        WrongAnswer(
            SETTLED_SOLUTION.replace("WHEN NOT MATCHED", "WHEN MATCHED THEN UPDATE SET *\n        WHEN NOT MATCHED"),
            "is not always the first one",
        ),
        WrongAnswer(SETTLED_SOLUTION.replace("checkpoints}/settled", "checkpoints}/new"), "`settled` was asked for"),
    ),
    makes=Makes(variables=("settling",), tables=("settled",), folders=("checkpoints/settled",), by_starter=True),
)

# --------------------------------------------------------------------------------------- 10.2 the last order of the day

CLOSING_STARTER = """
DA.exercise("10.2")  # removes what an earlier attempt created

closing = None  # the stream into the table closing

# spark.sql("CREATE OR REPLACE TEMP VIEW unpaid_vw AS SELECT ...")
"""

CLOSING_SOLUTION = """
DA.exercise("10.2")  # removes what an earlier attempt created

order_beats = spark.readStream.table("heartbeats").selectExpr("concat('no order ', beat_at) AS order_id", "beat_at")
ordered_or_beat = orders.union(order_beats).withWatermark("ordered_at", "10 minutes")

closing = (ordered_or_beat
    .join(paid_or_beat, is_its_payment, "left")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/closing")
    .trigger(availableNow=True)
    .toTable("closing"))
closing.awaitTermination()

spark.sql(\"\"\"
    CREATE OR REPLACE TEMP VIEW unpaid_vw AS
    SELECT order_id, ordered_at FROM closing WHERE order_id NOT LIKE 'no order %' AND paid_at IS NULL
    \"\"\")
"""


def check_closing(attempt: Attempt) -> None:
    """Look at the view, and name what holds the last order back, what loses payments, and what reads it wrongly."""
    stream = attempt.stream("closing")
    attempt.wait_for_end(stream, _ENDS, 60)
    attempt.table("closing")
    attempt.must_have_checkpoint(stream, "closing")
    made = attempt.view("unpaid_vw")
    if made.isStreaming:
        raise Mistake("`unpaid_vw` reads a stream. Select from the table `closing`.")
    right = _unpaid(attempt)
    if "order_id" in made.columns and made.where("order_id IS NULL OR order_id NOT RLIKE '^[A-Z]$'").count():
        raise Mistake("A heartbeat is in `unpaid_vw`, a row that is no order. Filter it out when you read the table.")
    if attempt.is_same(made, right.where("order_id != 'E'")):
        raise Mistake(
            "Order E is still in state: the lower of the two watermarks has not passed 11:10. Unite heartbeats with "
            "the orders and with the payments, before their watermarks, and do not filter them out within the stream: "
            "Spark moves such a filter below the watermark, and time does not advance."
        )
    attempt.compare(made, right, "unpaid_vw")
    if attempt.table("closing").where("order_id NOT RLIKE '^[A-Z]$|[0-9]'").count():
        raise Mistake(
            "The heartbeats have a constant as their id. In a batch without orders, Spark then knows the id of all "
            "rows, and reads no payment of any other. Make the id from the heartbeat's time."
        )


def _unpaid(attempt: Attempt) -> DataFrame:
    from pyspark.sql import functions as F

    orders, payments = attempt.spark.table("orders"), attempt.spark.table("payments")
    unpaid = orders.join(payments, _is_paid_by(), "left_anti")
    newest = attempt.spark.table("heartbeats").agg(F.max("beat_at")).first()[0]
    is_final = F.col("ordered_at") + F.expr("INTERVAL 40 MINUTES") <= F.lit(newest)  # 30, and the watermark's delay
    return unpaid.where(is_final).select("order_id", "ordered_at")


def _is_paid_by() -> Column:
    from pyspark.sql import functions as F

    return F.expr("paid_order = order_id AND paid_at BETWEEN ordered_at AND ordered_at + INTERVAL 30 MINUTES")


def _a_day(sandbox: Sandbox) -> None:
    """Give payments at the last second, after it, and before their order; a last order that only heartbeats emit."""
    _orders(sandbox, ("X", "08:00:00"), ("Y", "08:10:00"), ("Z", "08:20:00"), ("W", "08:30:00"), ("V", "09:00:00"))
    _at(
        sandbox,
        "payments",
        "paid_order STRING, paid_at TIMESTAMP",
        ("Y", "08:40:00"),
        ("Z", "08:50:01"),
        ("W", "08:29:59"),
    )
    _beat(sandbox, "09:45:00")
    beats = sandbox.stream("heartbeats").selectExpr("concat('beat ', beat_at) AS paid_order", "beat_at AS paid_at")
    orders, payments = sandbox.stream("orders"), sandbox.stream("payments")
    sandbox.keep(
        orders=orders,
        payments=payments,
        beats=beats,
        ordered=orders.withWatermark("ordered_at", "10 minutes"),
        paid=payments.withWatermark("paid_at", "10 minutes"),
        paid_or_beat=payments.union(beats).withWatermark("paid_at", "10 minutes"),
        is_its_payment=_is_paid_by(),
    )


def _next_order(sandbox: Sandbox) -> None:
    """Place orders that can still be paid when the next heartbeat comes; the last two tell its delay."""
    _orders(sandbox, ("U", "09:40:00"), ("T", "09:45:00"), ("V", "09:59:30"), ("X", "10:04:00"))
    _beat(sandbox, "10:00:00")


def _evening(sandbox: Sandbox) -> None:
    """Pay an order nine minutes late, and beat; no order comes, so a constant as an id would hide the payment."""
    _at(sandbox, "payments", "paid_order STRING, paid_at TIMESTAMP", ("T", "09:51:00"))
    _beat(sandbox, "10:40:00")


def _orders(sandbox: Sandbox, *orders: tuple[str, str]) -> None:
    _at(sandbox, "orders", "order_id STRING, ordered_at TIMESTAMP", *orders)


def _beat(sandbox: Sandbox, time: str) -> None:
    rows = sandbox.spark.sql(f"SELECT TIMESTAMP '2024-03-05 {time}' AS beat_at")
    rows.write.format("delta").mode("append").saveAsTable("heartbeats")


def _at(sandbox: Sandbox, table: str, schema: str, *rows: tuple[str, str]) -> None:
    from datetime import UTC, datetime

    at = [(name, datetime.fromisoformat(f"2024-03-05 {time}").replace(tzinfo=UTC)) for name, time in rows]
    sandbox.append(table, at, schema)


CLOSING = Exercise(
    id="10.2",
    title="The last order of the day",
    starter=CLOSING_STARTER,
    hints=(
        "Unite the orders with the heartbeats, as was done with the payments, and set the watermark on the result. For "
        "the payments, `paid_or_beat` is there.",
        "A heartbeat among the orders is an order that nobody pays: the join emits it one day, like any other. Give it "
        "an id by which you can tell it, and which is made from its time, as the payments' heartbeats have it.",
        "Do not filter heartbeats out within the stream. Let the table `closing` have them, and leave them out in the "
        "view.",
    ),
    solution=CLOSING_SOLUTION,
    why=(
        "The query uses the lower of the two watermarks, so both streams need heartbeats. An outer join keeps all rows "
        "of the left side, heartbeats too. If the filter stood in the stream, Spark would move it below the watermark: "
        "the heartbeats would be gone before the watermark sees them, and order E would wait again. A constant as "
        "their id would be worse: in a batch without orders, Spark would know that all ids are this one, and would "
        "read no payment of another."
    ),
    check=check_closing,
    hidden=(
        HiddenTest(
            _a_day,
            ("unpaid_vw",),
            later=(_next_order, planted.crash_before_commit, _evening),
            says="Your cell was run on the orders of another day, again after more of them, and after a payment and a "
            "heartbeat without an order.",
        ),
    ),
    wrong=(
        WrongAnswer(
            CLOSING_SOLUTION.replace("(ordered_or_beat\n", "(ordered\n"),
            "Order E is still in state",
        ),
        WrongAnswer(
            CLOSING_SOLUTION.replace(
                '    .join(paid_or_beat, is_its_payment, "left")\n',
                '    .join(paid_or_beat, is_its_payment, "left")\n    .where("order_id NOT LIKE \'no order %\'")\n',
            ),
            "Order E is still in state",
        ),
        WrongAnswer(
            CLOSING_SOLUTION.replace("order_id NOT LIKE 'no order %' AND ", ""), "A heartbeat is in `unpaid_vw`"
        ),
        WrongAnswer(CLOSING_SOLUTION.replace("concat('no order ', beat_at)", "'no order '"), "a constant as their id"),
        WrongAnswer(CLOSING_SOLUTION.replace(" AND paid_at IS NULL", ""), "`unpaid_vw`"),
        WrongAnswer(CLOSING_SOLUTION.replace('"left")', '"inner")'), "`unpaid_vw`"),
        WrongAnswer(CLOSING_SOLUTION.replace("checkpoints}/closing", "checkpoints}/other"), "`closing` was asked for"),
    ),
    makes=Makes(variables=("closing",), tables=("closing",), views=("unpaid_vw",), folders=("checkpoints/closing",)),
)

EXERCISES = (SETTLED, CLOSING)
