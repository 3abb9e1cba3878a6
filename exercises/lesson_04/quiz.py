"""The quiz of lesson 04: what each sink promises."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "Why can't a checkpoint alone make a sink exactly-once?",
        (
            Choice(
                "It is written too rarely.",
                "It is written for each batch. A crash between the two writes is enough.",
            ),
            Choice(
                "The rows and the commit are written to two places, and the query can die in between.",
                "Only the system that stores the rows can tell whether it already has them.",
                is_right=True,
            ),
            Choice(
                "It can, if it is on reliable storage.",
                "Even a reliable checkpoint does not know what has arrived elsewhere.",
            ),
        ),
    ),
    Question(
        (
            "A query with `foreachBatch` and `txnAppId` works. Somebody deletes its checkpoint to load a week "
            "of data again. There is no error, and there are no rows. Why?"
        ),
        (
            Choice(
                "Delta rejects rows that it already has.",
                "Delta does not compare rows. It compares the batch number of the application.",
            ),
            Choice(
                "The files were already read.",
                "The new checkpoint has no record of any file, so the query reads them all.",
            ),
            Choice(
                (
                    "The new checkpoint starts with batch 0, and the table has recorded higher numbers for this "
                    "application."
                ),
                (
                    "Delta skips each write whose number is not higher than the recorded one. Use a new "
                    "`txnAppId` with a new checkpoint."
                ),
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "Your function writes a batch to a Delta table with `txnAppId` and `txnVersion`, sends an e-mail, and "
            "then fails. What happens at the restart?"
        ),
        (
            Choice(
                "It is called again: the write is skipped, and the e-mail is sent a second time.",
                (
                    "What cannot be skipped is repeated. Do it last, and include a key that lets the receiver "
                    "recognize repeats."
                ),
                is_right=True,
            ),
            Choice(
                "It continues after the e-mail.",
                "Spark knows that the function did not return, but not how far it got.",
            ),
            Choice(
                "The batch is skipped, since its table is written.",
                "The batch has no entry in `commits`, so it is run again.",
            ),
        ),
    ),
    Question(
        (
            "A `foreachBatch` function counts the batch and then writes it. The progress report counts each row "
            "twice. Why?"
        ),
        (
            Choice(
                "The table has each row twice.",
                "It has each row once. Check what is counted, not only the number.",
            ),
            Choice(
                "The batch was read twice, once for each use.",
                "A DataFrame is a description. `persist()` keeps the rows for the second use.",
                is_right=True,
            ),
            Choice(
                "`foreachBatch` is at-least-once.",
                "That matters when a batch is run again after a failure. Nothing failed here.",
            ),
        ),
    ),
    Question(
        (
            "A function writes each batch into two tables, both times with `txnAppId` and `txnVersion`. The "
            "power fails between the two writes. What do the tables contain before the restart, and after it?"
        ),
        (
            Choice(
                "Neither has the batch; then both have it.",
                (
                    "The first write is its own commit, and stays. Open-source Delta has no transaction that "
                    "spans two tables."
                ),
            ),
            Choice(
                "One has the batch and the other has not; then both have it once.",
                "The batch is run again. Each table's own log says whether it already has the batch.",
                is_right=True,
            ),
            Choice(
                "One has the batch and the other has not; then the first has it twice.",
                "That would happen with a plain append. A repeated write with a version is skipped.",
            ),
        ),
    ),
)
