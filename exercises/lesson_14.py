"""Exercises of lesson 14: keep what cannot be decoded, start again from a time, measure lag and cure it."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_base.progress_reports import is_batch, rows_per_batch
from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, MadeStream, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_EDIT = "meta STRUCT<id: STRING>, type STRING, title STRING, user STRING, wiki STRING"


def _messages(attempt: Attempt, topic: str) -> DataFrame:
    """Return what is in one of the lesson's topics now, with its values as edits."""
    return attempt.messages(topic).selectExpr("*", f"from_json(value, '{_EDIT}') AS edit")


# ------------------------------------------------------------------------------------ 14.1 nothing is thrown away

BROKEN_STARTER = """
DA.exercise("14.1")  # removes what an earlier attempt created

broken = None  # from decoded: the messages that are not edits
"""

BROKEN_SOLUTION = """
DA.exercise("14.1")  # removes what an earlier attempt created

broken = (decoded
    .where("edit.meta.id IS NULL")
    .selectExpr("partition", "offset", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/broken")
    .trigger(availableNow=True)
    .toTable("broken_messages"))
"""


def check_broken(attempt: Attempt) -> None:
    """Compare with the topic; first with each of the two ways in which a half of the broken messages is found."""
    stream = attempt.stream("broken")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    attempt.must_have_checkpoint(stream, "broken")
    made = attempt.table("broken_messages")
    _must_be_text(made)
    every = _messages(attempt, "edits")
    columns = ["partition", "offset", "value"]
    if attempt.is_same(made, every.where("value IS NULL").select(columns)):
        raise Mistake(
            "Only messages without a value are there. What `from_json` cannot parse is not `NULL`, but a struct whose "
            "fields are empty: test a field that every edit has."
        )
    if attempt.is_same(made, every.where("value IS NOT NULL AND edit.meta.id IS NULL").select(columns)):
        raise Mistake(
            "Truncated messages are in the table, but messages without a value are missing. Test a field that is "
            "NULL for both."
        )
    if attempt.is_same(made, every.select(columns)):
        raise Mistake("Every message is there, the edits too. Leave out those that could be decoded.")
    if made.isEmpty():
        raise Mistake("The table is empty. `edits` has no broken messages any more: begin with `decoded`.")
    attempt.compare(made, every.where("edit.meta.id IS NULL").select(columns), "broken_messages")


def _must_be_text(made: DataFrame) -> None:
    if dict(made.dtypes).get("value") == "binary":
        raise Mistake("`value` is bytes. As text it can be read by people: `CAST(value AS STRING) AS value`.")


_DECODED = """partition INT, offset LONG, value BINARY, edit STRUCT<meta: STRUCT<id: STRING, dt: TIMESTAMP>,
    type: STRING, title: STRING, user: STRING, wiki: STRING>"""


def _decoded(sandbox: Sandbox) -> None:
    """Plant values that are missing, cut off, empty or without an id, and edits that lack only a time or a wiki."""
    when = datetime(2024, 3, 5, 12)
    nothing = (None, None, None, None, None)
    rows = [
        (0, 0, b"whole", (("a", when), "edit", "T", "u", "enwiki")),
        (0, 1, None, None),
        (1, 0, None, nothing),
        (1, 1, b"{cut off", nothing),
        (1, 2, b"no id", ((None, when), "edit", "T", "u", "enwiki")),
        (2, 0, b"no time", (("b", None), "edit", "T", "u", "enwiki")),
        (2, 1, b"no wiki", (("c", when), "new", None, "u", None)),
        (2, 2, b"", nothing),
    ]
    sandbox.append("planted", rows, _DECODED)
    sandbox.keep(decoded=sandbox.stream("planted"))


def _more_decoded(sandbox: Sandbox) -> None:
    """Append one more message that could not be decoded, after the restart."""
    sandbox.append("planted", [(0, 2, b"later", None)], _DECODED)


BROKEN = Exercise(
    id="14.1",
    title="Nothing is thrown away",
    starter=BROKEN_STARTER,
    hints=(
        "What has every edit, and no broken message? The line that makes `edits` asks for it.",
        "`edit.meta.id` is `NULL` for all of them: where there was no value, `edit` is `NULL`, "
        "and so is what is in it.",
        '`decoded.where("edit.meta.id IS NULL").selectExpr("partition", "offset", "CAST(value AS STRING) AS value")`, '
        "then the writer, with its checkpoint and its trigger.",
    ),
    solution=BROKEN_SOLUTION,
    why=(
        "A message that cannot be decoded today may be decoded tomorrow, after someone has fixed the schema; and if "
        "a hundred come where there was one, somebody upstream has changed something. Partition and offset say which "
        "message it was. One condition finds all kinds, also those that nobody has thought of: it is the opposite of "
        "the one that lets edits through."
    ),
    check=check_broken,
    hidden=(
        HiddenTest(
            _decoded,
            ("broken_messages",),
            later=(_more_decoded,),
            says="Your cell was run on other messages: without an id but with a wiki, without a value, empty.",
        ),
    ),
    wrong=(
        WrongAnswer(BROKEN_SOLUTION.replace("edit.meta.id IS NULL", "edit IS NULL"), "Only messages without a value"),
        WrongAnswer(
            BROKEN_SOLUTION.replace("edit.meta.id IS NULL", "value IS NOT NULL AND edit.meta.id IS NULL"),
            "messages without a value are missing",
        ),
        WrongAnswer(BROKEN_SOLUTION.replace('    .where("edit.meta.id IS NULL")\n', ""), "the edits too"),
        WrongAnswer(
            BROKEN_SOLUTION.replace("(decoded", "(edits")
            .replace("edit.meta.id", "id")
            .replace('"partition", "offset", "CAST(value AS STRING) AS value"', '"id", "title", "user"'),
            "begin with `decoded`",
        ),
        WrongAnswer(BROKEN_SOLUTION.replace("CAST(value AS STRING) AS value", "value"), "is bytes"),
        WrongAnswer(BROKEN_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(BROKEN_SOLUTION.replace("checkpoints}/broken", "checkpoints}/other"), "was asked for"),
    ),
    makes=Makes(variables=("broken",), tables=("broken_messages",), folders=("checkpoints/broken",)),
)

# --------------------------------------------------------------------------------------------- 14.2 from 12:10 on

REPLAY_STARTER = """
DA.exercise("14.2")  # removes what an earlier attempt created

replay = None  # support's query, from 12:10 on
"""

REPLAY_SOLUTION = """
DA.exercise("14.2")  # removes what an earlier attempt created

replay = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingTimestamp", 1746447000000)
    .load()
    .selectExpr("partition", "offset", "timestamp", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/replay")
    .trigger(availableNow=True)
    .toTable("from_1210"))
"""

_SINCE = "timestamp >= timestamp_millis(1746447000000)"
_COPIED = ("partition", "offset", "timestamp", "value")


def check_replay(attempt: Attempt) -> None:
    """Compare with the topic's messages of that time, and with how many the stream has read."""
    stream = attempt.stream("replay")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    _must_have_begun_anew(stream)
    made = attempt.table("from_1210")
    _must_be_text(made)
    every = attempt.messages("edits").select(*_COPIED)
    right = every.where(_SINCE)
    if attempt.is_same(made, every):
        raise Mistake("Every message is there, those before 12:10 too: the source began at the earliest offset.")
    attempt.compare(made, right, "from_1210")
    if (read := sum(stream.rows_read)) > right.count():
        raise Mistake(
            f"The rows are right, but the stream has read {read:,} messages for them, those before 12:10 too. Let the "
            "source begin at that time instead of leaving rows out: one of the four ways of section 2 takes a time."
        )


def _must_have_begun_anew(stream: MadeStream) -> None:
    place = (stream.checkpoint or "").rstrip("/").rpartition("/")[2]
    if not stream.rows_read or not stream.began_with_batch_0:
        raise Mistake(
            f"Your stream has read nothing from the topic's past. If its checkpoint `{place}` is of an earlier start, "
            "the checkpoint says where to continue, and the starting option is ignored: use a new checkpoint. If it is "
            "new, the query began at the end, which is the default."
        )


_TEN_PAST = datetime(2025, 5, 5, 12, 10)


def _a_topic(sandbox: Sandbox) -> None:
    """Make a topic with messages around the time: a millisecond before, exactly at it, and without a value."""
    topic = sandbox.kafka.create_topic("edits")
    _send(sandbox, [(0, -60_000), (0, -1), (0, 0), (0, 1), (1, -2), (1, 0), (1, 90_000)])
    sandbox.keep(topic=topic)


def _more_messages(sandbox: Sandbox) -> None:
    """Send a later message to each partition: the second run may read these two alone."""
    _send(sandbox, [(1, 100_000), (0, 100_001)])


def _send(sandbox: Sandbox, messages: list[tuple[int, int]]) -> None:
    rows = [
        {
            "key": "k",
            "value": None if when == 1 else f"{partition} {when}",
            "partition": partition,
            "timestamp": _TEN_PAST + timedelta(milliseconds=when),
        }
        for partition, when in messages
    ]
    with redirect_stdout(io.StringIO()):
        sandbox.kafka.send("edits", rows)


def _read_again(sandbox: Sandbox) -> DataFrame:
    """Return how many messages the last run has read."""
    return sandbox.frame([(sum(rows_per_batch(sandbox.query("replay"))),)], "messages_of_the_second_run LONG")


REPLAY = Exercise(
    id="14.2",
    title="From 12:10 on",
    starter=REPLAY_STARTER,
    hints=(
        "It is support's query with three changes: where it starts, its checkpoint, and its table.",
        "Section 2 has four ways to set the start. The one with a time takes milliseconds; 12:05 was 1746446700000.",
        "A starting option counts only for a query without a checkpoint, and `support` is one that exists.",
    ),
    solution=REPLAY_SOLUTION,
    why=(
        "The broker finds the first offset of that time in each partition, so the messages before are never sent. The "
        "option is needed once: from the first batch on the checkpoint decides, and a second run reads what is new. "
        "That is also why support's own checkpoint could not be used: it says where to continue, whatever the option."
    ),
    check=check_replay,
    hidden=(
        HiddenTest(
            _a_topic,
            ("from_1210", _read_again),
            later=(_more_messages,),
            needs_kafka=True,
            says="Your cell was run on another topic, with messages just before and at 12:10, and again later.",
        ),
    ),
    wrong=(
        WrongAnswer(REPLAY_SOLUTION.replace("checkpoints}/replay", "checkpoints}/support"), "use a new checkpoint"),
        WrongAnswer(REPLAY_SOLUTION.replace('    .option("startingTimestamp", 1746447000000)\n', ""), "at the end"),
        WrongAnswer(
            REPLAY_SOLUTION.replace('"startingTimestamp", 1746447000000', '"startingOffsets", "earliest"'),
            "those before 12:10 too",
        ),
        WrongAnswer(
            REPLAY_SOLUTION.replace('"startingTimestamp", 1746447000000', '"startingOffsets", "earliest"').replace(
                "    .selectExpr", "    .where(\"timestamp >= '2025-05-05 12:10:00'\")\n    .selectExpr"
            ),
            "The rows are right, but",
        ),
        WrongAnswer(REPLAY_SOLUTION.replace("1746447000000", "1746446700000"), "from_1210"),
        WrongAnswer(REPLAY_SOLUTION.replace("CAST(value AS STRING) AS value", "value"), "is bytes"),
        WrongAnswer(REPLAY_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(
            REPLAY_SOLUTION.replace('    .option("checkpointLocation", f"{DA.paths.checkpoints}/replay")\n', ""),
            "checkpointLocation must be specified",
        ),
    ),
    makes=Makes(variables=("replay",), tables=("from_1210",), folders=("checkpoints/replay",)),
)

# ------------------------------------------------------------------------------------------ 14.3 a weekend behind

LAG_STARTER = """
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = None  # the stream
behind = None  # then a list, from its progress reports
"""

LAG_SOLUTION = """
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1000)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/catch_up")
    .trigger(availableNow=True)
    .start())
catch_up.awaitTermination(30)

behind = [int(report["sources"][0]["metrics"]["maxOffsetsBehindLatest"]) for report in catch_up.recentProgress]
"""


def check_lag(attempt: Attempt) -> None:
    """Look at the batches first, and then at what was read from their reports."""
    stream = attempt.stream("catch_up")
    attempt.wait_for_end(stream, "It must end when it has caught up: use `.trigger(availableNow=True)`.", 60)
    attempt.must_have_checkpoint(stream, "catch_up")
    waiting = attempt.messages("edits").count()
    if sum(stream.rows_read) < waiting:
        raise Mistake(
            f"Your stream has read {sum(stream.rows_read):,} of {waiting:,} messages. The whole topic is waiting: "
            "begin at the earliest offset."
        )
    _must_be_limited(stream.rows_read)
    _must_be_the_lag(attempt.value("behind"), stream)


def _must_be_limited(batches: list[int]) -> None:
    if max(batches) > 1000:
        raise Mistake(f"A batch has {max(batches):,} messages. Limit it to 1,000 with `maxOffsetsPerTrigger`.")
    if max(batches) < 900:
        raise Mistake(f"The largest batch has {max(batches):,} messages: the limit is too low. 1,000 were asked for.")


def _must_be_the_lag(behind: object, stream: MadeStream) -> None:
    if not isinstance(behind, list):
        raise Mistake("`behind` is not a list. It needs an entry for each batch: go through `catch_up.recentProgress`.")
    if any(isinstance(number, str) for number in behind):
        raise Mistake("`behind` has strings, as the reports do. Convert them to integers: `int(...)`.")
    reports = [report["sources"][0]["metrics"] for report in stream.query.recentProgress if is_batch(report)]
    right, least, mean = (
        [float(metrics[f"{name}OffsetsBehindLatest"]) for metrics in reports] for name in ("max", "min", "avg")
    )
    if behind == right:
        return
    if len(behind) < len(right):
        raise Mistake(
            f"`behind` has {len(behind)} of {len(right)} batches. Ask when the query has ended: `awaitTermination()`."
        )
    if behind in (least, mean, [int(number) for number in mean], [round(number) for number in mean]):
        raise Mistake("`behind` is not of the partition that is furthest behind. Its metric begins with `max`.")
    raise Mistake("`behind` is not what the reports say: `maxOffsetsBehindLatest` in the source's `metrics`.")


def _a_long_topic(sandbox: Sandbox) -> None:
    """Make a topic with about six times as many messages in one partition: greatest, mean and least lag differ."""
    topic = sandbox.kafka.create_topic("edits")
    rows = [{"value": str(number), "partition": 0 if number % 7 else 1} for number in range(2203)]
    with redirect_stdout(io.StringIO()):
        sandbox.kafka.send("edits", rows)
    sandbox.keep(topic=topic)


def _behind(sandbox: Sandbox) -> DataFrame:
    rows = [(batch, int(number)) for batch, number in enumerate(sandbox.value("behind"))]
    return sandbox.frame(rows or [(-1, 0)], "batch INT, behind LONG")


LAG = Exercise(
    id="14.3",
    title="A weekend behind",
    starter=LAG_STARTER,
    hints=(
        "The stream is `slow` with another start, another limit and another trigger.",
        'A report is a dictionary: `report["sources"][0]["metrics"]` has the lag three times, as strings.',
        "`catch_up.recentProgress` has the reports of all batches once the query has ended: wait for it first.",
    ),
    solution=LAG_SOLUTION,
    why=(
        "The limit keeps each batch small enough for the cluster, and `availableNow` runs batches until what was there "
        "is read. The lag falls with each batch and ends at 0, so it can be watched. The maximum is the number to "
        "alert on: a mean over many partitions hides one that nobody reads fast enough."
    ),
    check=check_lag,
    hidden=(
        HiddenTest(
            _a_long_topic,
            (planted.batch_sizes("catch_up"), _behind),
            needs_kafka=True,
            says="Your cell was run on another topic, whose partitions differ in length.",
        ),
    ),
    wrong=(
        WrongAnswer(LAG_SOLUTION.replace('    .option("maxOffsetsPerTrigger", 1000)\n', ""), "Limit it to 1,000"),
        WrongAnswer(LAG_SOLUTION.replace("1000", "200"), "the limit is too low"),
        WrongAnswer(LAG_SOLUTION.replace('    .option("startingOffsets", "earliest")\n', ""), "The whole topic"),
        WrongAnswer(
            LAG_SOLUTION.replace("availableNow=True", 'processingTime="1 second"').replace(
                "catch_up.awaitTermination(30)\n", "catch_up.processAllAvailable()\n"
            ),
            "still running",
        ),
        WrongAnswer(LAG_SOLUTION.replace("maxOffsetsBehind", "avgOffsetsBehind").replace("int(", "float("), "furthest"),
        WrongAnswer(
            LAG_SOLUTION.replace("maxOffsetsBehind", "avgOffsetsBehind")
            .replace("int(", "int(float(")
            .replace("])", "]))"),
            "furthest",
        ),
        WrongAnswer(LAG_SOLUTION.replace("int(", "str("), "has strings"),
        WrongAnswer(LAG_SOLUTION.replace("checkpoints}/catch_up", "checkpoints}/slow"), "was asked for"),
        WrongAnswer(
            LAG_SOLUTION.partition("behind =")[0]
            + 'behind = int(catch_up.lastProgress["sources"][0]["metrics"]["maxOffsetsBehindLatest"])\n',
            "not a list",
        ),
    ),
    makes=Makes(variables=("catch_up", "behind"), folders=("checkpoints/catch_up",)),
)

EXERCISES = (BROKEN, REPLAY, LAG)
