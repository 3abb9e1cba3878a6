"""The quiz of lesson 03: what each source promises."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            'A partner "corrects" yesterday\'s file in place. The stream over that folder goes on '
            "without an error. What is in your table?"
        ),
        (
            Choice(
                "The corrected rows.",
                "The path is known, so the file is not opened again.",
            ),
            Choice(
                "Yesterday's rows, as they were.",
                "The file source knows files by their path. Ask for corrections under new names.",
                is_right=True,
            ),
            Choice(
                "Both, the old rows and the corrected ones.",
                "The file is not read a second time, so nothing is added.",
            ),
        ),
    ),
    Question(
        "A program writes a large file straight into the folder that your stream reads. What may happen?",
        (
            Choice(
                "Spark waits until the file is closed.",
                "A file system does not say whether somebody still writes.",
            ),
            Choice(
                "The stream reads the part that is there, and never the rest.",
                "The file was seen, so it counts as read. Write elsewhere and move the file in when it is whole.",
                is_right=True,
            ),
            Choice(
                "The stream fails and reads the file again later.",
                "A half-written JSON file is often valid up to its last line, so there is nothing to fail on.",
            ),
        ),
    ),
    Question(
        (
            "A nightly `DELETE` for data protection runs on a Delta table that a stream reads. "
            "What does the stream do, without any option?"
        ),
        (
            Choice(
                "It passes over the change and goes on.",
                "It does so only with `skipChangeCommits`, and then the deleted rows stay where they were copied to.",
            ),
            Choice(
                "It deletes the rows downstream as well.",
                "A stream of a table's rows has no way to say that a row has gone. The change data feed has.",
            ),
            Choice(
                "It fails, so that you decide.",
                "`skipChangeCommits` goes on without the change; the change data feed brings it as an event.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "Which of these can a stream read a second time, exactly as the first?",
        (
            Choice(
                "What came over a socket.",
                "It was handed over once and is gone.",
            ),
            Choice(
                "The batch of a folder's files that is noted in `offsets`.",
                "The plan names the files, and the files are still there.",
                is_right=True,
            ),
            Choice(
                "Nothing: a stream reads forward only.",
                (
                    "A batch that was planned and not finished is read again at every restart. Without "
                    "that nothing would be exactly once."
                ),
            ),
        ),
    ),
)
