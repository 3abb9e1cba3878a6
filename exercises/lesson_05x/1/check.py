"""Check exercise 05X.1, "Each message once"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Name a trigger that does not support state, then compare with the delivered texts."""
    stream = attempt.stream("receiver")
    stream.has_ended(min(30.0, attempt.left))  # realTime does not fail at its start
    if stream.error is not None and "REAL_TIME_MODE" in str(stream.error):
        raise Mistake(
            "`realTime` supports no operator that brings equal rows together, and without one the query cannot know "
            "what it has already written. Use micro-batches."
        )
    attempt.wait_for_end(
        stream, "It must stop after it has processed the available data: use `.trigger(availableNow=True)`."
    )
    made = attempt.table("received")
    delivered = attempt.rows_of_stream(attempt.value("delivered"))
    if attempt.is_same(made, delivered):
        raise Mistake(
            "`received` has some messages twice: a relay was restarted and has sent its messages again. Keep the first "
            "row of each text."
        )
    attempt.compare(made, delivered.distinct(), "received")
    attempt.must_have_checkpoint(stream, "received")


def _deliver(sandbox: Sandbox, name: str, *texts: str | None) -> None:
    sandbox.file(f"{name}.json", [{"text": text} for text in texts])


def _first(sandbox: Sandbox) -> None:
    """Deliver two batches: one text twice in a batch, and once more in the next."""
    _deliver(sandbox, "first", "a 1", "a 2", "a 2", "A 2", "")
    _deliver(sandbox, "second", "a 1", "b 1", "a 2 ")
    sandbox.keep(
        delivered=sandbox.spark.readStream.schema("text STRING")
        .option("maxFilesPerTrigger", 1)
        .json(sandbox.paths.landing)
    )


def _again(sandbox: Sandbox) -> None:
    """Deliver one new text, and two of the first run."""
    _deliver(sandbox, "third", "b 1", "c 1", "a 2")


MAKES = Makes(variables=("receiver",), tables=("received",), folders=("checkpoints/received",))

HIDDEN = (
    HiddenTest(
        _first,
        ("received",),
        later=(_again,),
        says="Your cell was run on other messages, some of them twice in different batches, and again later.",
    ),
)
