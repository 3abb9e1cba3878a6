"""The quiz of lesson 15: what a declarative pipeline does for you, and what it does not."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "You have run a cell with `@dp.table` over a function. What exists now?",
        (
            Choice(
                "A table without rows, which the first update fills.",
                "The first update that includes the table creates it.",
            ),
            Choice(
                "Only a definition.",
                "It says what you want. An update creates it.",
                is_right=True,
            ),
            Choice(
                "A stream that waits for its first row.",
                "Nothing runs before an update.",
            ),
        ),
    ),
    Question(
        (
            "A rule says `amount > 0`, and `amount` is NULL in one row. The rule is in `expect_or_drop`. Where is the "
            "row?"
        ),
        (
            Choice(
                "Nowhere: it is dropped, and counted as failed.",
                "A condition that is not TRUE is violated.",
                is_right=True,
            ),
            Choice(
                "In the table, because its condition is not false.",
                "The condition is NULL, and only TRUE keeps a row.",
            ),
            Choice(
                "Nowhere: the update fails, because the rule has no result for it.",
                "That is what `expect_or_fail` does.",
            ),
        ),
    ),
    Question(
        (
            "A late order belongs to a day that is already in the report. The report is a materialized view. What "
            "must you do?"
        ),
        (
            Choice(
                "Run a full refresh of the view, because its day was computed before.",
                "Every update computes it as a whole anyway.",
            ),
            Choice(
                "Merge the order into the row of its day.",
                "A stream with `foreachBatch` would do that.",
            ),
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
            Choice(
                "The column's value, because the next update recomputes the table.",
                "That would be a materialized view.",
            ),
            Choice(
                "NULL, until a full refresh.",
                "They were written before, and no row is read twice.",
                is_right=True,
            ),
            Choice(
                "None: the update fails, because the schema has changed.",
                "An added column is accepted.",
            ),
        ),
    ),
    Question(
        "Which full refresh can lose rows forever?",
        (
            Choice(
                "Of any streaming table, because it is emptied first.",
                "If the source still has everything, the result is the same.",
            ),
            Choice(
                "Of a materialized view that reads a streaming table which was protected.",
                "Each update recomputes it anyway.",
            ),
            Choice(
                "Of a table whose source no longer has some of them.",
                "It is emptied and reads what the source still has.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "An order must be sent to a payment service, once, within a second. Do you use a pipeline?",
        (
            Choice(
                "No: a stream with its own sink.",
                (
                    "A triggered update plans before it writes, and a pipeline's sink sees whole batches. For a call "
                    "per order, use a running query whose writes you control."
                ),
                is_right=True,
            ),
            Choice(
                "Yes, with an expectation that fails the update after a second.",
                "An expectation is about rows, not about time.",
            ),
            Choice(
                "Yes, in the function that defines the table of orders.",
                "It can be called several times, and must not have side effects.",
            ),
        ),
    ),
)
