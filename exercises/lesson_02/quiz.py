"""The quiz of lesson 02: reading, watching and managing a stream."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "A stream has no limit per batch, and rows arrive twice as fast as before. What happens first?",
        (
            Choice(
                "Rows are lost.",
                "Nothing is lost: what arrives during a batch waits for the next.",
            ),
            Choice(
                "Batches have more rows.",
                (
                    "The next batch takes what arrived during the last one. Whether the stream keeps up depends "
                    "on how much longer a larger batch takes."
                ),
                is_right=True,
            ),
            Choice(
                "More batches run at the same time.",
                "Batches of one query never overlap.",
            ),
        ),
    ),
    Question(
        "And with a limit of one file per batch?",
        (
            Choice(
                "Batches keep their size, and the backlog grows.",
                (
                    "A limit keeps batches small. Neither of the two rates shows the backlog: compare with what "
                    "has landed."
                ),
                is_right=True,
            ),
            Choice(
                "The limit is raised automatically.",
                "The limit stays at the value you set, however much is waiting.",
            ),
            Choice(
                "The source slows down.",
                "The program that writes the files does not know that a stream reads them.",
            ),
        ),
    ),
    Question(
        "A query is restarted after a deployment. Which identifier stays the same as long as the checkpoint does?",
        (
            Choice(
                "`id`",
                "It is stored in the checkpoint. Search the logs for it to find the query's whole history.",
                is_right=True,
            ),
            Choice(
                "`runId`",
                "It is new with each start, so it tells runs apart.",
            ),
            Choice(
                "Only `name`, which is stored in the checkpoint.",
                "Your code sets the name at each start. The checkpoint does not store it.",
            ),
        ),
    ),
    Question(
        "In `status`, `isTriggerActive` is false and `isDataAvailable` is false. What do you know?",
        (
            Choice(
                "The stream is dead.",
                "It may be, but an idle stream reports the same. Check `isActive` and `exception()`.",
            ),
            Choice(
                "The source is broken.",
                "Finding nothing new is not an error.",
            ),
            Choice(
                "No batch is running. The stream may be idle or dead.",
                "An idle stream reports this, and so does a dead one. Check `isActive` and `exception()`.",
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "A service starts three streams with `start()` and continues with other work. All three fail "
            "overnight. Who is notified?"
        ),
        (
            Choice(
                "The service: the error is raised in its main thread.",
                "`start()` returned long ago. The error is raised in the thread that waits for the query.",
            ),
            Choice(
                "Nobody.",
                (
                    "A failed stream raises in `awaitTermination()` and notifies listeners. If nothing waits "
                    "and no listener is registered, the failure goes unnoticed."
                ),
                is_right=True,
            ),
            Choice(
                "Spark restarts them.",
                (
                    "Spark retries tasks, not queries. Something must restart the query, and so must learn of "
                    "the failure."
                ),
            ),
        ),
    ),
)
