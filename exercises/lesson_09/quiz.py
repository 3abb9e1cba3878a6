"""The quiz of lesson 09: which rows a window counts, and what a delay costs."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "The watermark is 12:05, and windows are 15 minutes long. An event of 12:01 arrives. What happens to it?",
        (
            Choice(
                "It is dropped, because it happened before the watermark.",
                "It is late, but the end of its window decides, and that is 12:15.",
            ),
            Choice(
                "It is counted.",
                "Its window lasts until 12:15 and is still open, so counting it costs nothing.",
                is_right=True,
            ),
            Choice(
                "It moves the watermark back to 12:01.",
                "A watermark never goes back.",
            ),
        ),
    ),
    Question(
        "`numRowsDroppedByWatermark` says 40, with tumbling windows. How many input rows were lost?",
        (
            Choice(
                "Exactly 40.",
                "Spark counts after it has combined the rows of a batch that have the same key.",
            ),
            Choice(
                "At most 40.",
                "Rows of a batch that have the same key are combined before they are counted: there may be more.",
            ),
            Choice(
                "40 or more.",
                "Each of the 40 may be several input rows, combined. `late_rows` finds them.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "A stream in append mode gets no data at night. In the morning the evening's last windows are missing. Why?",
        (
            Choice(
                "The watermark follows event times, and without events it does not advance.",
                "They are emitted when an event arrives that happened the delay or more after their end.",
                is_right=True,
            ),
            Choice(
                "The query has dropped them.",
                "They are in the state, and wait for the watermark.",
            ),
            Choice(
                "The checkpoint was not written at night.",
                "A batch without data writes none, but nothing is lost.",
            ),
        ),
    ),
    Question(
        "A query failed at midnight and was restarted at eight. Its counts for the night are higher than usual. "
        "What may have happened?",
        (
            Choice(
                "Rows were counted twice.",
                "The checkpoint makes the restart continue with the batch that failed, and its rows count once.",
            ),
            Choice(
                "The watermark went back to midnight.",
                "It never goes back; it is stored in the checkpoint.",
            ),
            Choice(
                "Late rows were in the same large batch as the others, before the watermark could advance.",
                "A live stream would have dropped them. The guarantee has one direction only.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "Somebody wants to lose nothing and sets the delay to seven days. What is the price in append mode?",
        (
            Choice(
                "None: a long delay only makes the query safer.",
                "State and waiting grow with the delay.",
            ),
            Choice(
                "Each result is at least a week old, and the state holds a week of windows for every key.",
                "If late rows matter that much, emit quick results and correct them with a daily batch.",
                is_right=True,
            ),
            Choice(
                "Each batch takes a week.",
                "Batches are as short as before. Only the results wait.",
            ),
        ),
    ),
)
