"""The quiz of lesson 00: how the classroom works."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        ("A stream is running, and you choose *Kernel > Restart Kernel*. What has happened to the stream?"),
        (
            Choice(
                "It ended with the kernel.",
                "Spark belongs to the kernel, and the stream to Spark. The browser page belongs to neither.",
                is_right=True,
            ),
            Choice(
                "It keeps running, and the new kernel finds it.",
                "The new kernel starts a Spark of its own, in which no stream has been started.",
            ),
            Choice(
                "It waits until the set-up cells have run.",
                ("The set-up cells start Spark and the lesson. Nothing restarts a stream but the code that starts it."),
            ),
        ),
    ),
)
