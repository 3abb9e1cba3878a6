"""The quiz of lesson 10J: what a join sees and keeps, and when a row is emitted."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "The table that a stream is joined with is corrected. What happens to the rows that the stream has written?",
        (
            Choice(
                "Nothing. Only later batches see the correction.",
                "To correct the result, compute it again with a new checkpoint and target, or `MERGE` into it.",
                is_right=True,
            ),
            Choice(
                "They are corrected by the next batch, because the join is run again with the new table.",
                "A batch reads new rows of the stream only.",
            ),
            Choice(
                "They stay, and the query fails at the next batch, because the table has changed under it.",
                "It looks up the table's newest version in each batch.",
            ),
        ),
    ),
    Question(
        "Why are two watermarks and an equality of ids not enough for a left outer join?",
        (
            Choice(
                "The ids could be NULL, and a row with a NULL id would wait for its match forever.",
                "NULL ids match nothing, and that is no reason to reject a query.",
            ),
            Choice(
                "They don't say how far apart two matching rows can be.",
                "A watermark says how late rows can be. Without a range, an order waits for its payment forever.",
                is_right=True,
            ),
            Choice(
                "The result of the join has no watermark of its own, so no row of it is ever final.",
                "The result needs none to be emitted.",
            ),
        ),
    ),
    Question(
        (
            "A left outer join has emitted no unmatched row for a week, although there must be some. Where do you "
            "look first?"
        ),
        (
            Choice(
                "In the progress reports: which watermark does not advance?",
                "Unmatched rows wait for the lower of the two watermarks.",
                is_right=True,
            ),
            Choice(
                "At the join's condition: if no ids are equal, nothing can be emitted.",
                "Then all orders would be emitted as unmatched.",
            ),
            Choice(
                "In the sink: by default it leaves out rows that have NULL in a column.",
                "No sink does that.",
            ),
        ),
    ),
    Question(
        (
            "Payments are quiet at night, and orders are not. Which stream needs heartbeats so that unpaid orders of "
            "the night are emitted?"
        ),
        (
            Choice(
                "The orders, because their unmatched rows are the ones that are missing.",
                "They advance by themselves.",
            ),
            Choice(
                "The payments.",
                "Theirs is the lower watermark, and the query uses that one.",
                is_right=True,
            ),
            Choice(
                "Neither: the clock of the machine advances the watermark at night.",
                "Only event times do.",
            ),
        ),
    ),
    Question(
        (
            "A left outer join of orders and payments has a range of time, and a watermark on the orders alone. What "
            "does Spark do?"
        ),
        (
            Choice(
                "It runs it, and emits unmatched orders by the watermark of the orders.",
                "That watermark says nothing about payments on their way.",
            ),
            Choice(
                "It rejects it.",
                "Without a watermark of the payments, no payment is ever known to be missing.",
                is_right=True,
            ),
            Choice(
                "It runs it, but never emits an unmatched order.",
                "Spark finds that out before the query starts.",
            ),
        ),
    ),
)
