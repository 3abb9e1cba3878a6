"""The quiz of lesson 12: which change is the newest, and what a table remembers of a row that is gone."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "The events have no `sequence`, only `changed_at`. What can go wrong?",
        (
            Choice(
                "Two changes at the same time have no order, and clocks of two servers differ.",
                "Ask the source for its own number, such as a position in the database's log.",
                is_right=True,
            ),
            Choice(
                "Nothing: the latest time is the newest change.",
                "Only if a single clock wrote all of them.",
            ),
            Choice("`MERGE` can't compare times.", "It can, and that is not the problem."),
        ),
    ),
    Question(
        "Why is it not enough to reduce each batch to the newest change of a customer?",
        (
            Choice("The batch may have two changes with the same sequence.", "Those are the same event, sent twice."),
            Choice(
                "The newest change of a batch can be older than the row in the table.",
                "Only `change.sequence > customer.sequence` detects that.",
                is_right=True,
            ),
            Choice("`MERGE` needs all changes of a customer.", "It rejects more than one that updates the same row."),
        ),
    ),
    Question(
        "How long must tombstones be kept?",
        (
            Choice("Until the next `VACUUM`.", "`VACUUM` removes files of old versions; a tombstone is in the newest."),
            Choice("Until the end of the batch.", "The older change may be in the next one."),
            Choice(
                "As long as an older change may still arrive, for example from a replay of the source.",
                "A change that arrives after the tombstone is gone inserts the row again.",
                is_right=True,
            ),
        ),
    ),
    Question(
        "A function that sets `txnAppId` and `txnVersion` runs two `MERGE` statements on a table. What happens?",
        (
            Choice("Both are applied once per batch.", "The second finds the batch in the table's log."),
            Choice(
                "The second is skipped, each time, without an error.",
                "Write to each table once per batch, or give each write its own application id.",
                is_right=True,
            ),
            Choice("The second raises an error.", "Delta skips it silently."),
        ),
    ),
    Question(
        "An update of a row is two rows in the change data feed. What is the preimage good for?",
        (
            Choice(
                "To subtract the old value from a sum.",
                "Without it you would have to read the table to know what the value was.",
                is_right=True,
            ),
            Choice("To learn who made the update.", "That is in the table's history, and not in its rows."),
            Choice("To find duplicates.", "An update that is applied once has one preimage, and one postimage."),
        ),
    ),
)
