"""The quiz of lesson 09: which rows a window counts, and what a delay costs."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "The watermark is 12:05, and windows are 15 minutes long. An event of 12:01 arrives. What happens to it?",
        (
            Choice(
                "It is dropped, because it happened four minutes before the watermark.",
                "It is late, but the end of its window decides, and that is 12:15.",
            ),
            Choice(
                "It is counted, and moves the watermark back to 12:01 for the next batch.",
                "A watermark never goes back.",
            ),
            Choice(
                "It is counted like an event of 12:06.",
                "Its window lasts until 12:15 and is still open, so counting it costs nothing.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "A stream in append mode gets no data at night. In the morning the evening's last windows are missing. Why?",
        (
            Choice(
                "Without events the watermark does not advance.",
                "They are emitted when an event arrives that happened the delay or more after their end.",
                is_right=True,
            ),
            Choice(
                "The query closed the windows at midnight and dropped what was in them.",
                "They are in the state, and wait for the watermark.",
            ),
            Choice(
                "A batch without data does not commit, so the checkpoint has lost the evening.",
                "It commits like any other batch, and the state is in the checkpoint.",
            ),
        ),
    ),
    Question(
        (
            "A query failed at midnight and was restarted at eight. Its counts for the night are higher than usual. "
            "What is the likely reason?"
        ),
        (
            Choice(
                "The batch that failed at midnight was run twice, and its rows were counted twice.",
                "The restart runs the failed batch again, and its rows count once.",
            ),
            Choice(
                "Late rows were read in the same batch as all others.",
                "A live stream would have dropped some of them. The guarantee has one direction only.",
                is_right=True,
            ),
            Choice(
                "The watermark went back to midnight, so that later rows were no longer late.",
                "It never goes back; it is stored in the checkpoint.",
            ),
        ),
    ),
    Question(
        "`numRowsDroppedByWatermark` says 40, with tumbling windows. How many input rows were lost?",
        (
            Choice(
                "Exactly 40: each dropped row is counted once.",
                "Spark counts after it has combined the rows of a batch that have the same key.",
            ),
            Choice(
                "40 or more.",
                "Each of the 40 can be several input rows, combined. `late_rows` finds them.",
                is_right=True,
            ),
            Choice(
                "At most 40: some of them were counted in another window.",
                ("A tumbling window is the only one of its row. Combined rows are counted once, so there can be more."),
            ),
        ),
    ),
    Question(
        "A team wants to lose nothing and sets the delay to seven days. What is the price in append mode?",
        (
            Choice(
                "None, because a long delay only makes the query safer and costs a little memory.",
                "State and waiting grow with the delay.",
            ),
            Choice(
                "Each batch takes longer, up to a week for those with late rows in them.",
                "Batches are about as short as before. The results wait.",
            ),
            Choice(
                "Results that are a week old, and a week of windows in the state.",
                "If late rows matter that much, emit quick results and correct them with a daily batch.",
                is_right=True,
            ),
        ),
    ),
)
