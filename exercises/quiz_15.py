"""The quiz of lesson 15: what a declarative pipeline does for you, and what it does not."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "You have run a cell with `@dp.table` over a function. What is there now?",
        (
            Choice("A running stream.", "Nothing runs before an update does."),
            Choice("An empty table.", "The table is made by the first update that has it."),
            Choice("A definition.", "It says what you want. An update brings it about.", is_right=True),
        ),
    ),
    Question(
        "A rule says `amount > 0`, and in one row `amount` is NULL. The rule is in `expect_or_drop`. Where is the row?",
        (
            Choice("In the table.", "The condition is NULL there, and only TRUE keeps a row."),
            Choice(
                "Nowhere in the table; it is counted as failed.", "What is not TRUE breaks the rule.", is_right=True
            ),
            Choice("The update fails.", "That is what `expect_or_fail` does."),
        ),
    ),
    Question(
        "A late order belongs to a day that the report has already. The report is a materialized view. "
        "What must you do?",
        (
            Choice("Merge it in.", "That is how a stream with `foreachBatch` would do it."),
            Choice("Refresh the view fully.", "It is computed as a whole at every update."),
            Choice(
                "Nothing: the next update computes the report with it.",
                "It is the answer to its query, each time.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "You add a column to a streaming table's definition. What do the rows have that it had before?",
        (
            Choice("NULL, until a full refresh.", "They were written before, and no row is read twice.", is_right=True),
            Choice("The column's value: the table is computed anew.", "That is a materialized view."),
            Choice("The update fails, because the schema has changed.", "A column that is added is taken in."),
        ),
    ),
    Question(
        "Which full refresh can lose rows for ever?",
        (
            Choice(
                "That of a table whose source has forgotten some of them.",
                "It is emptied and reads what is there now.",
                is_right=True,
            ),
            Choice("That of any streaming table.", "While the source has everything, it comes out as it was."),
            Choice("That of a materialized view.", "It is computed anew at each update anyway."),
        ),
    ),
    Question(
        "An order must be sent to a payment service, once, within a second. Do you use a pipeline?",
        (
            Choice("Yes, with an expectation for the second.", "An expectation is about rows, not about time."),
            Choice(
                "Yes, in the function of a table.", "It may be called several times, and must not do anything but ask."
            ),
            Choice(
                "No: a stream with a sink of its own.",
                "A pipeline makes tables. What acts on the world outside needs a query whose writes you control.",
                is_right=True,
            ),
        ),
    ),
)
