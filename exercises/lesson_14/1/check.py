"""Check exercise 14.1, "Nothing is thrown away"."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from lesson_exercises.lesson_14.messages import must_be_text

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_EDIT = "meta STRUCT<id: STRING>, type STRING, title STRING, user STRING, wiki STRING"


def _messages(attempt: Attempt, topic: str) -> DataFrame:
    """Return the messages of one of the lesson's topics, with their values as edits."""
    return attempt.messages(topic).selectExpr("*", f"from_json(value, '{_EDIT}') AS edit")


def check(attempt: Attempt) -> None:
    """Compare with the topic, and name the two ways in which half of the broken messages is found."""
    stream = attempt.stream("broken")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    attempt.must_have_checkpoint(stream, "broken")
    made = attempt.table("broken_messages")
    must_be_text(made)
    every = _messages(attempt, "edits")
    columns = ["partition", "offset", "value"]
    if attempt.is_same(made, every.where("value IS NULL").select(columns)):
        raise Mistake(
            "Only messages without a value are there. What `from_json` cannot parse is not `NULL`, but a struct whose "
            "fields are empty: test a field that every edit has."
        )
    if attempt.is_same(made, every.where("value IS NOT NULL AND edit.meta.id IS NULL").select(columns)):
        raise Mistake(
            "Truncated messages are in the table, but messages without a value are missing. Test a field that is "
            "NULL for both."
        )
    if attempt.is_same(made, every.select(columns)):
        raise Mistake("Every message is there, the edits too. Leave out those that could be decoded.")
    if made.isEmpty():
        raise Mistake("The table is empty. `edits` has no broken messages any more: begin with `decoded`.")
    attempt.compare(made, every.where("edit.meta.id IS NULL").select(columns), "broken_messages")


_DECODED = """partition INT, offset LONG, value BINARY, edit STRUCT<meta: STRUCT<id: STRING, dt: TIMESTAMP>,
    type: STRING, title: STRING, user: STRING, wiki: STRING>"""


def _decoded(sandbox: Sandbox) -> None:
    """Plant values that are missing, cut off, empty or without an id, and edits without a time or a wiki."""
    when = datetime(2024, 3, 5, 12)
    nothing = (None, None, None, None, None)
    rows = [
        (0, 0, b"whole", (("a", when), "edit", "T", "u", "enwiki")),
        (0, 1, None, None),
        (1, 0, None, nothing),
        (1, 1, b"{cut off", nothing),
        (1, 2, b"no id", ((None, when), "edit", "T", "u", "enwiki")),
        (2, 0, b"no time", (("b", None), "edit", "T", "u", "enwiki")),
        (2, 1, b"no wiki", (("c", when), "new", None, "u", None)),
        (2, 2, b"", nothing),
    ]
    sandbox.append("planted", rows, _DECODED)
    sandbox.keep(decoded=sandbox.stream("planted"))


def _more_decoded(sandbox: Sandbox) -> None:
    """Append one more message that cannot be decoded, after the restart."""
    sandbox.append("planted", [(0, 2, b"later", None)], _DECODED)


MAKES = Makes(variables=("broken",), tables=("broken_messages",), folders=("checkpoints/broken",))

HIDDEN = (
    HiddenTest(
        _decoded,
        ("broken_messages",),
        later=(_more_decoded,),
        says="Your cell was run on other messages: without an id but with a wiki, without a value, empty.",
    ),
)
