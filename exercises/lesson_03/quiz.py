"""The quiz of lesson 03: what each source promises."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            'A partner "corrects" yesterday\'s file in place. The stream over that folder keeps running without '
            "an error. What is in your table?"
        ),
        (
            Choice(
                "The corrected rows.",
                "The path is known, so the file is not read again.",
            ),
            Choice(
                "Yesterday's rows, as they were.",
                "The file source identifies files by their path. Ask for corrections under new names.",
                is_right=True,
            ),
            Choice(
                "Both the old rows and the corrected ones.",
                "The file is not read a second time, so nothing is added.",
            ),
        ),
    ),
    Question(
        "A program writes a large file directly into the folder that your stream reads. What can happen?",
        (
            Choice(
                "Spark waits until the file is closed.",
                "A file system does not say whether a program is still writing.",
            ),
            Choice(
                "The stream reads the part that is there, and never the rest.",
                "The file was seen, so it counts as read. Write it elsewhere and move it in when it is complete.",
                is_right=True,
            ),
            Choice(
                "The stream fails and reads the file again later.",
                "A half-written JSON file is often valid up to its last line, so nothing fails.",
            ),
        ),
    ),
    Question(
        (
            "A nightly `DELETE` for data protection runs on a Delta table that a stream reads. What does the "
            "stream do if no option is set?"
        ),
        (
            Choice(
                "It skips the change and continues.",
                "It does so only with `skipChangeCommits`, and then copies of the deleted rows remain downstream.",
            ),
            Choice(
                "It deletes the rows downstream as well.",
                "A stream of a table's rows cannot express that a row was deleted. The change data feed can.",
            ),
            Choice(
                "It fails, so that you decide.",
                "`skipChangeCommits` continues without the change; the change data feed delivers it as an event.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "Which of these can a stream read a second time, exactly as the first time?",
        (
            Choice(
                "Data that arrived over a socket.",
                "The socket delivered it once and did not store it.",
            ),
            Choice(
                "The batch of files that is recorded in `offsets`.",
                "The log names the files, and the files are still there.",
                is_right=True,
            ),
            Choice(
                "Nothing: a stream reads forward only.",
                (
                    "A batch that was planned but not finished is read again at every restart. Without that, no "
                    "query would be exactly-once."
                ),
            ),
        ),
    ),
)
