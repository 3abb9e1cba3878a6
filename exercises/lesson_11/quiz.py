"""The quiz of lesson 11: what a processor may rely on, and what it may not."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "With the processor `Silence`: an oven was last heard at 1:00, so its timer is set for 1:10. The watermark's "
        "delay is ten minutes. When does the timer fire, at the earliest?",
        (
            Choice("At 1:10, by the machine's clock.", "The timer is one of event time: no clock is asked."),
            Choice(
                "In the batch after the one that has read a heartbeat of 1:20 or later from another oven.",
                "The watermark is ten minutes behind the newest event time, and it moves between two batches.",
                is_right=True,
            ),
            Choice("When the oven is heard again.", "Then the processor deletes the timer."),
        ),
    ),
    Question(
        "The watermark has passed an oven's timer, and the same batch brings a heartbeat of it. What happens first?",
        (
            Choice("`handleExpiredTimer` is called.", "Timers come after the input rows of the batch."),
            Choice(
                "`handleInputRows` is called.",
                "If it deletes the timer, nothing fires. So look at the rows for what the timer would have said.",
                is_right=True,
            ),
            Choice("That depends on which is older.", "Spark does not compare them."),
        ),
    ),
    Question(
        "A processor counts an oven's heartbeats in `self.count`, and emits the count when a timer fires. What does it "
        "emit?",
        (
            Choice("The number of heartbeats since the query was started.", "The object does not live so long."),
            Choice(
                "Something that depends on batches and restarts: only declared state is kept from batch to batch.",
                "Each task creates the object again, and one object sees the keys of a whole partition.",
                is_right=True,
            ),
            Choice("The number of the oven's heartbeats.", "`self` has no key: all keys of a partition share it."),
        ),
    ),
    Question(
        "A coupon is valid for a day after it was issued, by the time in the data. Which ends it?",
        (
            Choice(
                "An event-time timer.",
                "It decides about a result, so a replay has to decide the same.",
                is_right=True,
            ),
            Choice("A TTL of one day.", "It counts by the machine's clock from the last update: a replay differs."),
            Choice("The watermark drops it.", "The watermark drops late rows, and no state of a processor."),
        ),
    ),
    Question(
        "A processor passes all tests with `TwsTester`. What can still be wrong?",
        (
            Choice("What it emits for two heartbeats in one batch.", "A test of one call shows that."),
            Choice("What its timer emits.", "`setWatermark` fires it."),
            Choice(
                "How far the watermark has moved, and what a TTL removes.",
                "The tester has no TTL, and its watermark is where the test puts it. Those need a stream.",
                is_right=True,
            ),
        ),
    ),
)
