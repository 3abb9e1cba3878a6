"""Exercises of lesson 14: keep what cannot be decoded, send messages of your own."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_EDIT = "meta STRUCT<id: STRING>, type STRING, title STRING, user STRING, wiki STRING"


def _messages(attempt: Attempt, topic: str) -> DataFrame:
    """Return what is in one of the lesson's topics now, with its values as edits."""
    return attempt.messages(topic).selectExpr("*", f"from_json(value, '{_EDIT}') AS edit")


# ------------------------------------------------------------------------------------ 14.1 nothing is thrown away

BROKEN_STARTER = """
DA.exercise("14.1")  # removes what an earlier attempt created

broken = None  # from decoded: the messages that are no edits
"""

BROKEN_SOLUTION = """
DA.exercise("14.1")  # removes what an earlier attempt created

broken = (decoded
    .where("edit.meta.id IS NULL")
    .selectExpr("partition", "offset", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/broken")
    .trigger(availableNow=True)
    .toTable("broken_messages"))
"""


def check_broken(attempt: Attempt) -> None:
    """Compare with the topic; first with each of the two ways in which a half of the broken messages is found."""
    stream = attempt.stream("broken")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    attempt.must_have_checkpoint(stream, "broken")
    made = attempt.table("broken_messages")
    _must_be_text(made)
    every = _messages(attempt, "edits")
    columns = ["partition", "offset", "value"]
    if attempt.is_same(made, every.where("value IS NULL").select(columns)):
        raise Mistake(
            "Only messages without a value are there. What `from_json` cannot read is no `NULL`, but a row with empty "
            "columns: ask for one that every edit has."
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


def _must_be_text(made: DataFrame) -> None:
    if dict(made.dtypes).get("value") == "binary":
        raise Mistake("`value` is bytes. As text it can be read by people: `CAST(value AS STRING) AS value`.")


_DECODED = """partition INT, offset LONG, value BINARY, edit STRUCT<meta: STRUCT<id: STRING, dt: TIMESTAMP>,
    type: STRING, title: STRING, user: STRING, wiki: STRING>"""


def _decoded(sandbox: Sandbox) -> None:
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
    sandbox.append("planted", [(0, 2, b"later", None)], _DECODED)


BROKEN = Exercise(
    id="14.1",
    title="Nothing is thrown away",
    starter=BROKEN_STARTER,
    hints=(
        "What has every edit, and no broken message? The line that makes `edits` asks for it.",
        "`edit.meta.id` is `NULL` for all of them: where there was no value, `edit` is `NULL`, "
        "and so is what is in it.",
        '`decoded.where("edit.meta.id IS NULL").selectExpr("partition", "offset", "CAST(value AS STRING) AS value")`, '
        "then the writer, with its checkpoint and its trigger.",
    ),
    solution=BROKEN_SOLUTION,
    why=(
        "A message that cannot be decoded today may be decoded tomorrow, after someone has fixed the schema; and if "
        "a hundred come where there was one, somebody upstream has changed something. Partition and offset say which "
        "message it was. One condition finds all kinds, also those that nobody has thought of: it is the opposite of "
        "the one that lets edits through."
    ),
    check=check_broken,
    hidden=(
        HiddenTest(
            _decoded,
            ("broken_messages",),
            later=(_more_decoded,),
            says="Your cell was run on other messages: without an id but with a wiki, without a value, empty.",
        ),
    ),
    wrong=(
        WrongAnswer(BROKEN_SOLUTION.replace("edit.meta.id IS NULL", "edit IS NULL"), "Only messages without a value"),
        WrongAnswer(
            BROKEN_SOLUTION.replace("edit.meta.id IS NULL", "value IS NOT NULL AND edit.meta.id IS NULL"),
            "messages without a value are missing",
        ),
        WrongAnswer(BROKEN_SOLUTION.replace('    .where("edit.meta.id IS NULL")\n', ""), "the edits too"),
        WrongAnswer(
            BROKEN_SOLUTION.replace("(decoded", "(edits")
            .replace("edit.meta.id", "id")
            .replace('"partition", "offset", "CAST(value AS STRING) AS value"', '"id", "title", "user"'),
            "begin with `decoded`",
        ),
        WrongAnswer(BROKEN_SOLUTION.replace("CAST(value AS STRING) AS value", "value"), "is bytes"),
        WrongAnswer(BROKEN_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(BROKEN_SOLUTION.replace("checkpoints}/broken", "checkpoints}/other"), "was asked for"),
    ),
    makes=Makes(variables=("broken",), tables=("broken_messages",), folders=("checkpoints/broken",)),
)

# --------------------------------------------------------------------------------------------------- 14.2 new pages

PAGES_STARTER = """
DA.exercise("14.2")  # removes what an earlier attempt created
new_pages = DA.kafka.create_topic("new_pages")

welcome = None  # a message to new_pages for each new page
"""

PAGES_SOLUTION = """
DA.exercise("14.2")  # removes what an earlier attempt created
new_pages = DA.kafka.create_topic("new_pages")

welcome = (edits
    .where("type = 'new'")
    .selectExpr("wiki AS key", "to_json(struct(id, title, user)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", new_pages)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/welcome")
    .trigger(availableNow=True)
    .start())
"""

_WELCOME = "id STRING, title STRING, user STRING"


def check_pages(attempt: Attempt) -> None:
    """Read the topic as the one who welcomes would, and compare with the edits that are in the other one."""
    stream = attempt.stream("welcome")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    attempt.must_have_checkpoint(stream, "welcome")
    sent = attempt.messages("new_pages").select("key", "value")
    edits = _messages(attempt, "edits").where("edit.meta.id IS NOT NULL")
    _must_be_json(sent)
    _must_have_keys(sent)
    made = sent.selectExpr("key", f"from_json(value, '{_WELCOME}') AS page").select("key", "page.*")
    columns = ("edit.wiki AS key", "edit.meta.id", "edit.title", "edit.user")
    if attempt.is_same(made, edits.selectExpr(*columns)):
        raise Mistake("Every edit has become a message. Only those with the type `new` are new pages.")
    attempt.compare(made, edits.where("edit.type = 'new'").selectExpr(*columns), "the messages in new_pages")


def _must_be_json(sent: DataFrame) -> None:
    odd = sent.where(f"from_json(value, '{_WELCOME}').id IS NULL").first()
    if odd is not None:
        raise Mistake(f"A value is to be JSON with an `id`: `to_json(struct(...))`. This one is: {str(odd.value)[:60]}")


def _must_have_keys(sent: DataFrame) -> None:
    if sent.where("key IS NULL").count():
        raise Mistake("The messages have no key, so that those of one wiki are in no order. Name a column `key`.")


_EDITS = "id STRING, dt TIMESTAMP, type STRING, title STRING, user STRING, wiki STRING, length INT"


def _edits(sandbox: Sandbox) -> None:
    kinds = ("new", "edit", "categorize", "New", None, "new")
    rows = [(str(n), None, kind, f"T{n}", f"u{n}", f"wiki{n % 2}", n) for n, kind in enumerate(kinds)]
    sandbox.append("planted", rows, _EDITS)
    sandbox.keep(edits=sandbox.stream("planted"))


def _more_edits(sandbox: Sandbox) -> None:
    sandbox.append("planted", [("9", None, "new", "T9", None, "wiki9", 9)], _EDITS)


def _sent(sandbox: Sandbox) -> DataFrame:
    source = sandbox.spark.read.format("kafka").options(**sandbox.kafka.options)
    messages = source.option("subscribe", sandbox.kafka.topic("new_pages")).load()
    return messages.selectExpr("CAST(key AS STRING) AS key", "CAST(value AS STRING) AS value")


PAGES = Exercise(
    id="14.2",
    title="New pages",
    starter=PAGES_STARTER,
    hints=(
        "It is `send_alerts` with another condition, another topic and other columns.",
        "The sink takes two columns: `wiki AS key` and `to_json(struct(id, title, user)) AS value`.",
        "`edits.where(\"type = 'new'\").selectExpr(...).writeStream.format('kafka').options(**DA.kafka.options)`, "
        "then the topic, the checkpoint, the trigger and `.start()`.",
    ),
    solution=PAGES_SOLUTION,
    why=(
        "A message is bytes again: `to_json` makes text of the columns, and the sink sends it. With the wiki as key, "
        "the new pages of one wiki stay in one partition and in order. The id lets a reader drop what comes twice."
    ),
    check=check_pages,
    hidden=(
        HiddenTest(
            _edits,
            (_sent,),
            later=(_more_edits,),
            needs_kafka=True,
            says="Your cell was run on other edits, and again after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(PAGES_SOLUTION.replace("    .where(\"type = 'new'\")\n", ""), "Every edit has become a message"),
        WrongAnswer(PAGES_SOLUTION.replace('"wiki AS key", ', ""), "have no key"),
        WrongAnswer(PAGES_SOLUTION.replace("to_json(struct(id, title, user))", "title"), "is to be JSON"),
        WrongAnswer(PAGES_SOLUTION.replace("struct(id, ", "struct("), "is to be JSON"),
        WrongAnswer(PAGES_SOLUTION.replace(" AS value", ""), "Required attribute 'value' not found"),
        WrongAnswer(PAGES_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(PAGES_SOLUTION.replace("checkpoints}/welcome", "checkpoints}/other"), "was asked for"),
    ),
    makes=Makes(variables=("welcome",), topics=("new_pages",), folders=("checkpoints/welcome",), by_starter=True),
)

EXERCISES = (BROKEN, PAGES)
