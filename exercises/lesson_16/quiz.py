"""The quiz of lesson 16: what a report says, what a cure does, and when to raise an alert."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "A stream's batches take four seconds each. Is that good?",
        (
            Choice(
                "Yes, because it is less than the trigger's interval of ten seconds.",
                "Where do the ten seconds come from?",
            ),
            Choice(
                "That depends on what was promised to the readers.",
                "A threshold follows from a target, and never stands alone.",
                is_right=True,
            ),
            Choice(
                "No, because the other streams of the same session take only one.",
                "They can do less, or read less often.",
            ),
        ),
    ),
    Question(
        "Why does the listener of this lesson not slow down the streams?",
        (
            Choice(
                "Spark calls it after the batch, in another thread.",
                "Its reports can be delayed instead, and it must not take longer than the batches.",
                is_right=True,
            ),
            Choice(
                "It writes a small file, which takes less time than a row of a Delta table would.",
                "Even a slow one would not delay a batch: it would fall behind.",
            ),
            Choice(
                "It runs in the Python process, and the streams run in the JVM.",
                "A Python function of a stream runs there too, and each batch waits for it.",
            ),
        ),
    ),
    Question(
        (
            "A stream runs with a trigger of one second, and each batch takes 1.2 seconds, however few rows it has. "
            "What do you change first?"
        ),
        (
            Choice(
                "The machine: with twice as many cores a batch takes half the time.",
                "The batch does not compute; it plans and commits.",
            ),
            Choice(
                "The trigger, to half a second, so that batches have fewer rows.",
                "Then batches follow each other without a pause, as they do now.",
            ),
            Choice(
                "The trigger, to ten seconds, if the target allows it.",
                "The price of a batch is then paid a tenth as often, for the same rows.",
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "The rows in a stream's state have grown on each of the last thirty days. The stream is fast enough. What "
            "do you do?"
        ),
        (
            Choice(
                "Nothing, as long as the target is met and the state fits on the disk.",
                "It is met today. The reports say when it will not be.",
            ),
            Choice(
                "Look for the operator whose state has no end.",
                (
                    "One without a watermark, or with a key that never comes back. The cure is easier before the "
                    "stream fails."
                ),
                is_right=True,
            ),
            Choice(
                "Restart the stream once a month, so that the state is read from the checkpoint again.",
                "The state is in the checkpoint: it is there again after the restart.",
            ),
        ),
    ),
    Question(
        (
            "An alert is sent for each batch whose backlog is above the limit. For an hour, more arrives than the "
            "stream can process. What happens?"
        ),
        (
            Choice(
                "One alert is sent, because all of them have the same text and the same stream.",
                "Nothing compares them, unless you do.",
            ),
            Choice(
                "None is sent: a stream that is busy reports no backlog.",
                "Each batch's report has the backlog.",
            ),
            Choice(
                "Hundreds are sent, and next time nobody reads them.",
                "Send one when the trouble begins, and perhaps one when it ends.",
                is_right=True,
            ),
        ),
    ),
)
