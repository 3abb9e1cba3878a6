"""The quiz of lesson 14: how a message bus is read."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "Two edits of one page must be read in the order in which they were sent. What do you do?",
        (
            Choice("Nothing: a topic keeps its messages in order.", "A partition does. A topic has several."),
            Choice(
                "Give both the same key.",
                "The same key means the same partition, and a partition is read from front to back.",
                is_right=True,
            ),
            Choice(
                "Sort the stream by the messages' time.",
                "A stream cannot be sorted, and two messages may have one time.",
            ),
        ),
    ),
    Question(
        "A query has run for a week with `startingOffsets` as `earliest`. You change it to `latest` and restart. "
        "Where does it go on?",
        (
            Choice("At the end of the topic.", "The option counts for a query that has no checkpoint yet."),
            Choice("At the beginning.", "It has read that, and its checkpoint knows."),
            Choice(
                "Where it was.",
                "The checkpoint decides from the second start on.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "A message is cut off in the middle. What does a query with `from_json` do?",
        (
            Choice("It fails.", "Only with the option `mode` as `FAILFAST`."),
            Choice(
                "It goes on with a row whose columns are empty.",
                "Nobody sees it unless somebody looks: keep what could not be decoded, and count it.",
                is_right=True,
            ),
            Choice("It leaves the message out.", "The row is there. It is in every count that does not look into it."),
        ),
    ),
    Question(
        "A stream writes alerts to a topic. It has a checkpoint, and was killed once. Which alerts are in the topic?",
        (
            Choice("Each once: the checkpoint sees to it.", "It makes the batch run again. The topic takes it again."),
            Choice(
                "Each at least once.",
                "A batch that was sent and not noted as done is sent again. Readers drop what they know.",
                is_right=True,
            ),
            Choice("Some may be missing.", "A batch that is not noted as done is run again, so nothing is missing."),
        ),
    ),
    Question(
        "The lag of a query has grown all day. What does it tell you?",
        (
            Choice("That the broker is slow.", "It may be. But the lag would be the same with a quick one."),
            Choice(
                "That more arrives than is read.",
                "So it will not end by itself. More at a time, more tasks, or less work for each row.",
                is_right=True,
            ),
            Choice("That the query should be restarted.", "It would go on where it was, as slowly as before."),
        ),
    ),
    Question(
        "What does `failOnDataLoss` as `False` do?",
        (
            Choice("It keeps messages from being removed.", "The topic's own settings decide how long they are kept."),
            Choice(
                "It goes on where messages are gone, without them.",
                "And says so in a log that few read. Use it when you know what is missing.",
                is_right=True,
            ),
            Choice("It reads removed messages from a backup.", "There is none. What a topic has dropped is gone."),
        ),
    ),
)
