"""The quiz of lesson 13: what each layer guarantees, and what runs again."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "Why is the broken line kept in bronze, and not only in quarantine?",
        (
            Choice(
                "The quarantine depends on today's rules, bronze on none.",
                "With better rules, silver and quarantine can be built again from bronze.",
                is_right=True,
            ),
            Choice("Auto Loader can't leave a line out.", "A filter could. The point is that bronze should have none."),
            Choice("Bronze is cheaper to store.", "Both are Delta tables."),
        ),
    ),
    Question(
        "`sort_out` crashes after the `MERGE` and before the append. What happens at the next start?",
        (
            Choice("The bad lines of the batch are lost.", "The batch was not committed, so it runs again."),
            Choice("The good orders are in silver twice.", "The `MERGE` finds their ids and inserts none."),
            Choice(
                "The batch runs again: the `MERGE` inserts nothing, and the append is written.",
                "Its batch number is not in the log of `quarantine` yet.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "Why does `retry` read the change data feed of the customers and not the quarantine?",
        (
            Choice("A quarantine can't be read as a stream.", "It could, until lines are deleted from it."),
            Choice(
                "The waiting order does not change. What changes is that its customer becomes known.",
                "Let the stream be the thing whose arrival makes the second try worthwhile.",
                is_right=True,
            ),
            Choice("The feed has the orders as well.", "It has the customers' rows only."),
        ),
    ),
    Question(
        "A late order arrives three days later. Why does it need no special treatment in gold?",
        (
            Choice("Its day is recomputed by the nightly job.", "No job runs: the stream does it."),
            Choice(
                "The query groups by the day of the order, and update mode emits each row that changes.",
                "The `MERGE` replaces the old row. Without a watermark nothing is too late.",
                is_right=True,
            ),
            Choice("It is counted on the day of its arrival.", "The query never looks at the arrival."),
        ),
    ),
    Question(
        "What does a job need that a live pipeline does not?",
        (
            Choice("Other functions.", "Only the trigger differs."),
            Choice("Other checkpoints.", "It continues where the live streams were stopped."),
            Choice(
                "An order: each stream must end before those that read its table start.",
                "What a stream misses when it ends waits until the next night.",
                is_right=True,
            ),
        ),
    ),
)
