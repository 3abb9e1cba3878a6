"""The quiz of lesson 05: when a batch runs and how much it reads."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            'Data arrives all the time. A stream with `processingTime="1 hour"` is started at 10:50, and '
            "its first batch takes a minute. When does the second start?"
        ),
        (
            Choice(
                "At 11:00.",
                (
                    "The first batch starts immediately. After that, batches start at whole multiples of the "
                    "interval, counted from 1970."
                ),
                is_right=True,
            ),
            Choice(
                "At 11:50.",
                "Intervals are not counted from the query's start.",
            ),
            Choice(
                "At 10:51, as soon as the first is done.",
                "That is the default trigger. With an interval, the stream waits for its next multiple.",
            ),
        ),
    ),
    Question(
        (
            "A job with `once` failed after a three-day outage because one batch did not fit in memory. "
            "It fails again at every start. Which change gets it running?"
        ),
        (
            Choice(
                "`availableNow` with a limit such as `maxFilesPerTrigger`.",
                (
                    "They only apply to batches that are planned later. This batch is already in `offsets`, so "
                    "every restart runs it as it is."
                ),
            ),
            Choice(
                "A new checkpoint for the same table.",
                "The query would append all files again, and the table would have the earlier days twice.",
            ),
            Choice(
                "One run on a machine with more memory.",
                (
                    "Every restart runs the batch that is in `offsets`, so it must fit once. After that, "
                    "`availableNow` with a limit prevents the next one."
                ),
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            'People read a dashboard every morning. Its stream runs with `processingTime="10 seconds"`. '
            "What costs least and shows the same?"
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
                "A batch query over all of the files, every morning.",
                "It would read everything every morning, and more of it every day.",
            ),
        ),
    ),
)
