"""The quiz of lesson 01: what a stream is."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        ("In complete mode, twelve counts can be sorted with `ORDER BY`. Can a million counts be sorted, too?"),
        (
            Choice(
                "Yes.",
                (
                    "In complete mode each batch replaces the whole result, so it can be sorted each time. A "
                    "million rows only take longer."
                ),
                is_right=True,
            ),
            Choice(
                "No, a million rows are too many for a sort.",
                "The number of rows decides what it costs, not whether it is allowed.",
            ),
            Choice(
                "Only if the readings arrive in order of their time.",
                "The order of arrival does not matter: what is sorted is the result, after each batch.",
            ),
        ),
    ),
    Question(
        "A report is read once a night. Is a streaming query of any use for it?",
        (
            Choice(
                "No: streaming is for results within seconds.",
                "The trigger decides how fresh a result is: seconds, or a night.",
            ),
            Choice(
                "No: a streaming query runs, and costs, all day.",
                "With `availableNow` a query processes the available data and stops.",
            ),
            Choice(
                "Yes: each run reads only that day's rows.",
                ("The checkpoint records what has been read, so the cost of a night does not grow with the history."),
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "Two people run the same filter in append mode one after the other, with the same checkpoint "
            "and two target tables. What does the second get?"
        ),
        (
            Choice(
                "All rows, in a table of its own.",
                "The checkpoint records how far the query has read, no matter who starts it.",
            ),
            Choice(
                "Only what has landed since the first run ended.",
                "The checkpoint belongs to one query. Use one checkpoint per query and sink.",
                is_right=True,
            ),
            Choice(
                "An error, because the checkpoint belongs to the first table.",
                "The checkpoint does not record the table, so there is no error: rows are simply missing.",
            ),
        ),
    ),
)
