"""The quiz of lesson 05: when a batch runs and how much it takes."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            'A dashboard is looked at every morning. Its stream runs with `processingTime="10 '
            'seconds"`. What costs less and shows the same?'
        ),
        (
            Choice(
                "An interval of a minute.",
                "Fewer batches, and a machine that is still up all day.",
            ),
            Choice(
                "`availableNow`, scheduled before the morning.",
                "Query, sink and checkpoint stay as they are. The machine is up for minutes.",
                is_right=True,
            ),
            Choice(
                "A batch query over all of the files.",
                "It would read everything every morning, and more of it every day.",
            ),
        ),
    ),
    Question(
        (
            'Twenty streams with `processingTime="1 minute"` were started one after the other. '
            "When do their batches begin?"
        ),
        (
            Choice(
                "Each a minute after its own start.",
                "Then the load would be spread. Intervals are counted from 1970, and not from a query's start.",
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
            "A job with `once` died after an outage of three days, for lack of memory, and dies "
            "again at every start. Which change helps?"
        ),
        (
            Choice(
                "`availableNow` and a limit such as `maxFilesPerTrigger`.",
                "The limit counts then, and each batch that is done stays done.",
                is_right=True,
            ),
            Choice(
                "A limit such as `maxFilesPerTrigger`.",
                "`once` does not heed it: three days are one batch.",
            ),
            Choice(
                "A new checkpoint.",
                "It would begin at the first day of all, which is still more.",
            ),
        ),
    ),
    Question(
        "Files land while an `availableNow` job runs, faster than it reads. When does it end?",
        (
            Choice(
                "When the folder is empty.",
                "Then it would never end. What it reads was fixed at its start.",
            ),
            Choice(
                "When it has read what was there at its start.",
                "What has come since is for the next run.",
                is_right=True,
            ),
            Choice(
                "After one batch.",
                "It makes as many batches as the limit asks for. One batch is what `once` makes.",
            ),
        ),
    ),
    Question(
        "Somebody wants results within 20 milliseconds of a row's arrival in a Delta table. Which trigger?",
        (
            Choice(
                "`realTime`",
                "It cannot read a Delta table.",
            ),
            Choice(
                '`processingTime="20 milliseconds"`',
                "A batch alone takes longer, and so does the commit that brought the row.",
            ),
            Choice(
                "None of them.",
                (
                    "A row in a Delta table has waited for the commit of a batch already. The rows would "
                    "have to come from Kafka."
                ),
                is_right=True,
            ),
        ),
    ),
)
