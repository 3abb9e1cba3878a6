"""The quiz of lesson 15: what a declarative pipeline does for you, and what it does not."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "You have run a cell with `@dp.table` over a function. What exists now?",
        (
            Choice("A running stream.", "Nothing runs before an update."),
            Choice("An empty table.", "The first update that includes the table creates it."),
            Choice("Only a definition.", "It says what you want. An update creates it.", is_right=True),
        ),
    ),
    Question(
        (
            "A rule says `amount > 0`, and `amount` is NULL in one row. The rule is in `expect_or_drop`. Where "
            "is the row?"
        ),
        (
            Choice("In the table.", "The condition is NULL, and only TRUE keeps a row."),
            Choice(
                "Not in the table; it is counted as failed.", "A condition that is not TRUE is violated.", is_right=True
            ),
            Choice("The update fails.", "That is what `expect_or_fail` does."),
        ),
    ),
    Question(
        (
            "A late order belongs to a day that is already in the report. The report is a materialized view. "
            "What must you do?"
        ),
        (
            Choice("Merge it into the view.", "A stream with `foreachBatch` would do that."),
            Choice("Run a full refresh of the view.", "Every update computes it as a whole anyway."),
            Choice(
                "Nothing: the next update includes the order.",
                "The view always equals the result of its query.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "You add a column to a streaming table's definition. What value do existing rows have in it?",
        (
            Choice("NULL, until a full refresh.", "They were written before, and no row is read twice.", is_right=True),
            Choice("The column's value: the table is recomputed.", "That would be a materialized view."),
            Choice("The update fails, because the schema has changed.", "An added column is accepted."),
        ),
    ),
    Question(
        "Which full refresh can lose rows forever?",
        (
            Choice(
                "Of a table whose source no longer has some of them.",
                "It is emptied and reads what is there now.",
                is_right=True,
            ),
            Choice("Of any streaming table.", "If the source still has everything, the result is the same."),
            Choice("Of a materialized view.", "Each update recomputes it anyway."),
        ),
    ),
    Question(
        "An order must be sent to a payment service, once, within a second. Do you use a pipeline?",
        (
            Choice("Yes, with an expectation for the second.", "An expectation is about rows, not about time."),
            Choice(
                "Yes, in the function of a table.", "It may be called several times, and must not have side effects."
            ),
            Choice(
                "No: a stream with its own sink.",
                (
                    "A triggered update plans before it writes, and a pipeline's sink sees whole batches. For a call "
                    "per order, use a running query whose writes you control."
                ),
                is_right=True,
            ),
        ),
    ),
)
