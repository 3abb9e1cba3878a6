"""The quiz of lesson 06: what is written when a result changes."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            "A query in update mode writes counts per device to a Kafka topic, and a consumer adds up the"
            " counts that it receives. What is wrong?"
        ),
        (
            Choice(
                "It counts most readings several times.",
                ("Each message has the whole count of its device, and replaces the earlier ones with the same key."),
                is_right=True,
            ),
            Choice(
                "It misses devices whose count does not change.",
                "Their last message is in the topic, and still right.",
            ),
            Choice(
                "Nothing: updates are increases.",
                "An update is the new value of a row, not the difference from the old one.",
            ),
        ),
    ),
    Question(
        (
            "A query in append mode counts by window. It runs without an error, but after an hour its "
            "table is still empty. Where do you look first?"
        ),
        (
            Choice(
                "At the trigger: its interval may be too long.",
                "Batches do run, but nothing is final yet.",
            ),
            Choice(
                "At the sink: it may have lost rows.",
                "It has received none yet. Append waits until a window can no longer change.",
            ),
            Choice(
                "At the watermark in the progress reports.",
                (
                    "A window is emitted once the watermark has passed its end. If the watermark does not "
                    "advance, no window ever ends."
                ),
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "A dashboard shows sales by hour from a Delta table, including the current hour. Which mode "
            "is best as the number of hours grows?"
        ),
        (
            Choice(
                "Append, with a watermark.",
                "It writes an hour only when the watermark has passed it, so the current hour is missing.",
            ),
            Choice(
                "Update, with a `MERGE`.",
                "Each batch emits the hours that have changed, and the table replaces them.",
                is_right=True,
            ),
            Choice(
                "Complete.",
                ("It works while hours are few. But it writes all of them after each batch, and keeps all in state."),
            ),
        ),
    ),
)
