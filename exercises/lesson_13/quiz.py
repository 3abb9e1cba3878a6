"""The quiz of lesson 13: what each layer guarantees, and what runs again."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "Why is the broken line kept in bronze, and not only in quarantine?",
        (
            Choice(
                "Auto Loader can't leave a line out of a file that it reads as text.",
                "A filter could. The point is that bronze should have none.",
            ),
            Choice(
                "Quarantine is for lines that will be repaired, and this one can't be.",
                "Nobody knows that yet, and quarantine takes each line that fails a check.",
            ),
            Choice(
                "The quarantine depends on today's rules, bronze on none.",
                "With better rules, silver and quarantine can be built again from bronze.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "`split_batch` crashes after the `MERGE` and before the append. What happens at the next start?",
        (
            Choice(
                "The `MERGE` inserts nothing, and the append is written.",
                "The batch runs again. Its number is not in the log of `quarantine` yet.",
                is_right=True,
            ),
            Choice(
                "The bad lines of the batch are lost, because their offsets were read before the crash.",
                "The batch was not committed, so it runs again.",
            ),
            Choice(
                "The good orders are in silver twice, because the `MERGE` runs a second time.",
                "The `MERGE` finds their ids and inserts none.",
            ),
        ),
    ),
    Question(
        "Why does `retry` read the change data feed of the customers and not the quarantine?",
        (
            Choice(
                "A quarantine can't be read as a stream, because its rows have different reasons.",
                "It could, until lines are deleted from it.",
            ),
            Choice(
                "What changes is the customer, not the waiting order.",
                "Let the stream be the thing whose arrival makes the second try worthwhile.",
                is_right=True,
            ),
            Choice(
                "The feed of the customers also has the orders that wait for each of them.",
                "It has the customers' rows only.",
            ),
        ),
    ),
    Question(
        "A late order arrives three days later. Why does it need no special treatment in gold?",
        (
            Choice(
                "It is counted on the day of its arrival, which is still open in the report.",
                "The query never looks at the arrival.",
            ),
            Choice(
                "Its day is recomputed from silver by the nightly job, like all other days.",
                "No job recomputes days: the stream does it.",
            ),
            Choice(
                "The stream still has the day's sums, and emits the changed row.",
                "The `MERGE` replaces the old row. Without a watermark nothing is too late.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "What does a job need that a live pipeline does not?",
        (
            Choice(
                "Checkpoints of its own, so that it does not continue where the live streams were stopped.",
                "It should continue there.",
            ),
            Choice(
                "An order in which its streams run.",
                (
                    "Each stream must end before those that read its table start: what it misses waits until the next "
                    "night."
                ),
                is_right=True,
            ),
            Choice(
                "Functions that read their tables as a batch, because a trigger that ends reads everything.",
                "Only the trigger differs, and it reads what is new.",
            ),
        ),
    ),
)
