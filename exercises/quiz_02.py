"""The quiz of lesson 02: reading, watching and managing a stream."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "A stream has no limit for a batch, and rows come twice as fast as before. What happens first?",
        (
            Choice(
                "Rows are lost.",
                "Nothing is lost: what comes during a batch waits for the next.",
            ),
            Choice(
                "Batches have more rows.",
                (
                    "What has come during one batch is the next. Whether the stream keeps up depends on "
                    "how much longer a larger batch takes."
                ),
                is_right=True,
            ),
            Choice(
                "There are more batches at the same time.",
                "Batches of one query never overlap.",
            ),
        ),
    ),
    Question(
        "And with a limit of one file a batch?",
        (
            Choice(
                "Batches stay as they are, and the backlog grows.",
                (
                    "A limit keeps batches small. Neither of the two rates shows the backlog: you have to "
                    "look at what is waiting."
                ),
                is_right=True,
            ),
            Choice(
                "The limit is raised while it is needed.",
                "A limit is what you have set, whatever waits.",
            ),
            Choice(
                "The source slows down.",
                "Whoever writes the files does not know that somebody reads them.",
            ),
        ),
    ),
    Question(
        "In `status`, `isTriggerActive` is false and `isDataAvailable` is false. What do you know?",
        (
            Choice(
                "The stream is dead.",
                "It may be, but a stream that waits says the same. `isActive` and `exception()` tell.",
            ),
            Choice(
                "The source is broken.",
                "To find nothing new is no fault.",
            ),
            Choice(
                "No batch is being made. It may be idle, or dead.",
                "A stream that finds nothing new says so, and a dead one too. `isActive` and `exception()` tell which.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "A query is restarted after a deployment. Which of its names stays the same as long as the checkpoint does?",
        (
            Choice(
                "`id`",
                "It is kept in the checkpoint: search the logs for it, and you have the query's whole history.",
                is_right=True,
            ),
            Choice(
                "`runId`",
                "It is new with each start, which tells one run from another.",
            ),
            Choice(
                "Only `name`, which is kept in the checkpoint.",
                "The name is what your code says at each start. The checkpoint does not know it.",
            ),
        ),
    ),
    Question(
        (
            "A service starts three streams with `start()` and goes on to other work. All three "
            "die in the night. Who is told?"
        ),
        (
            Choice(
                "The service: the error is raised in its main thread.",
                "`start()` has returned long ago. The error is raised in whoever waits.",
            ),
            Choice(
                "Nobody.",
                (
                    "A failing stream raises in `awaitTermination()`, or tells a listener. If nobody "
                    "waits and nobody listens, nobody hears."
                ),
                is_right=True,
            ),
            Choice(
                "Spark starts them again.",
                "Spark repeats tasks, not queries. Somebody must start them again, and so must know.",
            ),
        ),
    ),
)
