"""Exercises of lab 13L: from files to a report in six milestones, and how wrong the naive report is, by cause."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lesson_exercises import parcel_lines, planted
from lesson_exercises.parcel_lines import Line, once

from streaming_base.errors import short_message
from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, NotTried, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_LINES = "value STRING, file_name STRING"
_SILVER = "scan_id STRING, depot_id INT, region STRING, delivered_at TIMESTAMP, fee DECIMAL(8, 2)"
_COLUMNS = ("scan_id", "depot_id", "region", "delivered_at", "fee")
_QUARANTINE = "reason STRING, value STRING, file_name STRING"
_GOLD = "day DATE, region STRING, parcels BIGINT, fees DECIMAL(18, 2)"
_DEPOTS = "depot_id INT, region STRING, listed_on DATE"


def _landed(attempt: Attempt) -> list[Line]:
    """Return the lines that have landed, by arrival."""
    lines = attempt.spark.read.text(attempt.paths.landing).select("value", "_metadata.file_name").collect()
    regions = {row.depot_id: row.region for row in attempt.spark.table("depots").collect()}
    return sorted((parcel_lines.read(*line, regions) for line in lines), key=lambda line: line.file_name)


def _silver(lines: Iterable[Line]) -> list[tuple]:
    return [(line.scan_id, line.depot_id, line.region, line.delivered_at, line.fee) for line in lines]


def _gold(lines: Iterable[Line]) -> list[tuple]:
    return [(*key, *sums) for key, sums in parcel_lines.report(lines).items()]


def _rejected(lines: Iterable[Line]) -> list[tuple]:
    return [(line.reason, line.value, line.file_name) for line in lines if line.reason is not None]


def _frame(attempt: Attempt, rows: list[tuple], schema: str) -> DataFrame:
    return attempt.spark.createDataFrame(rows, schema)


def _must_be_tried(attempt: Attempt, is_there: bool) -> None:
    """Say what the cell has raised, or that it was not tried, if nothing that it makes is there."""
    if is_there:
        return
    if attempt.cell_error is None:
        raise NotTried
    raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")


def _must_end(attempt: Attempt) -> None:
    if attempt.spark.streams.active:
        raise Mistake(
            "A stream is still running. A job ends: give each stream the trigger `availableNow=True`, and wait for it "
            "with `awaitTermination()`."
        )


def _must_have_used(attempt: Attempt, checkpoint: str) -> None:
    """Hold a stream that has ended to the checkpoint that was asked for: the next night goes on with it."""
    if not attempt.paths.exists(f"{attempt.paths.checkpoints}/{checkpoint}/commits"):
        raise Mistake(
            f"There is no checkpoint `{checkpoint}` in `DA.paths.checkpoints`, which was asked for. The stream of the "
            "next night goes on with it."
        )


# --------------------------------------------------------------------------- 13L.1 every line

BRONZE_STARTER = """
DA.exercise("13L.1")  # removes what an earlier attempt created


def bronze():
    ...  # append the lines of new files to bronze_deliveries, and return when all are there


bronze()
"""

BRONZE_SOLUTION = """
DA.exercise("13L.1")  # removes what an earlier attempt created


def bronze():
    lines = (spark.readStream
        .format("cloudFiles")
        .option("cloudFiles.format", "text")
        .load(DA.paths.landing)
        .select("value", "_metadata.file_name"))
    query = (lines.writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/bronze")
        .trigger(availableNow=True)
        .toTable("bronze_deliveries"))
    query.awaitTermination()


bronze()
"""


def check_bronze(attempt: Attempt) -> None:
    """Compare the lines, and say when they are there twice."""
    _must_end(attempt)
    _must_be_tried(attempt, attempt.spark.catalog.tableExists("bronze_deliveries"))
    made = attempt.table("bronze_deliveries")
    landed = [line[:2] for line in _landed(attempt)]
    if (rows := made.count()) > len(landed):
        raise Mistake(
            f"`bronze_deliveries` has {rows:,} rows, and {len(landed):,} lines have landed. Only a stream with a "
            "checkpoint knows which files are new."
        )
    attempt.compare(made, _frame(attempt, landed, _LINES), "bronze_deliveries")
    _must_have_used(attempt, "bronze")


def _first_nights(sandbox: Sandbox) -> None:
    """Land lines that come again, are cut off, empty or blank, or have no fee or no time."""
    _land(sandbox, "2024-03-04", _line("a"), _line("b", fee=None), '{"scan_id":"c","dep')
    _land(sandbox, "2024-03-05", _line("a"), " ", "", _line("d", delivered_at=None))


def _next_night(sandbox: Sandbox) -> None:
    """Land a third night, with a line that is not JSON and a delivery that comes twice."""
    _land(sandbox, "2024-03-06", "<html>", _line("e"), _line("e"))


def _land(sandbox: Sandbox, night: str, *lines: str) -> None:
    path = sandbox.file(f"{night}.json", [])
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _line(scan: str, depot: int = 1, at: str = "2024-03-04T09:00:00Z", **other: object) -> str:
    return json.dumps({"scan_id": scan, "depot_id": depot, "delivered_at": at, "fee": 4.9} | other)


BRONZE = Exercise(
    id="13L.1",
    title="Every line",
    starter=BRONZE_STARTER,
    hints=(
        "Section 2 of lesson 13 has a bronze stream. Which trigger ends when everything has been read?",
        "`cloudFiles` with the format `text` gives the column `value`; the file's name is in `_metadata.file_name`.",
        "Write with a checkpoint, `trigger(availableNow=True)` and `toTable`, and end the function with "
        "`awaitTermination()`.",
    ),
    solution=BRONZE_SOLUTION,
    why=(
        "The stream's checkpoint knows which files it has read, so the function can be called every night. Nothing is "
        "parsed: whatever a depot sends is there, with the night in which it came."
    ),
    check=check_bronze,
    hidden=(
        HiddenTest(
            _first_nights,
            ("bronze_deliveries",),
            later=(_next_night,),
            says="Your cell was run on two other nights, and once more after a third one.",
        ),
    ),
    wrong=(
        WrongAnswer(BRONZE_SOLUTION.replace("checkpoints}/bronze", "checkpoints}/other_bronze"), "which was asked for"),
        WrongAnswer(
            BRONZE_SOLUTION.replace('"text")', '"json")\n        .schema("scan_id STRING, fee DOUBLE")').replace(
                '"value"', '"scan_id", "fee"'
            ),
            "value",
        ),
        WrongAnswer(BRONZE_SOLUTION.replace('"_metadata.file_name"', '"_metadata.file_path"'), "file_name"),
        WrongAnswer(
            """
DA.exercise("13L.1")  # removes what an earlier attempt created


def bronze():
    lines = spark.read.text(DA.paths.landing).select("value", "_metadata.file_name")
    lines.write.mode("append").saveAsTable("bronze_deliveries")


bronze()
""",
            "There is no checkpoint `bronze`",
        ),
        WrongAnswer(
            BRONZE_SOLUTION.replace("    query.awaitTermination()\n", "").replace(
                "        .trigger(availableNow=True)\n", ""
            ),
            "still running",
        ),
        WrongAnswer(
            BRONZE_SOLUTION.replace(
                '.select("value", "_metadata.file_name")',
                '.where("value LIKE \'{%\'").select("value", "_metadata.file_name")',
            ),
            "two other nights",
        ),
    ),
    makes=Makes(tables=("bronze_deliveries",), folders=("checkpoints/bronze",)),
)

# --------------------------------------------------------------------------- 13L.2 a verdict on every line

CHECKED_STARTER = """
DA.exercise("13L.2")  # removes what an earlier attempt created


def checked(lines):
    ...  # return the lines with the columns of a delivery, and with their reason
"""

CHECKED_SOLUTION = '''
DA.exercise("13L.2")  # removes what an earlier attempt created


def checked(lines):
    delivery = "scan_id STRING, depot_id INT, delivered_at TIMESTAMP, fee DECIMAL(8, 2), broken STRING"
    reason = """
        CASE WHEN broken IS NOT NULL OR scan_id IS NULL THEN 'unreadable'
             WHEN delivered_at IS NULL THEN 'no time'
             WHEN fee IS NULL OR fee <= 0 THEN 'bad fee'
             WHEN region IS NULL THEN 'unknown depot' END
    """
    parsed = F.from_json("value", delivery, {"columnNameOfCorruptRecord": "broken"}).alias("parsed")
    return (lines
        .select("value", "file_name", parsed)
        .select("value", "file_name", "parsed.*")
        .join(lines.sparkSession.table("depots").select("depot_id", "region"), "depot_id", "left")
        .withColumn("reason", F.expr(reason))
        .drop("broken"))
'''


def check_checked(attempt: Attempt) -> None:
    """Call the function on what has landed, and compare first the reasons, then the rows that have none."""
    landed = _landed(attempt)
    lines = _frame(attempt, [(line.value, line.file_name) for line in landed], _LINES)
    made = _called(attempt, "checked", lines)
    _must_have(made, ("value", "file_name", "reason", *_COLUMNS))
    if (rows := made.count()) != len(landed):
        raise Mistake(f"`checked` returns {rows:,} rows for {len(landed):,} lines. No line may be lost, none doubled.")
    reasons = [(line.reason, *line[:2]) for line in landed]
    attempt.compare(
        made.select("reason", "value", "file_name"), _frame(attempt, reasons, _QUARANTINE), "what checked returns"
    )
    good = _silver(line for line in landed if line.reason is None)
    attempt.compare(
        made.where("reason IS NULL").select(*_COLUMNS), _frame(attempt, good, _SILVER), "what checked returns"
    )


def _called(attempt: Attempt, name: str, *arguments: object) -> Any:
    """Return what a function of the learner's returns; nothing is no try."""
    function = attempt.value(name)
    try:
        result = function(*arguments)
    except Exception as error:
        raise Mistake(f"`{name}` raised an error: {type(error).__name__}: {short_message(error)}") from None
    if result is None:
        raise NotTried
    return result


def _must_have(frame: DataFrame, columns: Iterable[str]) -> None:
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise Mistake(f"What `checked` returns has no column `{missing[0]}`; it has {', '.join(frame.columns)}.")


def _two_faults(sandbox: Sandbox) -> None:
    """Give lines with two faults, a fee of 0, a depot that is not listed, and an object that says nothing."""
    lines = [
        _line("a"), _line("b", fee=0), _line("c", fee=0.01), _line("d", delivered_at=None, fee=None),
        _line("e", 7, fee=-3), _line("f", 7), _line("g", 2, "2024-03-04T23:59:59Z"), _line("h", None), "", "[]", "{}",
        _line("i", 2)[:-9], _line("i", 2),
    ]  # fmt: skip
    sandbox.append("bronze_deliveries", [(line, "2024-03-04.json") for line in lines], _LINES)
    _list_depots(sandbox)


def _list_depots(sandbox: Sandbox) -> None:
    rows = [(1, "north", date(2024, 3, 4)), (2, "south", date(2024, 3, 4))]
    sandbox.append("depots", rows, _DEPOTS)


def _verdicts(sandbox: Sandbox) -> DataFrame:
    return sandbox.value("checked")(sandbox.spark.table("bronze_deliveries")).select("value", "reason", *_COLUMNS[2:])


_verdicts.__name__ = "what checked returns"

CHECKED = Exercise(
    id="13L.2",
    title="A verdict on every line",
    starter=CHECKED_STARTER,
    hints=(
        "Section 4 of lesson 13: parse the line with `from_json`, join the depots, and compute the reason with `CASE`.",
        "`from_json` can put a line that it cannot parse into a column of its own: declare the column in the schema, "
        "and name it with the option `columnNameOfCorruptRecord`.",
        "The join must keep lines whose depot is not in the list: a `left` join, and `region IS NULL` is a reason. "
        "`fee` may be NULL: then `fee <= 0` is NULL too, and not true.",
    ),
    solution=CHECKED_SOLUTION,
    why=(
        "Each line has exactly one verdict, so every line can be accounted for. The left join keeps a line whose depot "
        "is not known. The order of the `CASE` is part of the contract: a line with two faults has the first one."
    ),
    check=check_checked,
    hidden=(
        HiddenTest(
            _two_faults,
            (_verdicts,),
            says="`checked` was called with other lines: some with two faults, a fee of 0, a line that is not JSON.",
        ),
    ),
    wrong=(
        WrongAnswer(CHECKED_SOLUTION.replace('"depot_id", "left"', '"depot_id"'), "No line may be lost"),
        WrongAnswer(CHECKED_SOLUTION.replace("fee IS NULL OR fee <= 0", "fee <= 0"), "what checked returns"),
        WrongAnswer(CHECKED_SOLUTION.replace("fee <= 0", "fee < 0"), "other lines"),
        WrongAnswer(CHECKED_SOLUTION.replace("DECIMAL(8, 2)", "DOUBLE"), "fee"),
        WrongAnswer(
            CHECKED_SOLUTION.replace("             WHEN delivered_at IS NULL THEN 'no time'\n", "").replace(
                "WHEN region IS NULL", "WHEN delivered_at IS NULL THEN 'no time'\n             WHEN region IS NULL"
            ),
            "other lines",
        ),
    ),
    makes=Makes(variables=("checked",)),
)
CHECKED_DEFINED = planted.functions_of(CHECKED_SOLUTION)

# --------------------------------------------------------------------------- 13L.3 each delivery once

SILVER_STARTER = f'''
DA.exercise("13L.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS silver_deliveries (scan_id STRING, depot_id INT, region STRING,
    delivered_at TIMESTAMP, fee DECIMAL(8, 2))""")
spark.sql("CREATE TABLE IF NOT EXISTS quarantine ({_QUARANTINE})")


def silver():
    ...  # process the new lines of bronze_deliveries, and return when all are done


silver()
'''
_CREATED = SILVER_STARTER.partition("\n\n\ndef silver")[0]

SILVER_SOLUTION = (
    _CREATED
    + '''


def insert_new(deliveries):
    deliveries.dropDuplicates(["scan_id"]).createOrReplaceTempView("new_deliveries")
    deliveries.sparkSession.sql("""
        MERGE INTO silver_deliveries AS old USING new_deliveries AS new ON old.scan_id = new.scan_id
        WHEN NOT MATCHED THEN INSERT (scan_id, depot_id, region, delivered_at, fee)
            VALUES (scan_id, depot_id, region, delivered_at, fee)
    """)


def sort_out(lines, batch_id):
    rows = checked(lines).localCheckpoint()
    insert_new(rows.where("reason IS NULL"))
    (rows.where("reason IS NOT NULL").select("reason", "value", "file_name")
        .write.mode("append").option("txnAppId", "quarantine").option("txnVersion", batch_id).saveAsTable("quarantine"))


def silver():
    query = (spark.readStream.table("bronze_deliveries").writeStream
        .foreachBatch(sort_out)
        .option("checkpointLocation", f"{DA.paths.checkpoints}/silver")
        .trigger(availableNow=True)
        .start())
    query.awaitTermination()


silver()
'''
)


def check_silver(attempt: Attempt) -> None:
    """Account for each line: in silver once, or in the quarantine once."""
    good, bad = attempt.table("silver_deliveries"), attempt.table("quarantine")
    _must_end(attempt)
    _must_be_tried(attempt, bool(good.count() or bad.count()))
    landed = _landed(attempt)
    deliveries = once(landed)
    if (rows := good.count()) > len(deliveries):
        raise Mistake(
            f"`silver_deliveries` has {rows:,} rows for {len(deliveries):,} deliveries: some are there more than once. "
            "The same delivery can come twice in one batch, and again in a later one."
        )
    attempt.compare(good, _frame(attempt, _silver(deliveries), _SILVER), "silver_deliveries")
    waiting = _rejected(landed)
    attempt.compare(bad, _frame(attempt, waiting, _QUARANTINE), "quarantine")
    _must_have_used(attempt, "silver")


def _two_lines_of_one(sandbox: Sandbox) -> None:
    """Plant a delivery twice, a bad line twice, and lines of a second depot and of one that is not listed."""
    _list_depots(sandbox)
    lines = [_line("a"), _line("a"), _line("b", fee=-1), _line("b", fee=-1), _line("c", 7), _line("d", 2)]
    sandbox.append("bronze_deliveries", [(line, "2024-03-04.json") for line in lines], _LINES)


def _sent_again(sandbox: Sandbox) -> None:
    """Plant a night with a delivery and a bad line that came before, and a delivery that is new by its id alone."""
    lines = [_line("a"), _line("e"), _line("b", fee=-1), _line("f", 8)]
    sandbox.append("bronze_deliveries", [(line, "2024-03-05.json") for line in lines], _LINES)


SILVER = Exercise(
    id="13L.3",
    title="Each delivery once",
    starter=SILVER_STARTER,
    hints=(
        "A stream over `bronze_deliveries` with `foreachBatch`: one batch goes to two tables, and may be run again "
        "after a crash. Which writes can be repeated?",
        "Good rows: drop duplicates of `scan_id` within the batch, then a `MERGE` that only inserts: a delivery of an "
        "earlier batch is not inserted again.",
        "Bad lines: an append with the options `txnAppId` and `txnVersion` (the number of the batch), which Delta "
        "skips if it has it already.",
    ),
    solution=SILVER_SOLUTION,
    why=(
        "The insert-only `MERGE` removes repetitions across batches, `dropDuplicates` within one. Both writes can be "
        " repeated: the `MERGE` by its key, the append by the number of its batch. So a crash between them, and the "
        "same batch again, change nothing."
    ),
    check=check_silver,
    hidden=(
        HiddenTest(
            _two_lines_of_one,
            ("silver_deliveries", "quarantine"),
            later=(_sent_again, planted.crash_before_commit),
            above=CHECKED_DEFINED,
            says="Your cell was run on other lines in two nights, a bad one of them twice in a file, and the last "
            "batch again, as after a crash.",
        ),
    ),
    wrong=(
        WrongAnswer(SILVER_SOLUTION.replace("checkpoints}/silver", "checkpoints}/other_silver"), "which was asked for"),
        WrongAnswer(SILVER_SOLUTION.replace('.dropDuplicates(["scan_id"])', ""), "more than once"),
        WrongAnswer(
            SILVER_SOLUTION.replace('.option("txnAppId", "quarantine").option("txnVersion", batch_id)', ""),
            "two nights",
        ),
        WrongAnswer(
            SILVER_SOLUTION.replace(
                "    insert_new(rows",
                '    unique = rows.where("reason IS NULL").dropDuplicates(["scan_id"])\n'
                '    names = spark.table("silver_deliveries").columns\n'
                '    unique.select(names).write.mode("append").saveAsTable("silver_deliveries")\n'
                "    # insert_new(rows",
            ),
            "two nights",
        ),
        WrongAnswer(
            SILVER_SOLUTION.replace(
                SILVER_SOLUTION[SILVER_SOLUTION.index("    (rows.where") : SILVER_SOLUTION.index("\n\n\ndef silver()")],
                '    rows.where("reason IS NOT NULL").dropDuplicates(["value", "file_name"])'
                '.createOrReplaceTempView("bad_lines")\n'
                '    lines.sparkSession.sql("""\n'
                "        MERGE INTO quarantine AS old USING bad_lines AS new\n"
                "        ON old.value = new.value AND old.file_name = new.file_name\n"
                "        WHEN NOT MATCHED THEN INSERT (reason, value, file_name) VALUES (reason, value, file_name)\n"
                '    """)',
            ),
            "twice in a file",
        ),
        WrongAnswer(
            SILVER_SOLUTION.replace('"reason IS NOT NULL"', "\"reason <> 'unknown depot'\""),
            "quarantine",
        ),
        WrongAnswer(
            SILVER_SOLUTION.replace("    query.awaitTermination()\n", "").replace(
                "        .trigger(availableNow=True)\n", ""
            ),
            "still running",
        ),
    ),
    makes=Makes(
        tables=("silver_deliveries", "quarantine"),
        views=("new_deliveries",),
        folders=("checkpoints/silver",),
        by_starter=True,
    ),
)
SILVER_DEFINED = planted.functions_of(SILVER_SOLUTION)

# --------------------------------------------------------------------------- 13L.4 the depots that were not listed

RETRY_STARTER = """
DA.exercise("13L.4")  # removes what an earlier attempt created


def retry():
    ...  # move the lines of depots that are listed now from quarantine to silver_deliveries


retry()
"""

RETRY_SOLUTION = '''
DA.exercise("13L.4")  # removes what an earlier attempt created


def retry():
    waiting = spark.table("quarantine").where("reason = 'unknown depot'").select("value", "file_name")
    known = checked(waiting).where("reason IS NULL").localCheckpoint()
    insert_new(known)
    known.select("value").dropDuplicates().createOrReplaceTempView("known_lines")
    spark.sql("""
        MERGE INTO quarantine AS line USING known_lines AS known ON line.value = known.value
        WHEN MATCHED THEN DELETE
    """)


retry()
'''


def check_retry(attempt: Attempt) -> None:
    """Say where the lines of the new depots are: in both tables, in none, or still waiting."""
    landed = _landed(attempt)
    good, bad = attempt.table("silver_deliveries"), attempt.table("quarantine")
    deliveries = once(landed)
    still = _rejected(landed)
    waits, there = bad.count(), good.count()
    _must_be_tried(attempt, there >= len(deliveries) or 0 < waits <= len(still))
    if there > len(deliveries):
        raise Mistake(
            f"`silver_deliveries` has {there:,} rows for {len(deliveries):,} deliveries: some are there twice."
        )
    if there < len(deliveries):
        raise Mistake(
            f"{len(deliveries) - there} deliveries have left the quarantine and are not in `silver_deliveries`: they "
            "are lost. Insert first, delete afterwards."
        )
    attempt.compare(good, _frame(attempt, _silver(deliveries), _SILVER), "silver_deliveries")
    if waits > len(still):
        raise Mistake(f"{waits - len(still)} lines are in `silver_deliveries`, and still in `quarantine`.")
    attempt.compare(bad, _frame(attempt, still, _QUARANTINE), "quarantine")


def _waiting(sandbox: Sandbox) -> None:
    """Give lines of depots that are listed by now, one twice and one that silver has, and others."""
    _list_depots(sandbox)
    file = "2024-03-04.json"
    _plant(
        sandbox,
        [
            *[("unknown depot", line, file) for line in (_line("a"), _line("a"), _line("b", 2), _line("c", 7))],
            ("bad fee", _line("d", fee=-1), file),
            ("no time", _line("e", delivered_at=None), file),
            ("unknown depot", _line("f", 2), file),
        ],
        [("f", 2, "south", datetime(2024, 3, 4, 9, tzinfo=UTC), Decimal("4.90"))],
    )


def _half_done(sandbox: Sandbox) -> None:
    """Put a line back that was moved, as a crash between the two writes leaves it, and one of a depot listed now."""
    inserted, deleted = (_last_commit(sandbox, table) for table in ("silver_deliveries", "quarantine"))
    sandbox.keep(insert_came_first=inserted <= deleted)
    sandbox.append("depots", [(7, "east", date(2024, 3, 5))], _DEPOTS)
    _plant(sandbox, [("unknown depot", _line("b", 2), "2024-03-04.json")], [])


def _last_commit(sandbox: Sandbox, table: str) -> datetime:
    return sandbox.spark.sql(f"DESCRIBE HISTORY {table}").agg({"timestamp": "max"}).first()[0]


def _lost_by_a_crash(sandbox: Sandbox) -> DataFrame:
    """Return whether a crash between the first run's two writes would have lost lines."""
    return sandbox.frame([(not sandbox.kept["insert_came_first"],)], "lost BOOLEAN")


_lost_by_a_crash.__name__ = "lines that a crash between the two writes loses"


def _plant(sandbox: Sandbox, quarantine: list[tuple], silver: list[tuple]) -> None:
    sandbox.append("quarantine", quarantine, _QUARANTINE)
    sandbox.append("silver_deliveries", silver, _SILVER)


RETRY = Exercise(
    id="13L.4",
    title="The depots that were not listed",
    starter=RETRY_STARTER,
    hints=(
        "No stream is needed: read the lines with the reason `unknown depot` from `quarantine`, and call `checked` on "
        "them once more.",
        "Those without a reason now go to `silver_deliveries` with the same `MERGE` as before; they leave `quarantine` "
        "with a second one.",
        "`MERGE INTO quarantine ... WHEN MATCHED THEN DELETE`, by `value`. Its source must have each line once.",
    ),
    solution=RETRY_SOLUTION,
    why=(
        "The lines pass the same checks as all others. Because the insert comes first and can be repeated, a crash "
        "between the two writes leaves a line in both tables, and the next call puts that right."
    ),
    check=check_retry,
    hidden=(
        HiddenTest(
            _waiting,
            ("silver_deliveries", "quarantine", _lost_by_a_crash),
            later=(_half_done,),
            above=f"{CHECKED_DEFINED}\n\n{SILVER_DEFINED}",
            says="Your cell was run on another quarantine, and again with a line that was only half moved.",
        ),
    ),
    wrong=(
        WrongAnswer(
            RETRY_SOLUTION[: RETRY_SOLUTION.index("    known.select")] + "\n\nretry()\n", "still in `quarantine`"
        ),
        WrongAnswer(RETRY_SOLUTION.replace("    insert_new(known)\n", ""), "they are lost"),
        WrongAnswer(
            RETRY_SOLUTION.replace("    insert_new(known)\n", "").replace(
                '    """)\n\n\nretry()', '    """)\n    insert_new(known)\n\n\nretry()'
            ),
            "a crash between the two writes",
        ),
        WrongAnswer(
            RETRY_SOLUTION[: RETRY_SOLUTION.index("    known.select")]
            + "    spark.sql(\"DELETE FROM quarantine WHERE reason = 'unknown depot'\")\n\n\nretry()\n",
            "quarantine",
        ),
        WrongAnswer(
            RETRY_SOLUTION.replace(
                "    insert_new(known)\n",
                '    names = spark.table("silver_deliveries").columns\n'
                '    known.select(names).write.mode("append").saveAsTable("silver_deliveries")\n',
            ),
            "some are there twice",
        ),
    ),
    makes=Makes(views=("known_lines",), changes=("silver_deliveries", "quarantine")),
)

# --------------------------------------------------------------------------- 13L.5 the report, every night

GOLD_STARTER = f'''
DA.exercise("13L.5")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS gold_deliveries ({_GOLD})
    TBLPROPERTIES (delta.enableChangeDataFeed = true)""")


def gold():
    ...  # update gold_deliveries with the new rows of silver_deliveries, and return


def run_job():
    ...  # one night


run_job()
'''
_GOLD_CREATED = GOLD_STARTER.partition("\n\n\ndef gold")[0]

GOLD_SOLUTION = (
    _GOLD_CREATED
    + '''


def update_report(rows, batch_id):
    rows.createOrReplaceTempView("changed_rows")
    rows.sparkSession.sql("""
        MERGE INTO gold_deliveries AS old USING changed_rows AS new ON old.day = new.day AND old.region = new.region
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
    """)


def gold():
    query = (spark.readStream.table("silver_deliveries")
        .groupBy(F.to_date("delivered_at").alias("day"), "region")
        .agg(F.count("*").alias("parcels"), F.sum("fee").alias("fees"))
        .writeStream
        .foreachBatch(update_report)
        .outputMode("update")
        .option("checkpointLocation", f"{DA.paths.checkpoints}/gold")
        .trigger(availableNow=True)
        .start())
    query.awaitTermination()


def run_job():
    bronze()
    silver()
    retry()
    gold()


run_job()
'''
)


def check_gold(attempt: Attempt) -> None:
    """Follow the lines from bronze to gold, and name the first table that is behind."""
    made = attempt.table("gold_deliveries")
    landed = _landed(attempt)
    _must_end(attempt)
    _must_be_tried(attempt, bool(made.count()))
    if (rows := attempt.table("bronze_deliveries").count()) != len(landed):
        raise Mistake(
            f"`bronze_deliveries` has {rows:,} rows, and {len(landed):,} lines have landed. Does `run_job()` begin "
            "with `bronze()`?"
        )
    deliveries = once(landed)
    if (rows := attempt.table("silver_deliveries").count()) != len(deliveries):
        raise Mistake(
            f"`silver_deliveries` has {rows:,} rows for {len(deliveries):,} deliveries. What must `run_job()` call "
            "after `bronze()`, and in which order?"
        )
    if sum(row.parcels for row in made.collect()) < len(deliveries):
        raise Mistake("`gold_deliveries` lacks deliveries that are in `silver_deliveries`. Is `gold()` called last?")
    attempt.compare(made, _frame(attempt, _gold(deliveries), _GOLD), "gold_deliveries")
    _must_have_used(attempt, "gold")


def _a_night(sandbox: Sandbox) -> None:
    """Land a night with a delivery that comes twice, and one of a depot that is not listed yet."""
    _list_depots(sandbox)
    _plant(sandbox, [], [])
    sandbox.append("bronze_deliveries", [], _LINES)
    _land(sandbox, "2024-03-04", _line("a"), _line("b"), _line("c", 7), _line("d", 2), _line("d", 2))


def _a_late_night(sandbox: Sandbox) -> None:
    """List the depot that was missing; land a delivery of the day before, one that came already, and a new day's."""
    sandbox.keep(_version=_version(sandbox))
    sandbox.append("depots", [(7, "east", date(2024, 3, 5))], _DEPOTS)
    _land(sandbox, "2024-03-05", _line("e"), _line("b"), _line("f", 7, "2024-03-05T10:00:00Z"))


def _version(sandbox: Sandbox) -> int:
    return sandbox.spark.sql("DESCRIBE HISTORY gold_deliveries").agg({"version": "max"}).first()[0]


def _changed_rows(sandbox: Sandbox) -> DataFrame:
    """Return the rows of gold that were written in the second night, by its change feed; none where nothing was."""
    if _version(sandbox) <= sandbox.kept["_version"]:
        return sandbox.spark.createDataFrame([], "day DATE, region STRING")
    feed = sandbox.spark.read.option("readChangeFeed", True).option("startingVersion", sandbox.kept["_version"] + 1)
    return feed.table("gold_deliveries").select("day", "region").distinct()


_changed_rows.__name__ = "the rows of gold_deliveries that the second night has written"

GOLD = Exercise(
    id="13L.5",
    title="The report, every night",
    starter=GOLD_STARTER,
    hints=(
        "`gold` is section 6 of lesson 13: an aggregation over `silver_deliveries` in update mode, and `foreachBatch` "
        "with a `MERGE`.",
        "In update mode a batch has the *new sums* of the rows that have changed: replace the old sums, do not add to "
        "them.",
        "`run_job` calls the functions in the order in which each finds what it needs: `bronze`, `silver`, `retry`, "
        "`gold`.",
    ),
    solution=GOLD_SOLUTION,
    why=(
        "The aggregation's state keeps the sums, so a late delivery corrects the row of its day, and only the rows "
        "that received a delivery are written. `retry` comes before `gold`, so that a depot that was listed today is "
        "in tonight's report."
    ),
    check=check_gold,
    hidden=(
        HiddenTest(
            _a_night,
            ("silver_deliveries", "quarantine", "gold_deliveries", _changed_rows),
            later=(_a_late_night, planted.crash_before_commit),
            above="\n".join(
                planted.functions_of(solution)
                for solution in (BRONZE_SOLUTION, CHECKED_SOLUTION, SILVER_SOLUTION, RETRY_SOLUTION)
            ),
            says="Your job was run for two other nights: a depot is listed late, a delivery arrives late, and the last "
            "batches are run again, as after a crash.",
        ),
    ),
    wrong=(
        # The first of all: after others, the lines are in bronze_deliveries already.
        WrongAnswer(GOLD_SOLUTION.replace("    bronze()\n", ""), "begin with `bronze()`"),
        WrongAnswer(
            GOLD_SOLUTION.replace("    retry()\n    gold()\n", "    gold()\n    retry()\n"), "two other nights"
        ),
        WrongAnswer(
            GOLD_SOLUTION.replace(
                "UPDATE SET *", "UPDATE SET parcels = old.parcels + new.parcels, fees = old.fees + new.fees"
            ),
            "two other nights",
        ),
        WrongAnswer(
            GOLD_SOLUTION[: GOLD_SOLUTION.index("\n\n\ndef update_report")]
            + """


def gold():
    (spark.table("silver_deliveries")
        .groupBy(F.to_date("delivered_at").alias("day"), "region")
        .agg(F.count("*").alias("parcels"), F.sum("fee").alias("fees"))
        .write.mode("overwrite").saveAsTable("gold_deliveries"))
"""
            + GOLD_SOLUTION[GOLD_SOLUTION.index("\n\ndef run_job") :],
            "There is no checkpoint `gold`",
        ),
        WrongAnswer(GOLD_SOLUTION.replace("checkpoints}/gold", "checkpoints}/other_gold"), "which was asked for"),
        WrongAnswer(GOLD_SOLUTION.replace("    bronze()\n", "    # bronze()\n"), "two other nights"),
        WrongAnswer(
            GOLD_SOLUTION.replace('F.to_date("delivered_at")', "F.current_date()"),
            "gold_deliveries",
        ),
    ),
    makes=Makes(tables=("gold_deliveries",), views=("changed_rows",), folders=("checkpoints/gold",), by_starter=True),
)

# --------------------------------------------------------------------------- 13L.6 how wrong the old report is

WRONG_STARTER = """
DA.exercise("13L.6")  # removes what an earlier attempt created

wrong = {"repeats": None, "arrival": None, "waiting": None}  # rows of the report, by cause
"""

WRONG_SOLUTION = """
DA.exercise("13L.6")  # removes what an earlier attempt created

good = (checked(spark.table("bronze_deliveries"))
    .where("reason IS NULL")
    .withColumn("night", F.to_date(F.left("file_name", F.lit(10))))
    .withColumn("day", F.to_date("delivered_at")))
first = good.groupBy("scan_id").agg(F.min_by(F.struct(*good.columns), "night").alias("line")).select("line.*")
in_time = good.join(spark.table("depots").select("depot_id", "listed_on"), "depot_id").where("night >= listed_on")


def wrong_rows(deliveries, day="day"):
    naive = (deliveries
        .groupBy(F.col(day).alias("day"), "region")
        .agg(F.count("*").alias("parcels"), F.sum("fee").alias("fees")))
    report = spark.table("gold_deliveries")
    return report.exceptAll(naive).union(naive.exceptAll(report)).select("day", "region").distinct().count()


wrong = {
    "repeats": wrong_rows(good),
    "arrival": wrong_rows(first, "night"),
    "waiting": wrong_rows(in_time.dropDuplicates(["scan_id"])),
}
"""

_CAUSES = {
    "repeats": "count every line that has no reason, on the day of its `delivered_at`",
    "arrival": "count each delivery once, on the date of the first file that has it",
    "waiting": "count each delivery once, but only lines whose depot was listed in the night in which they arrived",
}


def check_wrong(attempt: Attempt) -> None:
    """Compare every row of gold once more, then the three numbers."""
    said = attempt.value("wrong")
    if not isinstance(said, dict) or set(said) != set(_CAUSES):
        raise Mistake("`wrong` must be a dictionary with the keys `repeats`, `arrival` and `waiting`.")
    if all(number is None for number in said.values()):
        _must_be_tried(attempt, False)
    landed = _landed(attempt)
    right = _gold(once(landed))
    attempt.compare(attempt.table("gold_deliveries"), _frame(attempt, right, _GOLD), "gold_deliveries")
    listed = {row.depot_id: row.listed_on for row in attempt.table("depots").collect()}
    good = [line for line in landed if line.reason is None]
    for cause, number in parcel_lines.wrong_rows(good, listed).items():
        if said[cause] != number:
            raise Mistake(
                f"The number for `{cause}` is another one. To compute the old report with this mistake alone, "
                f"{_CAUSES[cause]}; then count the days and regions of which the row differs, is missing, or is there "
                "in one report only."
            )


def _another_week(sandbox: Sandbox) -> None:
    """Give a delivery in three nights, rows that only one report has, and a depot that is listed in the third night."""
    _list_depots(sandbox)
    sandbox.append("depots", [(7, "east", date(2024, 3, 6))], _DEPOTS)
    other_day = "2024-03-05T08:00:00Z"
    nights = {
        "2024-03-04": [_line("a"), _line("b", 2), _line("c", 7), _line("d", 2), _line("d", 2), _line("x", fee=-1)],
        "2024-03-05": [_line("a"), _line("e", 1, other_day), _line("f", 7, other_day), _line("b", 2)],
        "2024-03-06": [_line("g", 2, other_day), _line("a"), _line("f", 7, other_day)],
    }
    regions = {1: "north", 2: "south", 7: "east"}
    lines = [parcel_lines.read(value, f"{night}.json", regions) for night, values in nights.items() for value in values]
    for night, values in nights.items():
        _land(sandbox, night, *values)
    sandbox.append("bronze_deliveries", [line[:2] for line in lines], _LINES)
    deliveries = once(lines)
    _plant(sandbox, _rejected(lines), _silver(deliveries))
    sandbox.append("gold_deliveries", _gold(deliveries), _GOLD)


def _answer(sandbox: Sandbox) -> DataFrame:
    return sandbox.frame(
        [(cause, int(rows)) for cause, rows in sandbox.value("wrong").items()], "cause STRING, rows INT"
    )


_answer.__name__ = "wrong"

WRONG = Exercise(
    id="13L.6",
    title="How wrong the old report was",
    starter=WRONG_STARTER,
    hints=(
        "`checked(spark.table('bronze_deliveries'))` has every line, with its file. Compute the report three times, "
        "each with one mistake, and compare it with `gold_deliveries`.",
        "Two tables differ where one has a row that the other has not: `exceptAll` in both directions. A row that "
        "differs appears in both, so count days and regions once.",
        "The night is `F.to_date(F.left('file_name', F.lit(10)))`. For `arrival` take each `scan_id`'s first line: "
        "`F.min_by(F.struct(...), 'night')`. For `waiting` join `depots` and keep `night >= listed_on`.",
    ),
    solution=WRONG_SOLUTION,
    why=(
        "Each mistake alone makes other rows wrong, and none raises an error. Few lines are late or repeated, yet "
        "half of the rows are wrong: a sum is wrong if one of its lines is. Only a comparison of every row, in both "
        "directions, shows it."
    ),
    check=check_wrong,
    hidden=(
        HiddenTest(
            _another_week,
            (_answer,),
            above=CHECKED_DEFINED,
            says="Your cell was run on another week, with a delivery that came in three nights.",
        ),
    ),
    wrong=(
        WrongAnswer(WRONG_SOLUTION.replace(".union(naive.exceptAll(report))", ""), "another week"),
        WrongAnswer(WRONG_SOLUTION.replace('.select("day", "region").distinct()', ""), "for `repeats` is another one"),
        WrongAnswer(WRONG_SOLUTION.replace('wrong_rows(first, "night")', 'wrong_rows(good, "night")'), "`arrival`"),
        WrongAnswer(WRONG_SOLUTION.replace("night >= listed_on", "night > listed_on"), "`waiting`"),
        WrongAnswer(
            WRONG_SOLUTION.replace('wrong_rows(in_time.dropDuplicates(["scan_id"]))', "wrong_rows(in_time)"),
            "`waiting`",
        ),
    ),
    makes=Makes(variables=("wrong",)),
)

EXERCISES = (BRONZE, CHECKED, SILVER, RETRY, GOLD, WRONG)
