"""The quiz of lesson 06: what is written when a result changes."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "A query in update mode writes counts to Kafka. What must the readers of the topic know?",
        (
            Choice(
                "That each message is final.",
                "In update mode no message is marked as final.",
            ),
            Choice(
                "That a message replaces the earlier ones with the same key.",
                "Only the last message of each key counts, but the topic contains them all.",
                is_right=True,
            ),
            Choice(
                "That they have to add up the messages.",
                "Each message has the whole count, not the increase.",
            ),
        ),
    ),
    Question(
        (
            "A query in append mode counts by window. It runs without an error, but after an hour its table is "
            "still empty. Where do you look first?"
        ),
        (
            Choice(
                "At `eventTime.watermark` in the progress report.",
                (
                    "A window is emitted once the watermark has passed its end. If the watermark does not "
                    "advance, no window ever ends."
                ),
                is_right=True,
            ),
            Choice(
                "At the sink: it has lost rows.",
                "It has received none yet. Append waits until a window can no longer change.",
            ),
            Choice(
                "At the trigger: its interval is too long.",
                "Batches do run, but nothing is final yet.",
            ),
        ),
    ),
    Question(
        "For a filter, update mode writes the same as append. Why?",
        (
            Choice(
                "A filter has no mode.",
                "Every query has one.",
            ),
            Choice(
                "A row that has passed a filter never changes.",
                "The rows that are new or changed are simply the new ones. Nothing is replaced, and nothing waits.",
                is_right=True,
            ),
            Choice(
                "Without a watermark, update is always the same as append.",
                "Not for an aggregation: there it emits a group again whenever it has changed.",
            ),
        ),
    ),
    Question(
        "Append is rejected for a count by device, and somebody uses complete instead. It works. What is the price?",
        (
            Choice(
                "There is none: complete is the safe choice.",
                "Each batch writes every group that has ever existed.",
            ),
            Choice(
                "Results are later.",
                "They are written after each batch.",
            ),
            Choice(
                "State and output grow with every group ever seen.",
                (
                    "Spark cannot know that a group is over. A watermark with windows, or update with `MERGE`, "
                    "keeps the output small."
                ),
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "A dashboard shows sales by hour from a Delta table, including the current hour. Which mode is best "
            "as the number of hours grows?"
        ),
        (
            Choice(
                "Append.",
                "It writes an hour only when the watermark has passed it, so the current hour is missing.",
            ),
            Choice(
                "Update, with a `MERGE` in `foreachBatch`.",
                "Each batch emits the hours that have changed, and the table replaces them.",
                is_right=True,
            ),
            Choice(
                "Complete.",
                "It works while hours are few. But it writes all of them after each batch, and keeps all in state.",
            ),
        ),
    ),
)
