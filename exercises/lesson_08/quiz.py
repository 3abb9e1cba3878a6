"""The quiz of lesson 08: schemas that change, values that do not fit, files that were read."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "You delete the checkpoint directory and start the program again, on the same table. What happens?",
        (
            Choice(
                "Every file is read again, and all rows are in the table twice.",
                "A new checkpoint is a new stream. The schema is inferred again as well.",
                is_right=True,
            ),
            Choice("Nothing: the table knows its files.", "The list of files is in the checkpoint."),
            Choice("The stream continues with the newest file.", "It has nothing that says which one that is."),
        ),
    ),
    Question(
        "Your stream fails with `UNKNOWN_FIELD_EXCEPTION` each time that your loop starts it. What do you check first?",
        (
            Choice("Whether the table has `mergeSchema`.", "Then the error would be Delta's."),
            Choice(
                "Whether the loop calls `load` again.",
                "A DataFrame keeps the schema of the moment when it was loaded.",
                is_right=True,
            ),
            Choice("Whether the checkpoint is still there.", "Without one the stream would read all files again."),
        ),
    ),
    Question(
        "A supplier renames `heartrate` to `heartRate`. Your stream infers the schema and shows no error. "
        "Where are the values?",
        (
            Choice("In a new column.", "Another spelling of a known column is no new column."),
            Choice("In `heartrate`.", "Only if `readerCaseSensitive` is false."),
            Choice(
                "In `_rescued_data`, and `heartrate` is NULL.",
                "Watch the share of rows with rescued data, and of NULLs where there should be none.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "Which evolution mode fits an alarm that must never stop and must drop nothing?",
        (
            Choice("`addNewColumns`", "It stops once for each batch with new columns."),
            Choice("`rescue`", "It never fails because of a column, and keeps the value.", is_right=True),
            Choice("`none`", "It drops the value silently."),
        ),
    ),
    Question(
        "A directory holds ten million ingested files, and ten new ones land per hour. What makes each run slow?",
        (
            Choice("Reading the ten files.", "That is the small part."),
            Choice(
                "Listing the directory.",
                "Move ingested files away with `cleanSource`, or use file events, which replace listing.",
                is_right=True,
            ),
            Choice("The checkpoint, which has ten million offsets.", "An offset is one number."),
        ),
    ),
)
