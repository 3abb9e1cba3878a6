"""The quiz of lesson 11: what a processor may rely on, and what it may not."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        (
            "A processor counts an oven's heartbeats in `self.count`, and emits the count when a timer fires. What "
            "does it emit?"
        ),
        (
            Choice(
                "The number of the oven's heartbeats since the query was started, as long as it is not restarted.",
                "Each task creates the object again, so nothing in it lives that long.",
            ),
            Choice(
                "A number that depends on batches and partitions.",
                ("Only declared state is kept from batch to batch, and one object sees the keys of a whole partition."),
                is_right=True,
            ),
            Choice(
                "The number of the oven's heartbeats in the batch in which the timer fires.",
                "`self` has no key: all keys of a partition share it.",
            ),
        ),
    ),
    Question(
        (
            "With the processor `Silence`: an oven was last heard at 1:00, so its timer is set for 1:10. The "
            "watermark's delay is ten minutes. When does the timer fire, at the earliest?"
        ),
        (
            Choice(
                "When the oven is heard again, at 1:11 or later, because then ten minutes have passed for it.",
                "Then the processor deletes the timer.",
            ),
            Choice(
                "At 1:10 by the machine's clock, in the first batch that starts after that time.",
                "The timer is one of event time: no clock is asked.",
            ),
            Choice(
                "In the batch after one with another oven's heartbeat of 1:20.",
                "The watermark is ten minutes behind the newest event time, and it moves between two batches.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "The watermark has passed an oven's timer, and the same batch brings a heartbeat of it. What happens first?",
        (
            Choice(
                "`handleInputRows` is called.",
                "If it deletes the timer, nothing fires. So look at the rows for what the timer would have said.",
                is_right=True,
            ),
            Choice(
                "`handleExpiredTimer` is called, because the timer had expired before the batch.",
                "Timers come after the input rows of the batch.",
            ),
            Choice(
                "Whichever is older: Spark merges rows and timers in the order of their times.",
                "Spark does not compare them.",
            ),
        ),
    ),
    Question(
        "A coupon is valid for a day after it was issued, by the time in the data. What do you use to end it?",
        (
            Choice(
                "A TTL of one day on the coupon's state variable, which costs no code.",
                "It counts by the machine's clock from the last update: run again, the result differs.",
            ),
            Choice(
                "An event-time timer.",
                "It decides about a result, so another run has to decide the same.",
                is_right=True,
            ),
            Choice(
                "A watermark with a delay of one day, which drops the coupon when it has passed.",
                "The watermark drops late rows, and no state of a processor.",
            ),
        ),
    ),
    Question(
        "A processor passes all tests with `TwsTester`. What can still be wrong?",
        (
            Choice(
                "When its timers fire in a stream, and what a TTL removes.",
                "The tester has no TTL, and its watermark is where the test puts it. Those need a stream.",
                is_right=True,
            ),
            Choice(
                "What it emits for two heartbeats of one oven that arrive in one batch.",
                "A test of one call shows that.",
            ),
            Choice(
                "Which rows its timers emit after a heartbeat that was held back for some minutes.",
                "`setWatermark` fires the timers, and the test chooses the rows.",
            ),
        ),
    ),
)
