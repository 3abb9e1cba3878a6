"""The quiz of lesson 14: how a message bus is read."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "Two edits of one page must be read in the order in which they were sent. What do you do?",
        (
            Choice(
                "Give both the same key.",
                "The same key means the same partition, and a partition is read in order.",
                is_right=True,
            ),
            Choice(
                "Nothing: a topic keeps its messages in the order in which they arrive.",
                "Only a partition keeps its messages in order. A topic has several.",
            ),
            Choice(
                "Sort the stream by the messages' time before you write it.",
                "A stream cannot be sorted, and two messages can have the same time.",
            ),
        ),
    ),
    Question(
        "A message was cut off in the middle. What does a query with `from_json` do?",
        (
            Choice(
                "It fails, and names the partition and the offset of the message.",
                "With the option `mode` as `FAILFAST` it fails, but even then it names neither.",
            ),
            Choice(
                "It drops the message, and counts it in its progress report.",
                "The row is there, and `count(*)` counts it.",
            ),
            Choice(
                "It continues, with a row whose columns are empty.",
                "This is easy to overlook: keep what could not be decoded, and count it.",
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "A query has run for a week with `startingOffsets` as `earliest`. You change it to `latest` and restart. "
            "Where does it continue?"
        ),
        (
            Choice(
                "At the end of the topic: what has arrived in between is not read.",
                "The option applies only to a query without a checkpoint.",
            ),
            Choice(
                "Where it stopped.",
                "From the second start on, the checkpoint decides.",
                is_right=True,
            ),
            Choice(
                "At the beginning of the topic, because its options have changed.",
                "It has read that, and its checkpoint records it.",
            ),
        ),
    ),
    Question(
        (
            "A stream writes alerts to a topic. It has a checkpoint, and was killed once. How often is each alert in "
            "the topic?"
        ),
        (
            Choice(
                "At least once.",
                "A batch that was sent but not committed is sent again. Readers drop what they have already seen.",
                is_right=True,
            ),
            Choice(
                "Exactly once, because the checkpoint records what was sent.",
                "The checkpoint makes the batch run again, and the topic accepts it again.",
            ),
            Choice(
                "At most once: those of the batch that was killed are missing.",
                "A batch without a commit is run again, so nothing is missing.",
            ),
        ),
    ),
    Question(
        "The reports of a Spark query show a lag that has grown all day. What does that tell you?",
        (
            Choice(
                "Nothing, as long as the dashboard of consumer groups shows no lag.",
                "It has none to show. Spark commits its offsets to its checkpoint, not to Kafka.",
            ),
            Choice(
                "That the query hangs and should be restarted.",
                "It would continue where it stopped, as slowly as before.",
            ),
            Choice(
                "Messages arrive faster than they are read.",
                "So it will not shrink by itself. Read more per batch, use more tasks, or do less work per row.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "What does `failOnDataLoss` as `False` do?",
        (
            Choice(
                "It prevents the broker from removing messages that were not read.",
                "The topic's own settings decide how long messages are kept.",
            ),
            Choice(
                "It continues without the messages that are gone.",
                "It only writes a warning to a log. Use it when you know what is missing.",
                is_right=True,
            ),
            Choice(
                "It reads removed messages from the replica of another broker.",
                "Messages that a topic has removed are removed on every broker.",
            ),
        ),
    ),
)
