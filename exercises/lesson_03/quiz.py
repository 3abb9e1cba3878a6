"""The quiz of lesson 03: what each source guarantees."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            'A partner "corrects" yesterday\'s file in place. The stream over that folder keeps running '
            "without an error. What is in your table?"
        ),
        (
            Choice(
                "Yesterday's rows, as they were.",
                "The file source identifies files by their path. Ask for corrections under new names.",
                is_right=True,
            ),
            Choice(
                "The corrected rows.",
                "The path is known, so the file is not read again.",
            ),
            Choice(
                "The old rows and, after them, the corrected ones.",
                "The file is not read a second time, so nothing is added.",
            ),
        ),
    ),
    Question(
        (
            "A nightly `DELETE` for data protection runs on a Delta table that a stream reads. What does "
            "the stream do if no option is set?"
        ),
        (
            Choice(
                "It skips the change and keeps running.",
                ("It does so only with `skipChangeCommits`, and then copies of the deleted rows remain downstream."),
            ),
            Choice(
                "It fails, so that you decide.",
                ("`skipChangeCommits` continues without the change; the change data feed delivers it as an event."),
                is_right=True,
            ),
            Choice(
                "It deletes the same rows downstream as well.",
                "A stream of a table's rows cannot express that a row was deleted. The change data feed can.",
            ),
        ),
    ),
    Question(
        (
            "A device sends its readings over a network connection, each of them once. What must be "
            "between the device and Spark for a stream that loses nothing?"
        ),
        (
            Choice(
                "A checkpoint on reliable storage.",
                "It records up to where a batch reads. It has no rows that could be read again.",
            ),
            Choice(
                "A second query over the same connection.",
                "Each query opens a connection of its own, and neither can ask for what was sent before.",
            ),
            Choice(
                "A process that stores the readings as files.",
                "What is stored can be read again: files, a table, or a message bus such as Kafka.",
                is_right=True,
            ),
        ),
    ),
)
