"""The quiz of lesson 16: what a report says, what a cure does, and when to wake somebody up."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "A stream's batches take four seconds each. Is that good?",
        (
            Choice("Yes: it is less than ten seconds.", "Where do the ten seconds come from?"),
            Choice("No: other streams take one.", "They may do less, or read less often."),
            Choice(
                "That depends on what was promised to those who use the result.",
                "A threshold follows from a target, and never stands alone.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "A stream runs with a trigger of one second, and each batch takes 1.2 seconds, however few rows it has. What "
        "do you change first?",
        (
            Choice("The machine: twice as many cores.", "The batch does not compute; it plans and commits."),
            Choice(
                "The trigger: ten seconds, if the target allows it.",
                "The price of a batch is then paid a tenth as often, for the same rows.",
                is_right=True,
            ),
            Choice("The trigger: half a second.", "Then batches follow each other without a pause, as they do now."),
        ),
    ),
    Question(
        "The rows in a stream's state have grown on each of the last thirty days. The stream is fast enough. What do "
        "you do?",
        (
            Choice("Nothing: the target is kept.", "It is kept today. The reports say when it will not be."),
            Choice("Restart the stream.", "The state is in the checkpoint: it is there again after the restart."),
            Choice(
                "Look for the operator without a watermark, or with a key that never comes back.",
                "State that only grows ends the stream one day, and the cure is easier before.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "Why does the listener of this lesson not slow down the streams?",
        (
            Choice("Because it writes into Delta.", "That takes about as long as a small batch."),
            Choice(
                "Because Spark calls it after the batch, in another thread.",
                "Its reports may be delayed instead, and it must not take longer than the batches.",
                is_right=True,
            ),
            Choice("Because it is written in Python.", "It would be no quicker for that."),
        ),
    ),
    Question(
        "An alert is sent for each batch whose backlog is above the limit. During an outage of an hour, what happens?",
        (
            Choice(
                "Hundreds of alerts are sent, and next time nobody reads them.",
                "Send one when the trouble begins, and perhaps one when it ends.",
                is_right=True,
            ),
            Choice("None: during an outage there are no batches.", "After it, each batch has a backlog."),
            Choice("One, as all are the same.", "Nothing compares them, unless you do."),
        ),
    ),
)
