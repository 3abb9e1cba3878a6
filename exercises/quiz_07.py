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
                    "Planned and not noted as done. Whether the sink has it cannot be told from the "
                    "checkpoint, so it is run in any case."
                ),
                is_right=True,
            ),
            Choice(
                "Begin with batch 42.",
                "Batch 41 has no note that it is done.",
            ),
            Choice(
                "Plan batch 41 anew, with what has landed meanwhile.",
                "The plan is in `offsets/41` and holds. Only so can a sink recognise the batch.",
            ),
        ),
    ),
    Question(
        "Why does Spark note what a batch will read before it reads it?",
        (
            Choice(
                "To know how many tasks it needs.",
                "That is planned for each batch anew.",
            ),
            Choice(
                "So that a batch that is run again has the same rows.",
                (
                    "Noted afterwards, a crash in between would leave rows in the sink that no plan "
                    "knows, and the next plan might cut otherwise."
                ),
                is_right=True,
            ),
            Choice(
                "To keep others from reading the same files.",
                "Others may read them as they like.",
            ),
        ),
    ),
    Question(
        (
            "The sink is a service that books a payment for each call. There is a checkpoint. Are "
            "payments booked exactly once?"
        ),
        (
            Choice(
                "Yes: the source is replayable, and there is a checkpoint.",
                "Both make at least once. The third part is the sink's.",
            ),
            Choice(
                "Yes, if the service is never down.",
                "The query may die after the call and before the note, with a service that is well.",
            ),
            Choice(
                "No: a batch that is run again books them again.",
                "Send a key along that the service recognises, and let it ignore what it has.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "You set another number of shuffle partitions and restart a query that counts. What happens?",
        (
            Choice(
                "The state is divided anew.",
                "It is not: the files of the state belong to their partitions.",
            ),
            Choice(
                "The number in the checkpoint stays in force.",
                "It is pinned with the first batch, because the state is divided by it.",
                is_right=True,
            ),
            Choice(
                "The query is refused.",
                "It starts, and does not heed the setting. That is harder to notice.",
            ),
        ),
    ),
    Question(
        "A filter was too strict. It is corrected, and the query goes on with its checkpoint. Is the result right?",
        (
            Choice(
                "Yes: Spark sees that the filter has changed, and counts anew.",
                "What has been read is not read again.",
            ),
            Choice(
                "From now on. Rows that were left out before stay left out.",
                "If the past matters, take a new checkpoint and a new table.",
                is_right=True,
            ),
            Choice(
                "No: a changed filter is refused.",
                "A filter before the state may change, and so nobody is warned.",
            ),
        ),
    ),
)
