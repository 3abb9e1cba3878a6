"""The quiz of lesson 07: what survives a crash."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "`offsets` has 0 to 41, `commits` has 0 to 40, and the program is not running. What will the restart do?",
        (
            Choice(
                "Run batch 41 again, with the same rows.",
                (
                    "It was planned but not committed. The checkpoint cannot tell whether the sink has it, so "
                    "it is always run again."
                ),
                is_right=True,
            ),
            Choice(
                "Start with batch 42.",
                "Batch 41 has no commit.",
            ),
            Choice(
                "Plan batch 41 again, including what has landed since.",
                "`offsets/41` still applies. Only then can a sink recognize the batch.",
            ),
        ),
    ),
    Question(
        "Why does Spark log what a batch will read before it reads it?",
        (
            Choice(
                "To know how many tasks it needs.",
                "It plans that for each batch separately.",
            ),
            Choice(
                "So that a batch that is run again has the same rows.",
                (
                    "If it logged the offsets afterwards, a crash in between would leave rows in the sink that "
                    "no entry describes, and the next batch might have other rows."
                ),
                is_right=True,
            ),
            Choice(
                "To prevent other queries from reading the same files.",
                "Other queries may read them at any time.",
            ),
        ),
    ),
    Question(
        (
            "The sink is a service that books a payment for each call. The query has a checkpoint. Are payments "
            "booked exactly once?"
        ),
        (
            Choice(
                "Yes: the source is replayable, and there is a checkpoint.",
                "Together they give at-least-once. Exactly-once also needs the sink.",
            ),
            Choice(
                "Yes, if the service is always available.",
                "The query may die after the call and before the commit, although the service works.",
            ),
            Choice(
                "No: a batch that is run again books them again.",
                "Send a key that the service recognizes, so that it can ignore repeated calls.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "You change the number of shuffle partitions and restart a query that counts. What happens?",
        (
            Choice(
                "The state is redistributed.",
                "It is not: each file of the state belongs to one partition.",
            ),
            Choice(
                "The number in the checkpoint stays in effect.",
                "The first batch fixes it, because the state is partitioned by it.",
                is_right=True,
            ),
            Choice(
                "The query is rejected.",
                "It starts, and ignores the setting. That is harder to notice.",
            ),
        ),
    ),
    Question(
        "A filter was too strict. You correct it, and the query continues with its checkpoint. Is the result right?",
        (
            Choice(
                "Yes: Spark detects the changed filter, and counts again.",
                "Rows that have been read are not read again.",
            ),
            Choice(
                "From now on, yes. Rows that were filtered out before are still missing.",
                "If the past matters, use a new checkpoint and a new table.",
                is_right=True,
            ),
            Choice(
                "No: a changed filter is rejected.",
                "A filter before the state may change, so there is no warning.",
            ),
        ),
    ),
)
