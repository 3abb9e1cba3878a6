"""The quiz of lesson 07: what survives a crash."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            "`offsets` has 0 to 41, `commits` has 0 to 40, the program is not running, and files have "
            "landed since. Which files are in the next batch?"
        ),
        (
            Choice(
                "All files that no committed batch has read.",
                "A restart uses `offsets/41` as it is: if its rows differed, no sink could recognize the batch.",
            ),
            Choice(
                "The same as in the interrupted batch.",
                "Batch 41 was planned but not committed, so it is run again, between the same offsets.",
                is_right=True,
            ),
            Choice(
                "Only those that have landed since.",
                "Batch 41 has no commit, so its rows would be missing.",
            ),
        ),
    ),
    Question(
        (
            "To use a larger machine, you raise `spark.sql.shuffle.partitions` from 2 to 8 and restart a "
            "query that counts. What does open-source Spark 4.2 do?"
        ),
        (
            Choice(
                "It distributes the state over 8 partitions.",
                "It does not: each file of the state belongs to one of the 2 partitions.",
            ),
            Choice(
                "It rejects the query.",
                "It starts, and ignores the setting. That is harder to notice.",
            ),
            Choice(
                "It keeps 2.",
                "The first batch fixes the number, because the state is partitioned by it.",
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "A filter before a count was too strict. You correct it, and the query continues with its "
            "checkpoint. Is the result right?"
        ),
        (
            Choice(
                "Not for the rows that were filtered out before.",
                (
                    "They have been read, and are not read again. If the past matters, use a new checkpoint and a"
                    " new table."
                ),
                is_right=True,
            ),
            Choice(
                "Yes: Spark detects the changed filter, and counts again.",
                "Rows that have been read are not read again.",
            ),
            Choice(
                "There is no result: Spark rejects the changed filter.",
                "A filter before the state may change, so there is no warning.",
            ),
        ),
    ),
    Question(
        (
            "A Delta table that a stream writes is moved to another machine, and the checkpoint is "
            "forgotten. What does the first run there do?"
        ),
        (
            Choice(
                "It continues, as the table's log has the batch numbers.",
                "They belong to the id of the old query. A new checkpoint has a new id.",
            ),
            Choice(
                "It reads everything again and appends it.",
                "Without its checkpoint it is a new query, and the table has never seen its id.",
                is_right=True,
            ),
            Choice(
                "It fails.",
                "Nothing is wrong with a new query over the source. That is why nobody notices.",
            ),
        ),
    ),
)
