"""Exercises of lesson 06: read updates, write what is final, merge what has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, MadeStream, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

# -------------------------------------------------------------------------------------- 06.1 the result, from updates

LATEST_STARTER = """
%sql
DROP VIEW IF EXISTS latest_vw;
-- CREATE TEMP VIEW latest_vw AS
-- SELECT ...
"""

LATEST_SOLUTION = """
%sql
DROP VIEW IF EXISTS latest_vw;
CREATE TEMP VIEW latest_vw AS
SELECT device_id, max_by(faulty, batch) AS faulty
FROM received
WHERE mode = 'update'
GROUP BY device_id
"""


def check_latest(attempt: Attempt) -> None:
    """Compare with what complete mode has handed over last, which is the result; first with what people take for it."""
    from pyspark.sql import functions as F

    view = attempt.view("latest_vw")
    updates, repeated = (
        attempt.spark.table("received").where(F.col("mode") == mode) for mode in ("update", "complete")
    )
    if attempt.is_same(view, updates.select("device_id", "faulty")):
        raise Mistake(
            "These are all updates, including those that a later one has replaced. For one row per device, use "
            "`GROUP BY device_id`."
        )
    if attempt.is_same(view, _of_batch(updates, F.max("batch"))):
        raise Mistake(
            "This is only the last batch. Devices whose count did not change in it are missing: take the last row of "
            "each device, whichever batch emitted it."
        )
    mistakes = {
        "Your view counts readings more than once: an update replaces the previous one. Do not add them.": F.sum(
            "faulty"
        ),
        "These are the rows that came first for each device. Take the rows that came last.": (
            F.min_by("faulty", "batch")
        ),
    }
    for sentence, chosen in mistakes.items():
        if attempt.is_same(view, updates.groupBy("device_id").agg(chosen.alias("faulty"))):
            raise Mistake(sentence)
    attempt.compare(view, _of_batch(repeated, F.max("batch")), "latest_vw")


def _of_batch(received: DataFrame, which) -> DataFrame:
    batch = received.agg(which).first()[0]
    return received.where(received["batch"] == batch).select("device_id", "faulty")


def _diary(sandbox: Sandbox) -> None:
    """Plant updates in the wrong order, two devices in one batch, and other counts in modes other than `update`."""
    rows = [
        ("update", 3, 31, 50),
        ("update", 4, 31, 58),
        ("update", 4, 32, 8),
        ("update", 11, 33, 2),
        ("update", 9, 33, 1),
        ("complete", 12, 31, 99),
        ("complete", 12, 32, 99),
        ("append", 13, 31, 98),
        ("updated", 14, 31, 97),
    ]
    schema = "mode STRING, batch BIGINT, device_id INT, faulty BIGINT"
    sandbox.append("received", [(mode, batch, device, count) for mode, batch, device, count in rows], schema)


LATEST = Exercise(
    id="06.1",
    title="The result, from its updates",
    starter=LATEST_STARTER,
    hints=(
        "Of the rows in update mode, keep one per `device_id`: the one with the highest `batch`.",
        "`max_by(faulty, batch)` is the value of `faulty` in the row where `batch` is highest.",
        "`GROUP BY device_id`, because an update replaces the device's previous row; and only the rows "
        "`WHERE mode = 'update'`, because the table has those of complete mode, too.",
    ),
    solution=LATEST_SOLUTION,
    why=(
        "In update mode a row replaces the previous row with the same key, so the last row per key is the result. A "
        "consumer of updates must know the key, and must not add the rows up. (These counts only grow, so "
        "`max(faulty)` gives the same result here. It would be wrong for a result that can decrease.)"
    ),
    check=check_latest,
    hidden=(
        HiddenTest(
            _diary,
            ("latest_vw",),
            says="Your cell was run on other updates: some are out of order, and other modes have other counts.",
        ),
    ),
    wrong=(
        WrongAnswer(
            LATEST_SOLUTION.replace("max_by(faulty, batch) AS faulty", "faulty").replace("GROUP BY device_id\n", ""),
            "These are all updates",
        ),
        WrongAnswer(
            LATEST_SOLUTION.replace("max_by(faulty, batch) AS faulty", "faulty").replace(
                "GROUP BY device_id\n", "AND batch = (SELECT max(batch) FROM received)\n"
            ),
            "only the last batch",
        ),
        WrongAnswer(LATEST_SOLUTION.replace("max_by(faulty, batch)", "sum(faulty)"), "more than once"),
        WrongAnswer(LATEST_SOLUTION.replace("max_by", "min_by"), "came first"),
        WrongAnswer(LATEST_SOLUTION.replace("max_by(faulty, batch)", "count(*)"), "should not be there"),
        WrongAnswer(LATEST_SOLUTION.replace(" AS faulty", ""), "column `faulty` is missing"),
        WrongAnswer(LATEST_SOLUTION.replace("GROUP BY device_id\n", ""), "raised an error"),
    ),
    makes=Makes(views=("latest_vw",)),
)

# ------------------------------------------------------------------------------------------ 06.2 only what is final

FINAL_STARTER = """
DA.exercise("06.2")  # removes what an earlier attempt created

finished = None  # write the stream here: a count for every six hours, each once and final
"""

FINAL_SOLUTION = """
DA.exercise("06.2")  # removes what an earlier attempt created

finished = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "1 hour")
    .groupBy(F.window("event_time", "6 hours"))
    .count()
    .select(F.col("window.start").alias("starts"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/six_hours")
    .trigger(availableNow=True)
    .toTable("six_hours"))
"""


def check_final(attempt: Attempt) -> None:
    """Look at the mode first, and at Spark's refusals, which speak of modes and not of what is missing."""
    _must_not_be_refused(attempt.words_of_error)
    stream = attempt.stream("finished")
    if stream.mode == "complete":
        raise Mistake(
            "Complete mode emits every window in each batch, including the one that is still open. For final "
            "windows, use `append`."
        )
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
    )
    made, bronze = attempt.table("six_hours"), attempt.spark.table("bronze")
    windows = _six_hours(bronze)
    final = windows.where(f"unix_seconds(ends) <= {_newest(bronze)} - 3600").drop("ends")
    if attempt.is_same(made, windows.drop("ends")):
        raise Mistake(
            "`six_hours` includes the last window, whose count can still grow. For final windows, use `append`."
        )
    attempt.must_have_read(stream, bronze.count())
    if made.columns == final.columns and not made.isEmpty() and made.exceptAll(final).isEmpty():
        _must_hold_nothing_back(final.count() - made.count())
    attempt.compare(made, final, "six_hours")
    attempt.must_have_checkpoint(stream, "six_hours")


def _must_not_be_refused(words: str) -> None:
    if "without watermark" in words:
        raise Mistake(
            "Spark rejects the query: without a watermark no window is ever final. Define how late a reading may be "
            'with `.withWatermark("event_time", "1 hour")` before the `groupBy`; the window must be one of that '
            "column."
        )
    if "Update output mode" in words:
        raise Mistake(
            "A Delta table does not accept update mode, and an update is not final. For final windows, use `append`."
        )


def _must_hold_nothing_back(rows: int) -> None:
    if rows:
        raise Mistake(
            f"All rows are right, but {rows} final rows are missing: your watermark waits longer than the required "
            "hour."
        )


def _six_hours(bronze: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    window = F.window(F.timestamp_seconds("time"), "6 hours").alias("window")
    counts = bronze.groupBy(window).agg(F.count("*").alias("readings"))
    return counts.select(F.col("window.start").alias("starts"), "readings", F.col("window.end").alias("ends"))


def _newest(bronze: DataFrame) -> float:
    from pyspark.sql import functions as F

    return bronze.agg(F.max("time")).first()[0]


def _until_just_before_one(sandbox: Sandbox) -> None:
    """Move the watermark to half a minute before noon, where it is an hour behind."""
    planted.readings_at(sandbox, *((1, hour) for hour in (0.5, 5.9, 6.0, 11.0, 12 + 59.5 / 60)))


def _late_but_in_time(sandbox: Sandbox) -> None:
    """Append a late reading whose window is still open, and one whose window is closed."""
    planted.readings_at(sandbox, (1, 11.9))  # its window ends at noon and is still open
    planted.readings_at(sandbox, (1, 1.0))  # its window is closed


def _to_one(sandbox: Sandbox) -> None:
    """Move the watermark to noon exactly, which closes the window that ends there and no other."""
    planted.readings_at(sandbox, (1, 13.0))


FINAL = Exercise(
    id="06.2",
    title="Only what is final",
    starter=FINAL_STARTER,
    hints=(
        'The chain is: `spark.readStream.table("bronze")`, the column `event_time`, the watermark, `groupBy` and '
        "`count`, the two columns, `.writeStream` with mode, checkpoint and trigger.",
        '`.withWatermark("event_time", "1 hour")` and `.groupBy(F.window("event_time", "6 hours"))`; `window.start` '
        "is when a window begins.",
        '`.select(F.col("window.start").alias("starts"), F.col("count").alias("readings"))`, then `.writeStream`, '
        '`.outputMode("append")`, the checkpoint, `.trigger(availableNow=True)` and `.toTable("six_hours")`.',
    ),
    solution=FINAL_SOLUTION,
    why=(
        "A window is final when the watermark, an hour behind the newest reading, has passed its end. So every "
        "window is emitted except the last one, which waits for readings of the next day. `availableNow` runs a last "
        "batch without rows, so the windows that its data closed are emitted in the same run."
    ),
    check=check_final,
    hidden=(
        HiddenTest(
            _until_just_before_one,
            ("six_hours",),
            later=(_late_but_in_time, _to_one),
            says="Your cell was run on other readings: one is late but within the hour, and another one closes its "
            "window.",
        ),
    ),
    wrong=(
        WrongAnswer(FINAL_SOLUTION.replace('    .withWatermark("event_time", "1 hour")\n', ""), "without a watermark"),
        WrongAnswer(FINAL_SOLUTION.replace('"append"', '"complete"'), "the one that is still open"),
        WrongAnswer(FINAL_SOLUTION.replace('"append"', '"update"'), "does not accept update mode"),
        WrongAnswer(FINAL_SOLUTION.replace('"1 hour"', '"1 day"'), "waits longer than the required hour"),
        WrongAnswer(FINAL_SOLUTION.replace('"6 hours"', '"24 hours"'), "should not be there"),
        WrongAnswer(FINAL_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(FINAL_SOLUTION.replace("readStream", "read"), "raised an error"),
        WrongAnswer(FINAL_SOLUTION.replace('alias("starts")', 'alias("from_noon")'), "column `starts` is missing"),
    ),
    makes=Makes(variables=("finished",), tables=("six_hours",), folders=("checkpoints/six_hours",)),
)

# ------------------------------------------------------------------------------------- 06.3 merge what has changed

MERGE_STARTER = """
DA.exercise("06.3")  # removes what an earlier attempt created

# spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    pass  # put the changed rows into device_totals


totals = None  # count by device, and hand each batch to merge_totals
"""

MERGE_SOLUTION = """
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql(\"\"\"
        MERGE INTO device_totals AS old USING changed AS new ON old.device_id = new.device_id
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *\"\"\")


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())
"""
_MERGE = MERGE_SOLUTION[MERGE_SOLUTION.index("    changed.create") : MERGE_SOLUTION.index("\n\n\ntotals")]


def check_merged(attempt: Attempt) -> None:
    """Tell from the table what the function does with a row that is there already."""
    if "without watermark" in attempt.words_of_error:
        raise Mistake(
            "The default output mode is append, but without a watermark a count is never final. To emit changed "
            "rows, use `update`."
        )
    stream = attempt.stream("totals")
    if stream.mode == "complete":
        raise Mistake("Complete mode emits every device in each batch. To emit only changed devices, use `update`.")
    _must_use_its_rows(attempt, stream)
    attempt.wait_for_end(
        stream,
        "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.",
        seconds=60,
    )
    made, bronze = attempt.table("device_totals"), attempt.spark.table("bronze")
    attempt.must_have_read(stream, bronze.count())
    if len(stream.rows_read) < 2:
        raise Mistake(
            "One batch has read everything, so no row had to be updated. Limit a batch to three files: "
            '`.option("maxFilesPerTrigger", 3)` before `.table("bronze")`.'
        )
    right = bronze.groupBy("device_id").count().withColumnRenamed("count", "readings")
    _must_replace(made, right)
    attempt.compare(made, right, "device_totals")
    if "MERGE" not in [row.operation for row in attempt.spark.sql("DESCRIBE HISTORY device_totals").collect()]:
        raise Mistake(
            "The rows are right by chance: each batch replaces the whole table, so a device without readings in the "
            "last batch would be gone. Use `MERGE`."
        )
    attempt.must_have_checkpoint(stream, "device_totals")


def _must_use_its_rows(attempt: Attempt, stream: MadeStream) -> None:
    """Say what a function that ignores its rows has done: nobody asks for the count, so Spark misses its state.

    Spark's own words for it, STATE_STORE_COMMIT_VALIDATION_FAILED, are the cause of an error that says nothing.
    """
    stream.has_ended(min(60.0, attempt.left))
    if "awaitResult" in str(stream.error) and attempt.table("device_totals").isEmpty():
        raise Mistake("`device_totals` is empty: your function does nothing with the rows that it receives.")


def _must_replace(made: DataFrame, right: DataFrame) -> None:
    """Find the two mistakes of a target that is not merged into row by row: rows added, numbers added."""
    if set(made.columns) != set(right.columns):
        return
    rows, devices = made.count(), right.count()
    if rows > devices:
        raise Mistake(
            f"`device_totals` has {rows} rows for {devices} devices. A changed row must replace the existing one: use "
            "`MERGE`, with `ON` the device."
        )
    if _sum(made) > _sum(right):
        raise Mistake(
            "The counts are too high. Your function receives the new total count of a device, not the increase: "
            "replace the old count."
        )


def _sum(counts: DataFrame) -> int:
    return counts.selectExpr("sum(readings)").first()[0] or 0


def _four_files(sandbox: Sandbox) -> None:
    """Append four versions of two readings each, which a limit of three versions reads in two batches."""
    for first in range(0, 8, 2):
        sandbox.append("bronze", planted.FIRST[first : first + 2], planted.READINGS)


def _four_files_more(sandbox: Sandbox) -> None:
    """Append four versions with a new device; a limit of three versions reads twelve readings, then two."""
    for number in range(4):
        sandbox.append("bronze", planted.SECOND[number:], planted.READINGS)


MERGE = Exercise(
    id="06.3",
    title="A table that is always current",
    starter=MERGE_STARTER,
    hints=(
        "`changed` is an ordinary frame with the rows of one batch. The key of `device_totals` is `device_id`: what is "
        "there is updated, what is not is inserted.",
        '`changed.createOrReplaceTempView("changed")` lets SQL see it; '
        '`changed.sparkSession.sql("MERGE INTO device_totals AS old USING changed AS new ON ...")` merges it.',
        'The stream: `.groupBy("device_id").agg(F.count("*").alias("readings"))`, `.writeStream`, '
        '`.outputMode("update")`, the checkpoint, `.foreachBatch(merge_totals)`, the trigger and `.start()`.',
    ),
    solution=MERGE_SOLUTION,
    why=(
        "Update mode emits the devices whose count has changed, each with its new count. `MERGE` finds their rows by "
        "key. A replayed batch sets the same values again, so the function is idempotent."
    ),
    check=check_merged,
    hidden=(
        HiddenTest(
            _four_files,
            ("device_totals", planted.batch_sizes("totals")),
            later=(planted.crash_before_commit, _four_files_more),
            says="Your cell was run on other readings; a device came later, and the last batch was run again after "
            "a crash.",
        ),
    ),
    wrong=(
        WrongAnswer(
            MERGE_SOLUTION.replace(_MERGE, '    changed.write.mode("append").saveAsTable("device_totals")'),
            "rows for 12 devices",
        ),
        WrongAnswer(
            MERGE_SOLUTION.replace(_MERGE, '    changed.write.mode("overwrite").saveAsTable("device_totals")'),
            "right by chance",
        ),
        WrongAnswer(
            MERGE_SOLUTION.replace("UPDATE SET *", "UPDATE SET readings = old.readings + new.readings"), "too high"
        ),
        WrongAnswer(MERGE_SOLUTION.replace('    .outputMode("update")\n', ""), "a count is never final"),
        WrongAnswer(MERGE_SOLUTION.replace('"update"', '"complete"'), "every device in each batch"),
        WrongAnswer(MERGE_SOLUTION.replace(_MERGE, "    pass"), "does nothing with the rows"),
        WrongAnswer(MERGE_SOLUTION.replace('    .option("maxFilesPerTrigger", 3)\n', ""), "One batch has read"),
        WrongAnswer(
            MERGE_SOLUTION.replace('    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")\n', ""),
            "no checkpoint that lasts",
        ),
        WrongAnswer(MERGE_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(
            MERGE_SOLUTION.replace('spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")\n', ""),
            "Your stream has failed",
        ),
    ),
    makes=Makes(variables=("totals",), tables=("device_totals",), folders=("checkpoints/device_totals",)),
)

EXERCISES = (LATEST, FINAL, MERGE)
