"""The quiz of lesson 05: when a batch runs and how much it takes."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            'Twenty streams with `processingTime="1 minute"` were started one after the other. When do their '
            "batches start?"
        ),
        (
            Choice(
                "Each one minute after its own start.",
                "That would spread the load. But intervals are counted from 1970, not from a query's start.",
            ),
            Choice(
                "One after the other, since Spark runs one at a time.",
                "Queries run side by side.",
            ),
            Choice(
                "All at the full minute.",
                "At every full minute the machine is overloaded, and then it is idle. Give them different intervals.",
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "A job with `once` failed after a three-day outage because one batch did not fit in memory. It "
            "fails again at every start. Which change gets it running?"
        ),
        (
            Choice(
                "`availableNow` and a limit such as `maxFilesPerTrigger`.",
                (
                    "They only apply to batches that are planned later. This batch is already in `offsets`, so "
                    "every restart runs it again as it is, whatever the trigger or limit."
                ),
            ),
            Choice(
                "A larger machine for one run, then `availableNow` with a limit.",
                (
                    "Every restart runs the batch that is in `offsets`, so it must fit once. The limit prevents "
                    "the next such batch."
                ),
                is_right=True,
            ),
            Choice(
                "A new checkpoint for the same table.",
                (
                    "The query would append all files again, and the table would have the earlier days twice. "
                    "With a new checkpoint, use a new table and a limit."
                ),
            ),
        ),
    ),
    Question(
        "Files land while an `availableNow` job runs, faster than it reads them. When does it end?",
        (
            Choice(
                "When the folder is empty.",
                "Then it might never end. Spark decides at the start what the run reads.",
            ),
            Choice(
                "When it has read what was there at its start.",
                "What has arrived since is left for the next run.",
                is_right=True,
            ),
            Choice(
                "After one batch.",
                "It runs as many batches as the limit requires. Only `once` always runs one batch.",
            ),
        ),
    ),
    Question(
        (
            'People read a dashboard every morning. Its stream runs with `processingTime="10 seconds"`. What '
            "costs least and shows the same?"
        ),
        (
            Choice(
                "An interval of one minute.",
                "That costs less, as there are fewer batches, but the machine is still up all day.",
            ),
            Choice(
                "`availableNow`, scheduled before the morning.",
                "Query, sink and checkpoint stay the same. The machine is up for minutes.",
                is_right=True,
            ),
            Choice(
                "A batch query over all of the files.",
                "It would read everything every morning, and more of it every day.",
            ),
        ),
    ),
    Question(
        "Somebody wants results within 20 milliseconds after a row arrives in a Delta table. Which trigger?",
        (
            Choice(
                "`realTime`",
                "It cannot read a Delta table.",
            ),
            Choice(
                '`processingTime="20 milliseconds"`',
                "A single batch takes longer, and so does the commit that wrote the row.",
            ),
            Choice(
                "None of them.",
                (
                    "A row is in a Delta table only after a batch has been committed. To be faster, the rows "
                    "must come from Kafka."
                ),
                is_right=True,
            ),
        ),
    ),
)
