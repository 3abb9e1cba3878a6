"""The quiz of companion 15X: what a log shows, what a loop defines, and what two flows write."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "In this notebook you query the event log while an update runs. What do you see of that update?",
        (
            Choice(
                "The flows that have ended so far, with the counts of their expectations.",
                "They are written together, when the update has ended.",
            ),
            Choice(
                "Nothing yet: it is logged in one commit.",
                "So a sum over updates never includes half of one.",
                is_right=True,
            ),
            Choice(
                "A row for each batch, which the next batch replaces.",
                "A log is appended to. It has a row for each state of a flow.",
            ),
        ),
    ),
    Question(
        "A fourth channel appears in the orders. What must you change in section 3?",
        (
            Choice(
                "The list in the loop.",
                (
                    "The new view has all of the channel's orders from the start, because a materialized view is "
                    "computed from all rows."
                ),
                is_right=True,
            ),
            Choice(
                "The list in the loop, and then you need a full refresh of all four views.",
                "A materialized view is computed as a whole anyway.",
            ),
            Choice(
                "Nothing: the function is called for each channel that it finds in the table.",
                "The loop calls it for the names in its list.",
            ),
        ),
    ),
    Question(
        "Two flows write one table, and one of them fails. What does the table contain?",
        (
            Choice(
                "Nothing of this update: the table is written by both flows or by none.",
                "Each flow has its own checkpoint and its own commits.",
            ),
            Choice(
                "The rows of both, except those of the batch that failed, which are skipped from now on.",
                "The batch was not committed: the next update runs it again.",
            ),
            Choice(
                "The rows of the other flow.",
                "The next update continues with both, each from its own checkpoint.",
                is_right=True,
            ),
        ),
    ),
)
