"""The quiz of lesson 06: what is written when a result changes."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            "A dashboard shows sales by hour from a Delta table, and the current hour must be on "
            "it. Which mode, as hours become many?"
        ),
        (
            Choice(
                "Append.",
                "It writes an hour when it is over and the watermark has passed it: the current one is missing.",
            ),
            Choice(
                "Update, with a `MERGE` in `foreachBatch`.",
                "Each batch sends the hours that have changed, and the table replaces them.",
                is_right=True,
            ),
            Choice(
                "Complete.",
                "Right while hours are few. It writes all of them after each batch, and keeps all in state.",
            ),
        ),
    ),
    Question(
        (
            "A query in append mode counts by window. It runs without an error, and after an hour "
            "its table is still empty. Where do you look first?"
        ),
        (
            Choice(
                "At `eventTime.watermark` in the progress.",
                (
                    "A window is written once the watermark has passed its end. If the watermark stands "
                    "still, no window ever ends."
                ),
                is_right=True,
            ),
            Choice(
                "At the sink: rows were lost.",
                "There were none yet. Append waits until a window can no longer change.",
            ),
            Choice(
                "At the trigger: it is too long.",
                "Batches run; they only have nothing that is final.",
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
                "A row that has passed a filter never changes again.",
                "So what is new or changed is what is new. Nothing is replaced, and nothing waits.",
                is_right=True,
            ),
            Choice(
                "Update is append for all queries without a watermark.",
                "For an aggregation it is not: there it sends a group again whenever it has changed.",
            ),
        ),
    ),
    Question(
        "Append is refused for a count by device, and somebody takes complete instead. It works. What is the price?",
        (
            Choice(
                "There is none: complete is the safe choice.",
                "Each batch writes every group there ever was.",
            ),
            Choice(
                "Results come later.",
                "They come after each batch.",
            ),
            Choice(
                "State and output grow with every group ever seen.",
                (
                    "Nothing tells Spark that a group is over. A watermark with windows, or update with "
                    "`MERGE`, keeps what is written small."
                ),
                is_right=True,
            ),
        ),
    ),
    Question(
        "A query in update mode writes counts to Kafka. What must those who read the topic know?",
        (
            Choice(
                "That each message is final.",
                "In update mode none is marked as final.",
            ),
            Choice(
                "That a message replaces the earlier ones with its key.",
                "Only the last for each key counts. Kafka keeps them all.",
                is_right=True,
            ),
            Choice(
                "That they have to add the messages up.",
                "Each one has the whole count and not what was added.",
            ),
        ),
    ),
)
