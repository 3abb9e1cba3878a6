"""The quiz of lesson 01: what a stream is."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        'A colleague says: "Streaming is for those who need results within seconds." What do you answer?',
        (
            Choice(
                "True: for a nightly report one reads the table anew.",
                "Then each night costs more than the one before. A stream reads only what is new, also once a night.",
            ),
            Choice(
                "Latency is a choice of trigger; reading only what is new pays off once a night as well.",
                (
                    "The query stays the same from seconds to days. What it buys is that work is neither "
                    "done twice nor forgotten."
                ),
                is_right=True,
            ),
            Choice(
                "True, because a stream must run all the time.",
                "One triggered with `availableNow` takes what is there and ends.",
            ),
        ),
    ),
    Question(
        "The view `device_counts_tmp_vw` existed before any query ran over it. What was in it?",
        (
            Choice(
                "A description: nothing had been read.",
                "A view over a stream is a plan. Data is read when a query over it is started.",
                is_right=True,
            ),
            Choice(
                "The rows that were in `bronze` at that moment.",
                "That would be a copy. The view has no rows of its own, neither then nor later.",
            ),
            Choice(
                "Nothing, and it fills while the lesson goes on.",
                "A view never fills. The query over it has the state and the result.",
            ),
        ),
    ),
    Question(
        "`ORDER BY` is refused over the raw stream and accepted over the counts, in complete mode. Why?",
        (
            Choice(
                "Numbers can be sorted, times cannot.",
                "Both can. The type is not what matters.",
            ),
            Choice(
                "The counts are fewer rows.",
                "Few would not be enough. What matters is whether rows that were handed out can be taken back.",
            ),
            Choice(
                (
                    "The whole table of counts is written anew after each batch; a raw row that was "
                    "handed out cannot be taken back."
                ),
                (
                    "To sort is to know all rows. A result that is written as a whole can be sorted each "
                    "time; one that only grows cannot."
                ),
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "Two people start the same code with one checkpoint and two target tables, one after "
            "the other. What does the second get?"
        ),
        (
            Choice(
                "All rows, in a table of its own.",
                "The checkpoint says how far has been read, whoever reads.",
            ),
            Choice(
                "Only what has landed since the first was stopped.",
                (
                    "The checkpoint knows one query. What the first has read counts as done. One query, "
                    "one checkpoint, one sink."
                ),
                is_right=True,
            ),
            Choice(
                "An error, because the tables differ.",
                "The checkpoint does not know the table, so nobody notices: rows are missing without an error.",
            ),
        ),
    ),
    Question(
        (
            "The sink is a web service that adds every row it is sent. The stream fails half-way "
            "through a batch and is started again. Which rows has the service?"
        ),
        (
            Choice(
                "Some of them twice.",
                (
                    "The batch is run again from its beginning. A replayable source and a checkpoint make "
                    "at least once; for exactly once the sink must know what it has."
                ),
                is_right=True,
            ),
            Choice(
                "Each exactly once: the checkpoint sees to that.",
                "The checkpoint knows which batch was planned, not which rows a service has taken.",
            ),
            Choice(
                "The rest of the batch is missing.",
                "The batch is not noted as done, so it is run again.",
            ),
        ),
    ),
)
