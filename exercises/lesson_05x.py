"""The exercise of companion 05X: a receiver that keeps each message once, though it was delivered twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from streaming_classroom.hidden_tests import Sandbox

ONCE_STARTER = """
DA.exercise("05X.1")  # removes what an earlier attempt created

receiver = None  # write delivered into the table received, each text once
"""

ONCE_SOLUTION = """
DA.exercise("05X.1")  # removes what an earlier attempt created

receiver = (delivered
    .dropDuplicates(["text"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/received")
    .trigger(availableNow=True)
    .toTable("received"))
"""

_KEPT = '    .dropDuplicates(["text"])\n'
_TRIGGER = "    .trigger(availableNow=True)\n"
_PER_BATCH = """
DA.exercise("05X.1")  # removes what an earlier attempt created

def write_once(batch, batch_id):
    batch.dropDuplicates(["text"]).write.mode("append").saveAsTable("received")

receiver = (delivered
    .writeStream
    .foreachBatch(write_once)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/received")
    .trigger(availableNow=True)
    .start())
"""


def check_once(attempt: Attempt) -> None:
    """Name the triggers that do not support it; then compare with each text that was delivered."""
    stream = attempt.stream("receiver")
    stream.has_ended(min(30.0, attempt.left))  # neither of the two other triggers fails at its start
    if stream.error is not None and "ContinuousTrigger" in str(stream.error):
        raise Mistake(
            "`continuous` cannot write a table, and it supports no operator that remembers rows. Without one the query "
            "cannot know what it has already written. Use micro-batches."
        )
    if stream.error is not None and "REAL_TIME_MODE" in str(stream.error):
        raise Mistake(
            "`realTime` supports no operator that brings equal rows together, and without one the query cannot know "
            "what it has already written. Use micro-batches."
        )
    attempt.wait_for_end(
        stream, "It must stop after it has processed what is there: use `.trigger(availableNow=True)`."
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
    """Deliver in two batches: a text twice in one batch, and one again in the next."""
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


ONCE = Exercise(
    id="05X.1",
    title="Each message once",
    starter=ONCE_STARTER,
    hints=(
        "A receiver needs a key to recognize a message that it already has. Here the key is the text.",
        "`dropDuplicates` on a stream remembers the keys of earlier batches, and of earlier runs, in the checkpoint.",
        "Neither `continuous` nor `realTime` can keep that state: which trigger runs micro-batches and ends?",
    ),
    solution=ONCE_SOLUTION,
    why=(
        "The relays deliver at least once, so the receiver has to recognize what it already has. That takes state, "
        "which only micro-batches support here. (The state has every text and grows for ever. Lesson 10 limits it.)"
    ),
    check=check_once,
    hidden=(
        HiddenTest(
            _first,
            ("received",),
            later=(_again,),
            says="Your cell was run on other messages, some of them twice in different batches, and again later.",
        ),
    ),
    wrong=(
        WrongAnswer(ONCE_SOLUTION.replace(_KEPT, ""), "a relay was restarted"),
        WrongAnswer(ONCE_SOLUTION.replace(_TRIGGER, ""), "still running"),
        WrongAnswer(ONCE_SOLUTION.replace("availableNow=True", 'continuous="1 second"'), "supports no operator that"),
        WrongAnswer(
            ONCE_SOLUTION.replace("availableNow=True", 'realTime="5 seconds"').replace(
                '.toTable("received")', '.outputMode("update").foreach(print).start()'
            ),
            "brings equal rows together",
        ),
        WrongAnswer(_PER_BATCH, "✗"),
        WrongAnswer(ONCE_SOLUTION.replace("checkpoints}/received", "checkpoints}/relay-default"), "✗"),
        WrongAnswer(ONCE_SOLUTION.replace('.toTable("received")', '.format("noop").start()'), "no table `received`"),
    ),
    makes=Makes(variables=("receiver",), tables=("received",), folders=("checkpoints/received",)),
)

EXERCISES = (ONCE,)
