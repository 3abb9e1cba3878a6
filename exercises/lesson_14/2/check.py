"""Check exercise 14.2, "From 12:10 on"."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lesson_exercises.lesson_14.messages import must_be_text

from streaming_base.progress_reports import rows_per_batch
from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


_SINCE = "timestamp >= timestamp_millis(1746447000000)"
_COPIED = ("partition", "offset", "timestamp", "value")


def check(attempt: Attempt) -> None:
    """Compare with the topic's messages since that time, and with the number that the stream has read."""
    stream = attempt.stream("replay")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    _must_have_new_checkpoint(stream)
    made = attempt.table("from_1210")
    must_be_text(made)
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


def _must_have_new_checkpoint(stream: MadeStream) -> None:
    place = (stream.checkpoint or "").rstrip("/").rpartition("/")[2]
    if not stream.rows_read or not stream.began_with_batch_0:
        raise Mistake(
            f"Your stream has read nothing from the topic's past. If its checkpoint `{place}` is of an earlier start, "
            "the checkpoint says where to continue, and the starting option is ignored: use a new checkpoint. If it is "
            "new, the query began at the end, which is the default."
        )


_TEN_PAST = datetime(2025, 5, 5, 12, 10)


def _a_topic(sandbox: Sandbox) -> None:
    """Create a topic with messages a millisecond before the time, exactly at it, and without a value."""
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
    """Return the number of messages that the last run has read."""
    return sandbox.frame([(sum(rows_per_batch(sandbox.query("replay"))),)], "messages_of_the_second_run LONG")


MAKES = Makes(variables=("replay",), tables=("from_1210",), folders=("checkpoints/replay",))

HIDDEN = (
    HiddenTest(
        _a_topic,
        ("from_1210", _read_again),
        later=(_more_messages,),
        needs_kafka=True,
        says="Your cell was run on another topic, with messages just before and at 12:10, and again later.",
    ),
)
