"""The quiz of lesson 08: schemas that change, values that do not fit, files that were read."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "You delete the checkpoint directory and start the program again, on the same table. What happens?",
        (
            Choice(
                "It continues with the newest file, because the table records which files its rows came from.",
                "The table has no list of files. The list was in the checkpoint.",
            ),
            Choice(
                "Nothing until a file lands: the schema of the table tells Auto Loader what it has read.",
                "A schema says nothing about files.",
            ),
            Choice(
                "Every file is read again, and all rows are in the table twice.",
                "A new checkpoint is a new stream. The schema is inferred again as well.",
                is_right=True,
            ),
        ),
    ),
    Question(
        (
            "Your stream fails with `UNKNOWN_FIELD_EXCEPTION` each time that your loop starts it. What do you check "
            "first?"
        ),
        (
            Choice(
                "Whether the loop calls `load` again.",
                "A DataFrame keeps the schema of the moment when it was loaded.",
                is_right=True,
            ),
            Choice(
                "Whether the writer has `mergeSchema`, so that the table accepts the new column.",
                "Then the error would be Delta's.",
            ),
            Choice(
                "Whether the checkpoint still has the schema versions of the last run.",
                "The failing run has written one more; a lost directory would give no such error.",
            ),
        ),
    ),
    Question(
        (
            "A stream with the mode `rescue` shows no error. Its supplier now writes `heartRate` for `heartrate`. "
            "Where are the values?"
        ),
        (
            Choice(
                "In a new column `heartRate`, which the next schema version has added.",
                "This mode adds no column.",
            ),
            Choice(
                "In `_rescued_data`; `heartrate` is NULL.",
                "Watch the share of rows with rescued data, and of NULLs where there should be none.",
                is_right=True,
            ),
            Choice(
                "In `heartrate`, because SQL does not distinguish upper and lower case.",
                "SQL does not, but the parser of this source does, unless you tell it not to.",
            ),
        ),
    ),
    Question(
        "Which evolution mode fits an alarm that must never stop and must drop nothing?",
        (
            Choice(
                "`addNewColumns`",
                "It stops once for each batch with new columns.",
            ),
            Choice(
                "`none`",
                "It drops the value silently.",
            ),
            Choice(
                "`rescue`",
                "It never fails because of a column, and keeps the value.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "A directory holds ten million ingested files, and ten new ones land per hour. What makes each run slow?",
        (
            Choice(
                "Listing the directory.",
                "Move ingested files away with `cleanSource`, or use file events, which replace listing.",
                is_right=True,
            ),
            Choice(
                "Comparing the checkpoint's ten million offsets with the files.",
                "The offset of a batch is one number, however many files it covers.",
            ),
            Choice(
                "Inferring the schema from all files again.",
                "It was inferred once, from a sample, and is stored.",
            ),
        ),
    ),
)
