"""The quiz of lesson 04: what each sink guarantees."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            "A query with `foreachBatch` and `txnAppId` works. Somebody deletes its checkpoint to load a "
            "week of data again. There is no error, and no row is written. Why?"
        ),
        (
            Choice(
                "Its batches start at 0 again.",
                (
                    "The table has recorded higher numbers for this application, so it skips the writes. A new "
                    "checkpoint needs a new `txnAppId`."
                ),
                is_right=True,
            ),
            Choice(
                "Delta rejects rows that it already has.",
                "Delta does not compare rows. It compares the batch number of the application.",
            ),
            Choice(
                "The files have been read by the old query.",
                "The new checkpoint has no record of any file, so the query reads them all.",
            ),
        ),
    ),
    Question(
        (
            "Your function writes a batch to a Delta table with `txnAppId` and `txnVersion`, sends an "
            "e-mail, and then fails. What happens at the restart?"
        ),
        (
            Choice(
                "It continues after the e-mail.",
                "Spark knows that the function did not return, but not how far it got.",
            ),
            Choice(
                "The write is skipped, and the e-mail is sent again.",
                (
                    "Put side effects that cannot be skipped last, and include a key by which the receiver "
                    "recognizes a repeat."
                ),
                is_right=True,
            ),
            Choice(
                "The whole batch is skipped, as its rows are in the table.",
                "The batch has no entry in `commits`, so it is run again.",
            ),
        ),
    ),
    Question(
        (
            "Orders are merged into a table on `order_id`, with `WHEN NOT MATCHED THEN INSERT *` alone. A"
            " batch has the same new order twice. What happens?"
        ),
        (
            Choice(
                "The `MERGE` fails.",
                "It fails if several source rows would change one row of the table. Inserts change none.",
            ),
            Choice(
                "The table has the order twice.",
                "A batch is compared with the table, not with itself. Drop its duplicates before the `MERGE`.",
                is_right=True,
            ),
            Choice(
                "The second row matches the first, so the table has it once.",
                "Both are compared with the table as it was before the statement.",
            ),
        ),
    ),
    Question(
        (
            "A function appends each batch to `good` with `txnAppId` and `txnVersion`, and then to "
            "`audit` without. The power fails after both writes, before the commit. What do the tables "
            "have after the restart?"
        ),
        (
            Choice(
                "Both have the batch once.",
                "Only a write with a version is skipped.",
            ),
            Choice(
                "Both have the batch twice.",
                "The write to `good` has a version that its log already has, so it is skipped.",
            ),
            Choice(
                "`good` has it once, and `audit` twice.",
                "The function is called again. One write can be recognized, the other cannot.",
                is_right=True,
            ),
        ),
    ),
)
