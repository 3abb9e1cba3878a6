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
        (
            "The job crashes after the `MERGE` into silver and before the append to `quarantine`. What happens at the "
            "next start?"
        ),
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
                "The deliveries are in silver twice, because the `MERGE` runs a second time.",
                "The `MERGE` finds their ids and inserts none.",
            ),
        ),
    ),
    Question(
        (
            "`retry` deletes from `quarantine` first and inserts into silver afterwards. What does a crash between the "
            "two do?"
        ),
        (
            Choice(
                "The line is in both tables, and the next run puts that right.",
                "That is what the other order does.",
            ),
            Choice(
                "The line is in neither table.",
                "Bronze still has it, but its batch has been committed, so no run reads it again.",
                is_right=True,
            ),
            Choice(
                "The next run of the silver stream reads the line again, and writes it to silver.",
                "The stream's checkpoint says that the line has been processed.",
            ),
        ),
    ),
    Question(
        "A late delivery arrives three days later. Why does it need no special treatment in gold?",
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
