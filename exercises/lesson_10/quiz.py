"""The quiz of lesson 10: what a deduplication keeps, loses and lets through."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "A terminal repeats a payment after a day. Which of the four queries writes it a second time?",
        (
            Choice(
                "`forever`",
                "Its state still has the id.",
            ),
            Choice(
                "`event_2h`",
                "The repeat has the old event time, far behind the watermark: it is dropped.",
            ),
            Choice(
                "`arrival_10m`",
                "Measured by `received_at` the row is new, and its id is no longer in state.",
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "A stream sets a watermark of two hours and calls `dropDuplicates` on the id alone. What does its state "
            "hold after a year?"
        ),
        (
            Choice(
                "Every id of the year.",
                "The watermark column is not among the compared columns, so no id is ever dropped.",
                is_right=True,
            ),
            Choice(
                "The ids of about four hours, twice the delay.",
                "`dropDuplicatesWithinWatermark` would hold those.",
            ),
            Choice(
                "The ids of two hours, because the watermark limits every operator.",
                "Only an operator that uses the time column can drop by it.",
            ),
        ),
    ),
    Question(
        "Terminals begin to be offline for up to three hours. What goes wrong in `event_2h`?",
        (
            Choice(
                "Repeats of the late payments get through, because their ids have left the state.",
                "Such a repeat is itself behind the watermark, and is dropped.",
            ),
            Choice(
                "Late payments are lost.",
                "They are behind the watermark, duplicates or not. Choose a longer delay.",
                is_right=True,
            ),
            Choice(
                "Nothing, because the delay only decides how long an id is kept.",
                "It also decides which rows are too late.",
            ),
        ),
    ),
    Question(
        (
            "A checkpoint is deleted, and the stream starts from the beginning, with the same target. Which way still "
            "gives each transaction once?"
        ),
        (
            Choice(
                "`dropDuplicates`, because it never drops an id from its state.",
                "The state belongs to the checkpoint, and is gone with it.",
            ),
            Choice(
                "`dropDuplicatesWithinWatermark` with a delay that is longer than the outage.",
                "It emits every transaction a second time.",
            ),
            Choice(
                "The insert-only `MERGE`.",
                "It compares with the table, which is still there.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "A batch has two rows with the same new id. What does an insert-only `MERGE` by that id do?",
        (
            Choice(
                "It inserts the first row, and the second one matches it.",
                "It compares with the table as it was before.",
            ),
            Choice(
                "It fails, because two rows of the source match one row.",
                "Neither row matches, so there is nothing ambiguous.",
            ),
            Choice(
                "It inserts both.",
                "Remove the duplicates of a batch before the `MERGE`.",
                is_right=True,
            ),
        ),
    ),
)
