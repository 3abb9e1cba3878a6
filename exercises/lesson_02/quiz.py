"""The quiz of lesson 02: reading, watching and managing a stream."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            "A stream without a limit keeps up easily. Its machine is down for an hour, while files keep "
            "landing. What does the first batch after the restart read?"
        ),
        (
            Choice(
                "As much as before; the rest follows in later batches.",
                "Only a limit splits the backlog into batches of a known size.",
            ),
            Choice(
                "All files of that hour.",
                ("Without a limit, a batch reads everything that waits. That is why production streams set a limit."),
                is_right=True,
            ),
            Choice(
                "Only the files that land after the restart.",
                "The checkpoint records what has been read. All other files are new, however old they are.",
            ),
        ),
    ),
    Question(
        (
            "A stream reads one file per batch, and a batch takes two seconds. From now on, two files "
            "land per second. What do you see?"
        ),
        (
            Choice(
                "Batches with more and more rows.",
                "The limit fixes the size of a batch: one file.",
            ),
            Choice(
                "Batches that run side by side.",
                "Batches of one query never overlap.",
            ),
            Choice(
                "Files that wait longer and longer.",
                (
                    "The backlog grows by three files in two seconds. Neither the size nor the duration of a "
                    "batch shows it."
                ),
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "A program starts three streams and ends with `first.awaitTermination()`. At night, the "
            "second stream fails. What does the program do?"
        ),
        (
            Choice(
                "It keeps waiting for the first.",
                (
                    "`spark.streams.awaitAnyTermination()` would raise the error of whichever fails. A listener would "
                    "report it as well."
                ),
                is_right=True,
            ),
            Choice(
                "It ends with the error of the second.",
                "`awaitTermination()` raises the error of its own query only.",
            ),
            Choice(
                "Nothing: Spark restarts the second.",
                ("Spark retries tasks, not queries. Whatever is to restart the query must first learn of the failure."),
            ),
        ),
    ),
)
