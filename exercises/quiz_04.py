"""The quiz of lesson 04: what each sink promises."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "Why can a checkpoint alone not make a sink exact?",
        (
            Choice(
                "It is written too rarely.",
                "It is written for each batch. The moment between two writes is enough.",
            ),
            Choice(
                'Rows and the note "done" go to two places, and the query can die between the two.',
                "Only the place that has the rows can say whether it has them already.",
                is_right=True,
            ),
            Choice(
                "It can, if it is on reliable storage.",
                "The most reliable note does not tell what has arrived elsewhere.",
            ),
        ),
    ),
    Question(
        (
            "A query with `foreachBatch` and `txnAppId` runs well. Somebody deletes its "
            "checkpoint, to load a week again. There is no error, and there are no rows. Why?"
        ),
        (
            Choice(
                "Delta refuses rows that it has.",
                "Delta does not compare rows. It compares the application's batch number.",
            ),
            Choice(
                "The files were read already.",
                "The new checkpoint knows of no file, so it reads them all.",
            ),
            Choice(
                "The new checkpoint counts from batch 0, and the table has noted higher numbers of this application.",
                "Delta skips each write whose number it has passed. Take a new `txnAppId` with a new checkpoint.",
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "Your function writes a batch to a Delta table, sends an e-mail, and fails right "
            "after. What happens at the restart?"
        ),
        (
            Choice(
                "It is called again: a marked write is skipped, and the e-mail is sent once more.",
                "What cannot be skipped is repeated. Do it last, and give the receiver a key.",
                is_right=True,
            ),
            Choice(
                "It goes on after the e-mail.",
                "Spark knows that the function did not return, not how far it came.",
            ),
            Choice(
                "The batch is left out, since its table is written.",
                "The batch has no note in `commits`, so it is run again.",
            ),
        ),
    ),
    Question(
        (
            "A function of `foreachBatch` counts the batch and then writes it. Rows that have "
            "landed once are in the progress twice. Why?"
        ),
        (
            Choice(
                "The table has them twice.",
                "It has them once. Look at what is counted, not only at the number.",
            ),
            Choice(
                "The batch was read twice, once for each use.",
                "A DataFrame is a description. `persist()` keeps what has been read for the second use.",
                is_right=True,
            ),
            Choice(
                "`foreachBatch` is at least once.",
                "That is about a batch that is run again after a failure, and there was none.",
            ),
        ),
    ),
    Question(
        (
            "A function writes each batch into two tables, both times with `txnAppId` and `txnVersion`. The "
            "power fails between the two writes. What do the tables have before the restart, and after it?"
        ),
        (
            Choice(
                "Neither has the batch; then both have it.",
                "The first write is a commit of its own, and stays. No transaction spans two tables.",
            ),
            Choice(
                "One has the batch and the other has not; then both have it once.",
                "The batch is run again. Each table's own log says whether it has it already.",
                is_right=True,
            ),
            Choice(
                "One has the batch and the other has not; then the first has it twice.",
                "So it would be with a plain append. A marked write that comes again is skipped.",
            ),
        ),
    ),
)
