"""The quiz of lesson 12: which change is the newest, and what a table remembers of a row that is gone."""

from __future__ import annotations

from streaming_classroom.exercises import Choice, Question

QUESTIONS = (
    Question(
        "The events have no `sequence`, only `changed_at`. What can go wrong?",
        (
            Choice(
                "Nothing, as long as all times are in UTC: the latest time is the newest change.",
                "Only if a single clock wrote all of them, and never twice at the same time.",
            ),
            Choice(
                "Two changes can have one time, and clocks differ.",
                "Ask the source for its own number, such as a position in the database's log.",
                is_right=True,
            ),
            Choice(
                "`MERGE` can't compare times, so they have to be converted to numbers first.",
                "It can, and that is not the problem.",
            ),
        ),
    ),
    Question(
        "Why is it not enough to reduce each batch to the newest change of a customer?",
        (
            Choice(
                "That change can be older than the row in the table.",
                "Only `change.sequence > customer.sequence` detects that.",
                is_right=True,
            ),
            Choice(
                "The batch can have two changes with the same sequence, and one of them is chosen at random.",
                "Those are the same event, sent twice.",
            ),
            Choice(
                "`MERGE` needs all changes of a customer to find out which of them is the newest.",
                "It rejects more than one that updates the same row.",
            ),
        ),
    ),
    Question(
        "How long must tombstones be kept?",
        (
            Choice(
                "Until the next `VACUUM`, which removes them together with the old files.",
                "`VACUUM` removes files of old versions; a tombstone is in the newest.",
            ),
            Choice(
                "Until the end of the batch: from then on the table has no row of the customer.",
                "The older change can be in the next one.",
            ),
            Choice(
                "As long as an older change can still arrive.",
                (
                    "For example from a replay of the source. A change that arrives after the tombstone is gone "
                    "inserts the row again."
                ),
                is_right=True,
            ),
        ),
    ),
    Question(
        "A function that sets `txnAppId` and `txnVersion` runs two `MERGE` statements on a table. What happens?",
        (
            Choice(
                "The second raises an error, because its transaction number is in the log already.",
                "Delta skips it silently.",
            ),
            Choice(
                "The second is skipped, each time, silently.",
                "Write to each table once per batch, or give each write its own application id.",
                is_right=True,
            ),
            Choice(
                "Both are applied once per batch, as they belong to the same application.",
                "The second finds the batch in the table's log.",
            ),
        ),
    ),
    Question(
        "`living` is maintained from the change data feed. Why does its stream need the preimages?",
        (
            Choice(
                "To find out whether an event was delivered twice, so that it is counted once.",
                "An update that is applied once has one preimage, and one postimage.",
            ),
            Choice(
                "To see in which order two updates of one customer were made.",
                "`_commit_version` says that.",
            ),
            Choice(
                "To subtract the customer from the old country.",
                "Without it you would have to read the table to know what the value was.",
                is_right=True,
            ),
        ),
    ),
)
