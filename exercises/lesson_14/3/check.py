"""Check exercise 14.3, "A weekend behind"."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_base.progress_reports import is_batch
from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Check the batches, then the lags that were read from their reports."""
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
    """Create a topic with skewed partitions, so that greatest, mean and least lag differ."""
    topic = sandbox.kafka.create_topic("edits")
    rows = [{"value": str(number), "partition": 0 if number % 7 else 1} for number in range(2203)]
    with redirect_stdout(io.StringIO()):
        sandbox.kafka.send("edits", rows)
    sandbox.keep(topic=topic)


def _behind(sandbox: Sandbox) -> DataFrame:
    rows = [(batch, int(number)) for batch, number in enumerate(sandbox.value("behind"))]
    return sandbox.frame(rows or [(-1, 0)], "batch INT, behind LONG")


MAKES = Makes(variables=("catch_up", "behind"), folders=("checkpoints/catch_up",))

HIDDEN = (
    HiddenTest(
        _a_long_topic,
        (planted.batch_sizes("catch_up"), _behind),
        needs_kafka=True,
        says="Your cell was run on another topic, whose partitions differ in length.",
    ),
)
