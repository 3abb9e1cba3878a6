"""The quiz of lesson 01: what a stream is."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "`ORDER BY` is rejected on the raw stream and accepted on the counts, in complete mode. Why?",
        (
            Choice(
                "Numbers can be sorted, times cannot.",
                "Both can. The type is not what matters.",
            ),
            Choice(
                "There are fewer counts than raw rows.",
                "The number of rows does not matter. What matters is whether emitted rows can be taken back.",
            ),
            Choice(
                (
                    "The whole table of counts is replaced after each batch; a raw row that was emitted cannot "
                    "be taken back."
                ),
                (
                    "Sorting needs all rows. A result that is replaced as a whole can be sorted each time; one "
                    "that only grows cannot."
                ),
                is_right=True,
            ),
        ),
    ),
    Question(
        "The view `device_counts_tmp_vw` existed before any query ran over it. What was in it?",
        (
            Choice(
                "Only a description: nothing had been read.",
                "A view over a stream is a query plan. Spark reads data when a query over the view starts.",
                is_right=True,
            ),
            Choice(
                "The rows that were in `bronze` at that moment.",
                "That would be a copy. The view never has rows of its own.",
            ),
            Choice(
                "Nothing, but it fills as the lesson proceeds.",
                "A view never fills. The query over it holds the state and the result.",
            ),
        ),
    ),
    Question(
        'A colleague says: "Streaming is only for results within seconds." What do you answer?',
        (
            Choice(
                "True: a nightly report should read the whole table again.",
                (
                    "Then each night costs more than the last. A stream reads only what is new, even if it runs "
                    "once a night."
                ),
            ),
            Choice(
                "The trigger sets the latency, and reading only new data pays off once a night as well.",
                (
                    "The same query serves latencies from seconds to days. Each row is processed once, and none "
                    "is forgotten."
                ),
                is_right=True,
            ),
            Choice(
                "True, because a stream must run all the time.",
                "A query with the trigger `availableNow` processes what is there and ends.",
            ),
        ),
    ),
    Question(
        (
            "Two people run the same filter in append mode one after the other, with the same checkpoint and two "
            "target tables. What does the second get?"
        ),
        (
            Choice(
                "All rows, in a table of its own.",
                "The checkpoint records how far the query has read, no matter who starts it.",
            ),
            Choice(
                "Only what has landed since the first run ended.",
                (
                    "The checkpoint belongs to one query, and what the first run read is not read again. Use "
                    "one checkpoint per query and sink."
                ),
                is_right=True,
            ),
            Choice(
                "An error, because the tables differ.",
                "The checkpoint does not record the table, so there is no error: rows are simply missing.",
            ),
        ),
    ),
    Question(
        (
            "The sink is a web service that appends every row it receives. The stream fails halfway through a "
            "batch and restarts. Which rows does the service end up with?"
        ),
        (
            Choice(
                "All rows, some of them twice.",
                (
                    "The batch is run again from its beginning. A replayable source and a checkpoint give "
                    "at-least-once delivery; exactly-once also needs a sink that recognizes what it already "
                    "has."
                ),
                is_right=True,
            ),
            Choice(
                "Each row exactly once: the checkpoint ensures that.",
                "The checkpoint records which batch was planned, not which rows a service has received.",
            ),
            Choice(
                "The rest of the batch is missing.",
                "The checkpoint has no commit for the batch, so the batch is run again.",
            ),
        ),
    ),
)
