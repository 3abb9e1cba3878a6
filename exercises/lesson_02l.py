"""Exercises of lab 02L, one story: read a stream, clean it, watch it, write it, stop it and resume it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lesson_exercises import planted

from streaming_base.progress_reports import reports_since, rows_per_batch, rows_read
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

_FIELDS = {"Arrival_Time": "bigint", "Device": "string", "User": "string", "gt": "string"}
_NAMES = {"bigint": "LONG", "string": "STRING"}  # as people write them


def _landed(attempt: Attempt) -> DataFrame:
    schema = ", ".join(f"{field} {kind}" for field, kind in _FIELDS.items())
    return attempt.spark.read.schema(schema).json(attempt.paths.landing)


def _shaped(recordings: DataFrame, arrived_at: str = "timestamp_millis(Arrival_Time)") -> DataFrame:
    return recordings.selectExpr("User AS person", "Device AS device", "gt AS activity", f"{arrived_at} AS arrived_at")


def _clean(attempt: Attempt) -> DataFrame:
    return _shaped(_landed(attempt).where("gt != 'null'"))


# ------------------------------------------------------------------------------------------------------ 02L.1 read it

READ_STARTER = """
DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = None  # the files as a stream

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")
"""

READ_CHAIN = """recordings = (spark.readStream
    .schema("Arrival_Time LONG, Device STRING, User STRING, gt STRING")
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing))

"""
READ_SOLUTION = READ_STARTER.replace("recordings = None  # the files as a stream\n\n", READ_CHAIN)


def check_read(attempt: Attempt) -> None:
    """Look at what `recordings` is, then at its columns, then read it with a stream of the check's own."""
    frame = attempt.value("recordings")
    if hasattr(frame, "runId"):
        raise Mistake("`recordings` is a running query. The exercise asks only for the source: end with `.json(...)`.")
    if type(frame).__name__ == "DataStreamReader":
        raise Mistake("`recordings` does not define where to read: end it with `.json(DA.paths.landing)`.")
    if not hasattr(frame, "isStreaming"):
        raise Mistake(
            f"`recordings` is a {type(frame).__name__}. It must be a streaming DataFrame from `spark.readStream`."
        )
    if not frame.isStreaming:
        raise Mistake(
            "`recordings` is a batch DataFrame and reads only the files that exist now: begin with `spark.readStream`."
        )
    _must_have_fields(dict(frame.dtypes))
    _must_be_one_file_a_batch(_batches_of(attempt, frame), attempt)


def _must_have_fields(kinds: dict[str, str]) -> None:
    for field, right in _FIELDS.items():
        if field not in kinds:
            raise Mistake(
                f"Your schema has no `{field}`. The names must match the fields in the file exactly. You rename the "
                "columns in a later exercise."
            )
        if kinds[field] != right:
            reason = "milliseconds since 1970 are too big for an `INT`" if kinds[field] == "int" else "see the file"
            raise Mistake(f"`{field}` is {kinds[field].upper()} in your schema; it is a `{_NAMES[right]}`: {reason}.")


def _batches_of(attempt: Attempt, frame: DataFrame) -> list[int]:
    """Return how many rows a stream over a frame reads in each of its batches."""
    query = frame.writeStream.format("noop").trigger(availableNow=True).start()
    try:
        stream = MadeStream(query)
        attempt.wait_for_end(stream, "Its source never ends.")
        return stream.rows_read
    finally:
        query.stop()


def _must_be_one_file_a_batch(read: list[int], attempt: Attempt) -> None:
    files = attempt.rows_of_files(_landed(attempt))
    if sum(read) != sum(files):
        raise Mistake(
            f"Your stream reads {sum(read):,} rows, but {sum(files):,} have landed: read the folder `DA.paths.landing`."
        )
    if len(read) == 1 and len(files) > 1:
        raise Mistake(
            "All files are in one batch: the limit is missing. `maxFilesPerTrigger` is an option of the reader: set "
            "it before `.json(...)`."
        )
    if len(read) < len(files):
        raise Mistake(f"{len(files)} files come in {len(read)} batches. The exercise asks for one file per batch.")


_ALL_FIELDS = "Arrival_Time LONG, Creation_Time LONG, Device STRING, Index LONG, Model STRING, User STRING, gt STRING"
_RECORDINGS = "Arrival_Time LONG, Device STRING, User STRING, gt STRING"


def _recording(number: int, activity: str | None = "walk") -> dict[str, object]:
    row = {"Arrival_Time": 1_709_596_800_123 + 61_000 * number, "Creation_Time": 5, "Device": f"phone_{number % 3}"}
    return row | {"Index": number, "Model": "m", "User": "xyz"[number % 2], "gt": activity}


def _three_files(sandbox: Sandbox) -> None:
    """Land files of two, three and four recordings, with fields that the schema must leave out."""
    for number in range(3):
        sandbox.file(f"part-{number}.json", [_recording(number + row) for row in range(number + 2)])


def _batches_read(sandbox: Sandbox) -> DataFrame:
    """Return how many rows a stream over the learner's frame reads in each batch."""

    query = sandbox.value("recordings").writeStream.format("noop").trigger(availableNow=True).start()
    planted.run_out(query)
    return sandbox.frame(list(enumerate(rows_per_batch(query))), "batch INT, rows INT")


READ = Exercise(
    id="02L.1",
    title="Read it",
    starter=READ_STARTER,
    hints=(
        "Four parts: `spark.readStream`, the schema, the limit, and `.json(DA.paths.landing)`.",
        "The schema is text, as in `CREATE TABLE`: a name and a type for each of the four fields. A number of "
        "thirteen digits is a `LONG`.",
        'The limit is `.option("maxFilesPerTrigger", 1)`.',
    ),
    solution=READ_SOLUTION,
    why=(
        "You define the schema because the stream will read files that do not exist yet. Fields that are not in the "
        "schema are not read. The limit is an option of the reader, because the source decides how much data a batch "
        "reads."
    ),
    check=check_read,
    hidden=(HiddenTest(_three_files, ("recordings_vw", _batches_read), says="Your cell was run on other files."),),
    wrong=(
        WrongAnswer(READ_SOLUTION.replace("readStream", "read"), "begin with `spark.readStream`"),
        WrongAnswer(READ_SOLUTION.replace('    .option("maxFilesPerTrigger", 1)\n', ""), "the limit is missing"),
        WrongAnswer(READ_SOLUTION.replace('Trigger", 1', 'Trigger", 2'), "4 files come in 2 batches"),
        WrongAnswer(READ_SOLUTION.replace("Time LONG", "Time INT"), "too big for an `INT`"),
        WrongAnswer(READ_SOLUTION.replace("User STRING", "person STRING"), "has no `User`"),
        WrongAnswer(
            READ_SOLUTION.replace('    .schema("Arrival_Time LONG, Device STRING, User STRING, gt STRING")\n', ""),
            "raised an error",
        ),
        WrongAnswer(
            READ_SOLUTION.replace('    .option("maxFilesPerTrigger", 1)\n    .json(DA.paths.landing)', "").replace(
                'gt STRING")\n', 'gt STRING")'
            ),
            "where to read",
        ),
        WrongAnswer(
            READ_SOLUTION.replace("landing))", 'landing)\n    .writeStream.format("noop").start())'),
            "a running query",
        ),
    ),
    makes=Makes(variables=("recordings",), views=("recordings_vw",)),
)

# ----------------------------------------------------------------------------------------------------- 02L.2 clean it

CLEAN_STARTER = """
%sql
DROP VIEW IF EXISTS activity_vw;
-- CREATE TEMP VIEW activity_vw AS
-- SELECT ...
"""

CLEAN_SOLUTION = """
%sql
DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt AS activity, timestamp_millis(Arrival_Time) AS arrived_at
FROM recordings_vw
WHERE gt != 'null'
"""


def check_clean(attempt: Attempt) -> None:
    """Compare the view, run as a stream, with one query over the files; times as text, for they may be far off."""
    view, right = attempt.view("activity_vw"), _clean(attempt)
    if not view.isStreaming:
        raise Mistake("Your view reads the files that exist now, not the stream: select from `recordings_vw`.")
    kinds = {column.lower(): kind for column, kind in view.dtypes}
    if set(kinds) != set(right.columns):
        attempt.compare(view, right, "activity_vw")  # which compares the columns first
    if kinds["arrived_at"] != "timestamp":
        raise Mistake(
            f"`arrived_at` is a {kinds['arrived_at'].upper()}; it must be a TIMESTAMP: convert it with "
            "`timestamp_millis`."
        )
    made, every = attempt.rows_of_stream(_as_text(view)), _landed(attempt)
    if attempt.is_same(made, _as_text(_shaped(every))):
        raise Mistake(
            "The recordings labelled `null` are still there. The label is the string `'null'`, not a missing value: "
            "compare the column with `'null'`."
        )
    if attempt.is_same(made, _as_text(_shaped(every.where("gt != 'null'"), "timestamp_seconds(Arrival_Time)"))):
        raise Mistake(
            "`arrived_at` is thousands of years ahead: `Arrival_Time` is in milliseconds, not seconds. Use "
            "`timestamp_millis`."
        )
    attempt.compare(made, _as_text(right), "activity_vw")


def _as_text(frame: DataFrame) -> DataFrame:
    return frame.selectExpr("person", "device", "activity", "CAST(arrived_at AS STRING) AS arrived_at")


_PLANTED = (
    (1_709_596_800_123, "phone_0", "x", "walk"),
    (1_709_596_800_999, "phone_1", "y", "null"),
    (1_709_596_801_000, "phone_1", "y", "NULL"),
    (1_709_596_801_001, "phone_2", "y", None),
    (1_709_596_862_500, "phone_2", "z", ""),
    (1_709_596_862_500, "phone_2", "z", "nullify"),
    (1_709_596_862_500, "phone_2", "z", "jump"),
    (1_709_596_862_500, "phone_2", "z", "jump"),
    (None, None, None, "sit"),
)


def _planted_recordings(sandbox: Sandbox) -> None:
    """Plant the labels `null`, `NULL`, NULL, `nullify` and an empty one, a duplicate, and a row without a time."""
    sandbox.append("planted", _PLANTED, _RECORDINGS)
    sandbox.view("recordings_vw", sandbox.stream("planted"))


def _planted_activities(sandbox: Sandbox) -> None:
    """Plant the same recordings as `activity_vw`, unfiltered: a label that is NULL must be counted as one, too."""
    _planted_recordings(sandbox)
    sandbox.view("activity_vw", _shaped(sandbox.stream("planted", maxFilesPerTrigger=1)))


def _more_recordings(sandbox: Sandbox) -> None:
    """Append rows equal to earlier ones: they must be written again, and the earlier ones must not."""
    sandbox.append("planted", _PLANTED[4:], _RECORDINGS)


CLEAN = Exercise(
    id="02L.2",
    title="Clean it, in SQL",
    starter=CLEAN_STARTER,
    hints=(
        "Select from `recordings_vw` as if it were a table, and give each column its new name with `AS`.",
        "`timestamp_millis(Arrival_Time)` converts milliseconds to a timestamp.",
        "The label `null` is a string, so put it in quotation marks: `WHERE gt != 'null'`.",
    ),
    solution=CLEAN_SOLUTION,
    why=(
        "Selecting, renaming, computing and filtering process one row at a time, so all of them work on a stream. "
        "The view holds no rows: it is a query definition that the next steps use."
    ),
    check=check_clean,
    hidden=(
        HiddenTest(
            _planted_recordings,
            ("activity_vw",),
            says="Your cell was run on recordings that you have not seen: other activities, NULL, and an empty string.",
        ),
    ),
    wrong=(
        WrongAnswer(CLEAN_SOLUTION.replace("WHERE gt != 'null'\n", ""), "labelled `null` are still there"),
        WrongAnswer(CLEAN_SOLUTION.replace("!= 'null'", "IS NOT NULL"), "labelled `null` are still there"),
        WrongAnswer(CLEAN_SOLUTION.replace("timestamp_millis", "timestamp_seconds"), "thousands of years ahead"),
        WrongAnswer(CLEAN_SOLUTION.replace("timestamp_millis(Arrival_Time)", "Arrival_Time"), "is a BIGINT"),
        WrongAnswer(CLEAN_SOLUTION.replace("gt AS activity", "gt"), "the column `activity` is missing"),
        WrongAnswer(CLEAN_SOLUTION.replace("gt AS", "gt, gt AS"), "the column `gt` was not asked for"),
        WrongAnswer(CLEAN_SOLUTION.replace("recordings_vw", "json.`${da.paths.landing}`"), "not the stream"),
        WrongAnswer(CLEAN_SOLUTION.replace("recordings_vw", "recordings"), "raised an error"),
    ),
    makes=Makes(views=("activity_vw",)),
)

# ---------------------------------------------------------------------------------------------------- 02L.3 the board

BOARD_STARTER = """
DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = None  # spark.sql("SELECT ...")

if per_activity is not None:
    display(per_activity, streamName="board")
"""

BOARD_QUERY = "SELECT activity, count(*) AS recordings FROM activity_vw GROUP BY activity"
BOARD_SOLUTION = BOARD_STARTER.replace('None  # spark.sql("SELECT ...")', f'spark.sql("{BOARD_QUERY}")')


def check_board(attempt: Attempt) -> None:
    """Compare what the board shows, when it has read all that is there."""
    frame = attempt.value("per_activity")
    if not hasattr(frame, "isStreaming"):
        raise Mistake(f"`per_activity` is a {type(frame).__name__}: pass your query to `spark.sql`.")
    if not frame.isStreaming:
        raise Mistake(
            "`per_activity` is a batch query that is counted only once: select from `activity_vw`, which is a stream."
        )
    attempt.wait_until_idle(_stream_of_board(attempt))
    made = attempt.spark.table("board")
    if "recordings" not in made.columns:
        raise Mistake("The board has no column `recordings`: count with `count(*) AS recordings`.")
    if attempt.is_same(made, _counts(_shaped(_landed(attempt)))):
        raise Mistake("The board counts the label `null` as well: select from `activity_vw`, which filters it out.")
    attempt.compare(made, _counts(_clean(attempt)), "board")


def _stream_of_board(attempt: Attempt) -> MadeStream:
    for query in attempt.spark.streams.active:
        if query.name == "board":
            return MadeStream(query)
    if attempt.cell_error is not None:
        raise Mistake(f"There is no board, because your cell raised an error: {attempt.words_of_error}")
    raise Mistake("No stream named `board` is running: run your cell again, and leave its last two lines as they are.")


def _counts(frame: DataFrame) -> DataFrame:
    return frame.groupBy("activity").count().withColumnRenamed("count", "recordings")


def _board(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows_of(sandbox.value("per_activity"), "complete")


BOARD = Exercise(
    id="02L.3",
    title="Put it on the board",
    starter=BOARD_STARTER,
    hints=(
        "Write the same query as over a table: a `GROUP BY` and a count.",
        f"`{BOARD_QUERY.replace('activity, count(*) AS recordings', '...')}`",
        "The count needs its name: `count(*) AS recordings`.",
    ),
    solution=BOARD_SOLUTION,
    why=(
        "`spark.sql` over a streaming view returns a stream. Spark keeps one count per activity in its state, and "
        "each batch adds to it. The board shows all counts after every batch."
    ),
    check=check_board,
    hidden=(HiddenTest(_planted_activities, (_board,), says="Your cell was run on other activities."),),
    wrong=(
        WrongAnswer(
            BOARD_SOLUTION.replace(BOARD_QUERY, "SELECT activity FROM activity_vw"), "has no column `recordings`"
        ),
        WrongAnswer(BOARD_SOLUTION.replace(" AS recordings", ""), "has no column `recordings`"),
        WrongAnswer(
            BOARD_SOLUTION.replace(
                BOARD_QUERY, "SELECT gt AS activity, count(*) AS recordings FROM recordings_vw GROUP BY gt"
            ),
            "counts the label `null` as well",
        ),
        WrongAnswer(BOARD_SOLUTION.replace("BY activity", "BY activity, person"), "should not be there"),
        WrongAnswer(BOARD_SOLUTION.replace("count(*)", "count(DISTINCT person)"), "raised an error"),
        WrongAnswer(
            BOARD_SOLUTION.replace(
                BOARD_QUERY, "SELECT gt AS activity, count(*) AS recordings FROM json.`{DA.paths.landing}` GROUP BY gt"
            ).replace('sql("', 'sql(f"'),
            "counted only once",
        ),
        WrongAnswer(BOARD_STARTER.replace("None  # spark.sql", '"SELECT ..."  #'), "pass your query to `spark.sql`"),
        WrongAnswer(
            BOARD_SOLUTION
            + '[board] = [query for query in spark.streams.active if query.name == "board"]\nboard.stop()\n',
            "No stream named `board` is running",
        ),
    ),
    makes=Makes(variables=("per_activity",), streams=("board",), views=("board",)),
)

# ---------------------------------------------------------------------------------------------------- 02L.4 the table

LOG_STARTER = """
DA.exercise("02L.4")  # removes what an earlier attempt created

log = None  # write activity_vw to the table, with a name, a trigger and a checkpoint
"""

LOG_SOLUTION = """
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .queryName("activity_to_log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .trigger(processingTime="1 second")
    .toTable("activity_log"))
"""


def check_log(attempt: Attempt) -> None:
    """Look at the query before its rows: a wrong trigger explains a table that is behind."""
    stream = attempt.stream("log")
    attempt.must_not_have_failed(stream)
    _must_look_every_second(stream)
    if stream.query.name != "activity_to_log":
        has = f"is called `{stream.query.name}`" if stream.query.name else "has no name"
        raise Mistake(
            f'Your stream {has}: `.queryName("activity_to_log")` gives it the name that people will look for.'
        )
    attempt.wait_until_idle(stream)
    made, right = attempt.table("activity_log"), _clean(attempt)
    if "gt" in made.columns:
        raise Mistake(
            "`activity_log` has the columns of the files: write `activity_vw`, which has the cleaned columns."
        )
    attempt.must_have_read(stream, right.count())
    attempt.compare(made, right, "activity_log")
    attempt.must_have_checkpoint(stream, "activity_log")


def _must_look_every_second(stream: MadeStream) -> None:
    """Raise a mistake where a stream has another trigger, or does not run; Connect tells only the latter."""
    if stream.trigger in ("availableNow", "once"):
        raise Mistake(f"`{stream.trigger}` stops after it has read the available data. This stream must keep running.")
    if stream.trigger == "default":
        raise Mistake('Your stream has no interval: give it `.trigger(processingTime="1 second")`.')
    if stream.trigger is not None and (seconds := interval_of(stream.trigger)) != 1:
        raise Mistake(
            f"Your stream checks for new files every {seconds or 0:g} seconds. The exercise asks for every second."
        )
    if not stream.is_active:
        raise Mistake("Your stream has been stopped: leave it running.")


LOG = Exercise(
    id="02L.4",
    title="Write it to a table",
    starter=LOG_STARTER,
    hints=(
        '`spark.table("activity_vw")` is the stream. Then `.writeStream`, three settings, and `.toTable(...)`.',
        'The settings are `.queryName(...)`, `.option("checkpointLocation", ...)` and `.trigger(processingTime=...)`.',
        'The checkpoint is `f"{DA.paths.checkpoints}/activity_log"`; `.toTable("activity_log")` starts the stream.',
    ),
    solution=LOG_SOLUTION,
    why=(
        "The name identifies the query to people, the trigger defines when it checks for new files, and the "
        "checkpoint records what it has read. The output mode is not set: the default, append, fits a query that "
        "only filters and renames."
    ),
    check=check_log,
    hidden=(
        HiddenTest(
            _planted_activities,
            ("activity_log",),
            later=(_more_recordings,),
            says="Your cell was run on other recordings, and again after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(LOG_SOLUTION.replace('    .queryName("activity_to_log")\n', ""), "has no name"),
        WrongAnswer(LOG_SOLUTION.replace("activity_to_log", "log"), "is called `log`"),
        WrongAnswer(LOG_SOLUTION.replace('    .trigger(processingTime="1 second")\n', ""), "has no interval"),
        WrongAnswer(LOG_SOLUTION.replace('processingTime="1 second"', "availableNow=True"), "must keep running"),
        WrongAnswer(LOG_SOLUTION.replace("1 second", "1 minute"), "every 60 seconds"),
        WrongAnswer(LOG_SOLUTION.replace("checkpoints}/activity_log", "checkpoints}/log"), "is `log`"),
        WrongAnswer(
            LOG_SOLUTION.replace('    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")\n', ""),
            "raised an error",
        ),
        WrongAnswer(LOG_SOLUTION.replace("activity_vw", "recordings_vw"), "has the columns of the files"),
        WrongAnswer(LOG_SOLUTION.replace('.toTable("activity_log")', '.format("noop").start()'), "no table"),
        WrongAnswer(LOG_SOLUTION + "log.stop()\n", "has been stopped"),
        WrongAnswer(
            LOG_SOLUTION.replace("    .writeStream\n", '    .writeStream\n    .outputMode("complete")\n'), "error"
        ),
    ),
    makes=Makes(variables=("log",), tables=("activity_log",), folders=("checkpoints/activity_log", "checkpoints/log")),
)

# ------------------------------------------------------------------------------------------- 02L.5 stop it, and go on

RESTART_STARTER = """
DA.exercise("02L.5")  # removes what an earlier attempt created

first_run = None  # start it, wait for its first batch, stop it

second_run = None  # restart it, and wait until it has read everything

first_batch = None  # the number of the first batch in the second run
rows_read = None  # the rows that the second run has read
"""

RESTART_SOLUTION = """
DA.exercise("02L.5")  # removes what an earlier attempt created

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
DA.block_until_stream_is_ready(first_run, min_batches=1)
first_run.stop()

second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()

first_batch = second_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)
"""


def check_restart(attempt: Attempt) -> None:
    """Ask whether it is one query in two runs, then for its table, then for what its reports say."""
    if "already active" in attempt.words_of_error:
        raise Mistake(
            "The first run was still active when the second one started: call `first_run.stop()` before you start "
            "the second."
        )
    second, first = attempt.stream("second_run"), attempt.stream("first_run")
    _must_be_two_runs(first, second)
    attempt.must_not_have_failed(second)
    _must_look_every_second(second)
    if second.query.name != "rehearsal":
        raise Mistake(f'Your stream has the name `{second.query.name}`: give it `.queryName("rehearsal")`.')
    attempt.wait_until_idle(second)
    if not second.rows_read:
        raise Mistake(
            "The first run has read everything, so nothing is left for the second. Stop the first run as soon as its "
            "first batch is done."
        )
    attempt.compare(attempt.table("rehearsal"), _clean(attempt), "rehearsal")
    attempt.must_have_checkpoint(second, "rehearsal")
    for name in ("first_batch", "rows_read"):
        attempt.must_compute(
            name, "compute it from the progress reports of `second_run`, because the number differs from run to run."
        )
    _must_tell_the_first_batch(_told(attempt, "first_batch"), _numbers(second))
    _must_tell_the_rows(_told(attempt, "rows_read"), first.rows_read, second.rows_read)


def _must_be_two_runs(first: MadeStream, second: MadeStream) -> None:
    if first.query.runId == second.query.runId:
        raise Mistake(
            "`second_run` is `first_run` itself. A stopped query cannot be reused: start the same definition again."
        )
    if first.query.id != second.query.id:
        raise Mistake(
            "The second run is another query: it has a different checkpoint, so it started with batch 0 and "
            "reprocessed the data of the first run. Give both runs the same checkpoint."
        )
    if not first.rows_read:
        raise Mistake(
            "The first run was stopped before its first batch was done. Starting a query returns immediately: wait "
            "with `DA.block_until_stream_is_ready(first_run, min_batches=1)`."
        )


def _numbers(stream: MadeStream) -> list[int]:
    """Return the numbers of the batches that have read rows."""
    return [report["batchId"] for report in reports_since(stream.query, None) if rows_read(report)]


def _told(attempt: Attempt, name: str) -> Any:
    try:
        return attempt.value(name)
    except (NotTried, Mistake):  # whose words are about streams
        raise Mistake(
            f"The second run resumed correctly. What is missing is `{name}`: compute it from the progress reports."
        ) from None


def _must_tell_the_first_batch(told: Any, numbers: list[int]) -> None:
    if told == numbers[0]:
        return
    if not isinstance(told, int):
        raise Mistake(f"`first_batch` is a {type(told).__name__}; it must be a number: a report's `batchId`.")
    if told == 0:
        raise Mistake(
            "Batch 0 belongs to the first run. The second run resumed with the next batch: use the reports of "
            "`second_run`."
        )
    if told >= numbers[-1]:
        raise Mistake(
            f"{told} is the `batchId` in the newest report. The first report of the run is "
            "`second_run.recentProgress[0]`."
        )
    raise Mistake(f"The second run started with batch {numbers[0]}, and `first_batch` is {told}.")


def _must_tell_the_rows(told: Any, first: list[int], second: list[int]) -> None:
    if told == sum(second):
        return
    if told in (sum(first), sum(first) + sum(second)):
        raise Mistake(
            f"{told:,} is the number of rows in the first run, or in both runs. Add up the batches of `second_run` "
            "alone."
        )
    if told in [sum(second[:batches]) for batches in range(len(second))]:
        raise Mistake(
            f"After {told:,} rows the second run was not finished: wait with `second_run.processAllAvailable()`."
        )
    raise Mistake(
        f"`rows_read` is {told}, but the second run read {sum(second):,} rows. Add up the rows of all its batches."
    )


_STOP = "DA.block_until_stream_is_ready(first_run, min_batches=1)\nfirst_run.stop()\n"
_AGAIN = 'second_run = rehearsal.toTable("rehearsal")'
RESTART = Exercise(
    id="02L.5",
    title="Stop it and restart it",
    starter=RESTART_STARTER,
    hints=(
        "Start both runs with the same code: the chain of 02L.4 with other names. Between them, wait for the first "
        "batch and call `first_run.stop()`.",
        "To wait, call `DA.block_until_stream_is_ready(first_run, min_batches=1)` and "
        "`second_run.processAllAvailable()`.",
        "`second_run.recentProgress` is a list of reports, the oldest first; `report.numInputRows` is how many rows a "
        "batch has read. Add them up over all reports.",
    ),
    solution=RESTART_SOLUTION,
    why=(
        "The second run reads from the checkpoint which batches are done and resumes with the next one, so each row "
        "is in the table once. With another checkpoint it would be a new query and start at batch 0."
    ),
    check=check_restart,
    wrong=(
        WrongAnswer(
            RESTART_SOLUTION.replace(
                _AGAIN,
                'rehearsal = rehearsal.option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal_2")\n' + _AGAIN,
            ),
            "The second run is another query",
        ),
        WrongAnswer(RESTART_SOLUTION.replace("first_run.stop()\n", ""), "call `first_run.stop()` before"),
        WrongAnswer(RESTART_SOLUTION.replace(_STOP, "first_run.stop()\n"), "before its first batch was done"),
        WrongAnswer(
            RESTART_SOLUTION.replace(_STOP, "first_run.processAllAvailable()\nfirst_run.stop()\n"),
            "The first run has read everything",
        ),
        WrongAnswer(RESTART_SOLUTION.replace(_AGAIN, "second_run = first_run"), "is `first_run` itself"),
        WrongAnswer(
            RESTART_SOLUTION.replace(_AGAIN, 'second_run = rehearsal.trigger(availableNow=True).toTable("rehearsal")'),
            "This stream must keep running",
        ),
        WrongAnswer(
            RESTART_SOLUTION.replace("= second_run.recentProgress", "= first_run.recentProgress"),
            "Batch 0 belongs to the first run",
        ),
        WrongAnswer(
            RESTART_SOLUTION.replace("second_run.recentProgress[0]", "second_run.lastProgress"), "in the newest report"
        ),
        WrongAnswer(RESTART_SOLUTION.replace('[0]["batchId"]', "[0]"), "a report's `batchId`"),
        WrongAnswer(
            RESTART_SOLUTION.replace(
                "second_run.processAllAvailable()", "DA.block_until_stream_is_ready(second_run, min_batches=1)"
            ),
            "was not finished",
        ),
        WrongAnswer(
            RESTART_SOLUTION.replace("second_run.recentProgress)", "first_run.recentProgress)"), "rows in the first run"
        ),
        WrongAnswer(RESTART_SOLUTION.partition("first_batch =")[0], "What is missing is `first_batch`"),
    ),
    makes=Makes(
        variables=("first_run", "second_run", "first_batch", "rows_read", "rehearsal"),
        streams=("rehearsal",),
        tables=("rehearsal",),
        folders=("checkpoints/rehearsal", "checkpoints/rehearsal_2"),
    ),
)

EXERCISES = (READ, CLEAN, BOARD, LOG, RESTART)
