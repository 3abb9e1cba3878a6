"""Exercises of lab 14L: who undoes whom, each undo once, wars, alerts while they go on, and the morning's report.

What is right is asked of the lesson's topics, in batch: a check says what they really hold, whatever has been sent.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from streaming_base.errors import short_message
from streaming_classroom.exercises import (
    Attempt,
    Exercise,
    HiddenTest,
    MadeStream,
    Makes,
    Mistake,
    NotTried,
    WrongAnswer,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_EDIT = "meta STRUCT<id: STRING, dt: TIMESTAMP>, wiki STRING, title STRING, user STRING, comment STRING"
_UNDO = "wiki STRING, title STRING, user STRING, undone STRING, dt TIMESTAMP, id STRING, arrived TIMESTAMP"
_ALERT = "wiki STRING, title STRING, one STRING, other STRING, start TIMESTAMP, undos LONG, first_undo TIMESTAMP"
_WAR = ["wiki", "title", "one", "other", "start"]  # what an alert is known by
_UNDOS = ["id", "dt", "wiki", "title", "user", "undone"]
_UNDONE = r"regexp_extract(comment, '^Undid revision [0-9]+ by (.+)$', 1)"
_LONGEST_DELAY = 3 * 60  # minutes of a watermark; nothing is an hour late


def _edits(attempt: Attempt) -> DataFrame:
    edits = attempt.messages("edits").selectExpr("timestamp AS arrived", f"from_json(value, '{_EDIT}') AS edit")
    return edits.select("edit.meta.id", "edit.meta.dt", "edit.*", "arrived").where("id IS NOT NULL AND dt IS NOT NULL")


def _undos(attempt: Attempt) -> DataFrame:
    """Return the topic's undos, doubles and all, as they are now: later messages do not change it."""
    undos = _edits(attempt).selectExpr("*", f"{_UNDONE} AS undone").where("undone <> ''")
    rows = undos.select("wiki", "title", "user", "undone", "dt", "id", "arrived").collect()
    return attempt.spark.createDataFrame(rows, _UNDO)


def _must_be_a_stream(view: DataFrame, name: str, source: str) -> None:
    if not view.isStreaming:
        raise Mistake(f"`{name}` is not a stream: it contains only the rows that exist now. Read `{source}`.")


class _Played(NamedTuple):
    """What a streaming view gives for all that is there now, and the reports of the batches that gave it."""

    rows: DataFrame
    reports: list[Any]


def _play(attempt: Attempt, view: DataFrame, mode: str) -> _Played:
    """Run a view as a stream of the check's own; a view that cannot be run is a mistake, in Spark's words."""
    from pyspark.errors import AnalysisException

    name = f"check_{uuid4().hex}"
    writer = view.writeStream.format("memory").queryName(name).outputMode(mode).trigger(availableNow=True)
    try:
        query = writer.start()
    except AnalysisException as error:
        raise Mistake(f"Your view cannot be run as a stream. Spark says: {short_message(error)}") from None
    try:
        attempt.wait_for_end(MadeStream(query), "Your view reads a source that never ends.", 60)
        rows = attempt.spark.table(name)
        return _Played(attempt.spark.createDataFrame(rows.collect(), rows.schema), list(query.recentProgress))
    finally:
        query.stop()
        attempt.spark.sql(f"DROP VIEW IF EXISTS {name}")


# ------------------------------------------------------------------------------------------ 14L.1 who undoes whom

UNDOS_STARTER = """
%sql
DROP VIEW IF EXISTS undos_vw;
-- CREATE TEMP VIEW undos_vw AS
-- SELECT id, dt, wiki, title, user, ... AS undone
-- FROM edits_vw ...
"""

UNDOS_SOLUTION = """
%sql
DROP VIEW IF EXISTS undos_vw;
CREATE TEMP VIEW undos_vw AS
SELECT id, dt, wiki, title, user, substring_index(comment, ' by ', -1) AS undone
FROM edits_vw
WHERE comment LIKE 'Undid revision %'
"""


def check_undos(attempt: Attempt) -> None:
    """Compare with the topic's undos, each as often as it is there."""
    view = attempt.view("undos_vw")
    _must_be_a_stream(view, "undos_vw", "edits_vw")
    undos = _undos(attempt)
    right = undos.select(_UNDOS)
    made = _play(attempt, view, "append").rows
    if attempt.is_same(made, right):
        return
    if set(made.columns) == set(_UNDOS):
        _must_be_undos(made, right)
    attempt.compare(made, right, "undos_vw")


def _must_be_undos(made: DataFrame, right: DataFrame) -> None:
    """Name the mistake, of rows that have the right columns."""
    if made.select("id").exceptAll(right.select("id")).count():
        raise Mistake(
            "Your view contains edits that undo nothing. The comment of an undo begins with `Undid revision`."
        )
    missing = right.join(made.select("id"), "id", "left_anti")
    if not missing.isEmpty() and missing.where("user NOT LIKE '%Bot'").isEmpty():
        raise Mistake("The bots' undos are missing. Keep them: a later exercise decides what is a war.")
    if made.count() != right.count():
        return
    if made.drop("dt").exceptAll(right.drop("dt")).isEmpty():
        raise Mistake(
            "Only `dt` is wrong. It must be the time of the edit, which is `dt` in `edits_vw`, not the time at which "
            "the message arrived."
        )
    wrong = made.exceptAll(right).select("id", "undone").join(right.selectExpr("id", "undone AS name"), "id").first()
    if wrong.undone and wrong.name.startswith(wrong.undone):
        raise Mistake(
            f"`undone` is `{wrong.undone}` where the comment names `{wrong.name}`. A name may be an IP address, "
            "which contains dots: take all the text after `by`."
        )
    if not wrong.undone:
        value = "`NULL`" if wrong.undone is None else "empty"
        raise Mistake(f"`undone` is {value} where the comment names `{wrong.name}`: take the text after `by`.")
    raise Mistake(
        f"`undone` is `{wrong.undone}` where the comment names `{wrong.name}`: take only the text after `by`."
    )


_PLANTED_EDIT = "id STRING, dt TIMESTAMP, wiki STRING, title STRING, user STRING, comment STRING, arrived TIMESTAMP"
_PLANTED_COMMENTS = (
    "Undid revision 71 by Ann",
    "Undid revision 72 by 203.0.113.5",
    "Undid revision 73 by Stand by Me",
    "Undid revision 74 by Some Bot",
    "undid revision 75 by Bea",
    "I think: Undid revision 76 by Cay",
    "Undid 77 by Dee",
    "Fixed by Eve",
    None,
)


def _noon(minutes: float) -> datetime:
    return datetime(2024, 3, 5, 12) + timedelta(minutes=minutes)


def _comments(sandbox: Sandbox) -> None:
    """Plant an address as a name, a bot that undoes and one that is undone, comments only like an undo, and NULL."""
    rows = [
        (str(n), _noon(n), f"wiki{n % 2}", "T", "Helper Bot" if n == 1 else "u", comment, _noon(n + 1))
        for n, comment in enumerate((*_PLANTED_COMMENTS[:2], *_PLANTED_COMMENTS[3:]))
    ]
    sandbox.append("planted", rows, _PLANTED_EDIT)
    sandbox.view("edits_vw", sandbox.stream("planted"))


UNDOS = Exercise(
    id="14L.1",
    title="Who undoes whom",
    starter=UNDOS_STARTER,
    hints=(
        "A condition on `comment` finds the undos; a string function extracts the name.",
        "`comment LIKE 'Undid revision %'`. The name is the text after ` by `, to the end of the comment.",
        "`substring_index(comment, ' by ', -1)` returns the text after the last ` by `.",
    ),
    solution=UNDOS_SOLUTION,
    why=(
        "Only the comment names the user whose edit was undone, so the text must be parsed. A user who is not logged "
        "in has an IP address as the name; a regular expression for letters and digits stops at its first dot."
    ),
    check=check_undos,
    hidden=(
        HiddenTest(
            _comments,
            ("undos_vw",),
            says="Your cell was run on other comments: names that are addresses, and comments that only look like "
            "an undo.",
        ),
    ),
    wrong=(
        WrongAnswer(UNDOS_SOLUTION.replace("WHERE comment LIKE 'Undid revision %'\n", ""), "that undo nothing"),
        WrongAnswer(
            UNDOS_SOLUTION.replace("substring_index(comment, ' by ', -1)", r"regexp_extract(comment, 'by (\\w+)', 1)"),
            "may be an IP address",
        ),
        WrongAnswer(UNDOS_SOLUTION.replace("substring_index(comment, ' by ', -1)", "comment"), "after `by`"),
        WrongAnswer(UNDOS_SOLUTION.replace("' by ', -1", "' by ', 0"), "`undone` is empty where the comment names"),
        WrongAnswer(UNDOS_SOLUTION.rstrip() + " AND user NOT LIKE '%Bot'\n", "bots' undos are missing"),
        WrongAnswer(UNDOS_SOLUTION.replace("FROM edits_vw", "FROM edits_now_vw"), "is not a stream"),
        WrongAnswer(UNDOS_SOLUTION.replace(" AS undone", ""), "column `undone` is missing"),
    ),
    makes=Makes(views=("undos_vw",)),
)

# -------------------------------------------------------------------------------------------------- 14L.2 each once

ONCE_STARTER = """
DA.exercise("14L.2")  # removes what an earlier attempt created

# spark.table("undos_vw") ... .createOrReplaceTempView("once_vw")
"""

ONCE_SOLUTION = """
DA.exercise("14L.2")  # removes what an earlier attempt created

(spark.table("undos_vw")
    .withWatermark("dt", "45 minutes")
    .dropDuplicatesWithinWatermark(["id"])
    .createOrReplaceTempView("once_vw"))
"""


def check_once(attempt: Attempt) -> None:
    """Compare the rows, then ask the reports whether what is remembered is ever forgotten, and when."""
    view = attempt.view("once_vw")
    _must_be_a_stream(view, "once_vw", "undos_vw")
    made, reports = _play(attempt, view, "append")
    undos = _undos(attempt)
    doubled, right = undos.select(_UNDOS), undos.dropDuplicates(["id"]).select(_UNDOS)
    if attempt.is_same(made, doubled):
        raise Mistake("The duplicates are still there: both collectors sent the same edit. Keep one row per `id`.")
    delay = _delay(reports)
    if set(made.columns) == set(_UNDOS):
        _must_have_late_ones(made, undos, delay)
    attempt.compare(made, right, "once_vw")
    _must_forget(reports, delay)


def _must_have_late_ones(made: DataFrame, undos: DataFrame, delay: float | None) -> None:
    """Tell what is lost because it is late from what is lost because it was taken for a double."""
    lost = undos.dropDuplicates(["id"]).join(made.select("id"), "id", "left_anti")
    minutes = [(row.arrived - row.dt).total_seconds() / 60 for row in lost.collect()]
    if not minutes:
        return
    if delay is not None and min(minutes) > delay:
        raise Mistake(
            f"{len(minutes)} undos are missing: they arrived at least {min(minutes):.0f} minutes late. Your "
            f"watermark delay is {delay:.0f} minutes, and rows behind the watermark are dropped. Use a longer delay."
        )
    raise Mistake(
        f"{len(minutes)} undos are missing that are not duplicates. Two messages are the same edit if they have the "
        "same `id`; the same page or the same user is not enough."
    )


def _must_forget(reports: list[Any], delay: float | None) -> None:
    """The rows are right; so the state of them must be bounded."""
    operators = [operator for report in reports for operator in report["stateOperators"]]
    is_bounded = any(
        operator["operatorName"] == "dedupeWithinWatermark" or operator["numRowsRemoved"] for operator in operators
    )
    if not is_bounded or delay is None:
        raise Mistake(
            "The rows are right, but the query keeps every id in state forever: its state is unbounded. Use "
            "`dropDuplicatesWithinWatermark` with a watermark, which removes old ids."
        )
    if delay > _LONGEST_DELAY:
        raise Mistake(
            f"The rows are right, but your watermark delay is {delay / 60:,.0f} hours, and each id is kept in state "
            "for at least that long. All messages arrive within one hour: use a shorter delay."
        )


def _delay(reports: list[Any]) -> float | None:
    """Return how many minutes a watermark stays behind the latest event; None where there is none."""
    times = [(_time(report, "max"), _time(report, "watermark")) for report in reports]
    latest, found = None, None
    for (seen, _), (_, watermark) in pairwise(times):
        latest = max(filter(None, (latest, seen)), default=None)
        if latest is not None and watermark is not None and watermark.year > 1970:
            found = (latest - watermark).total_seconds() / 60
    return found


def _time(report: Any, name: str) -> datetime | None:
    value = report["eventTime"].get(name)
    return datetime.fromisoformat(value) if value else None


_PLANTED_UNDO = "id STRING, dt TIMESTAMP, wiki STRING, title STRING, user STRING, undone STRING"


def _doubles(sandbox: Sandbox) -> None:
    """Make batches in which a double comes, and an undo that is 44 minutes late."""
    undo = ("enwiki", "T", "u", "v")
    for rows in (
        [("a", _noon(0), *undo), ("a", _noon(0), *undo), ("b", _noon(0), *undo)],
        [("c", _noon(50), *undo), ("a", _noon(0), *undo)],
        [("e", _noon(51), *undo)],  # a batch drops rows by the watermark of the batch before it
        [("d", _noon(6), *undo), ("c", _noon(50), *undo)],
        [("d", _noon(6), *undo)],
    ):
        sandbox.append("planted", rows, _PLANTED_UNDO)
    sandbox.view("undos_vw", sandbox.stream("planted", maxFilesPerTrigger=1))


ONCE = Exercise(
    id="14L.2",
    title="Each undo once",
    starter=ONCE_STARTER,
    hints=(
        "Lesson 10 shows two ways to drop duplicates. Which of them removes old keys from the state?",
        "Duplicates have the same `id`. Define the watermark on `dt`, with a delay longer than any message needs.",
        '`spark.table("undos_vw").withWatermark("dt", "45 minutes").dropDuplicatesWithinWatermark(["id"])`, then '
        "create the view.",
    ),
    solution=ONCE_SOLUTION,
    why=(
        "The watermark delay must be longer than any message is late; otherwise undos that are not duplicates are "
        "dropped. An id is also kept in state for that long, so the delay should not be longer than necessary."
    ),
    check=check_once,
    hidden=(
        HiddenTest(
            _doubles,
            ("once_vw",),
            says="Your cell was run on other undos: a double in a later batch, and one that is 44 minutes late.",
        ),
    ),
    wrong=(
        WrongAnswer(
            ONCE_SOLUTION.replace('    .dropDuplicatesWithinWatermark(["id"])\n', ""), "duplicates are still there"
        ),
        WrongAnswer(
            ONCE_SOLUTION.replace('    .withWatermark("dt", "45 minutes")\n', "").replace("WithinWatermark", ""),
            "keeps every id in state forever",
        ),
        WrongAnswer(ONCE_SOLUTION.replace("WithinWatermark", ""), "keeps every id in state forever"),
        WrongAnswer(ONCE_SOLUTION.replace("45 minutes", "10 minutes"), "behind the watermark are dropped"),
        WrongAnswer(ONCE_SOLUTION.replace("45 minutes", "7 days"), "each id is kept in state"),
        WrongAnswer(ONCE_SOLUTION.replace('["id"]', '["title"]'), "that are not duplicates"),
        WrongAnswer(ONCE_SOLUTION.replace('    .withWatermark("dt", "45 minutes")\n', ""), "cannot be run"),
    ),
    makes=Makes(views=("once_vw",)),
)

# ------------------------------------------------------------------------------------------------------- 14L.3 wars

WARS_STARTER = """
%sql
DROP VIEW IF EXISTS wars_vw;
-- CREATE TEMP VIEW wars_vw AS
-- SELECT wiki, title, ... AS one, ... AS other, window.start, count(*) AS undos, min(dt) AS first_undo
-- FROM once_vw
-- GROUP BY ...
-- HAVING ...
"""

WARS_SOLUTION = """
%sql
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, least(user, undone) AS one, greatest(user, undone) AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM once_vw
GROUP BY wiki, title, least(user, undone), greatest(user, undone), window(dt, '10 minutes', '1 minute')
HAVING count(*) >= 4 AND min(user) <> max(user)
"""


def _wars(
    undos: DataFrame,
    window: str = "window(dt, '10 minutes', '1 minute')",
    one: str = "least(user, undone)",
    other: str = "greatest(user, undone)",
    condition: str = "count(*) >= 4 AND min(user) <> max(user)",
) -> DataFrame:
    """Return the windows with a war, as they end up when all is in; or, with other words, as a mistake has them."""
    return undos.sparkSession.sql(
        f"""
        SELECT wiki, title, {one} AS one, {other} AS other, window.start, count(*) AS undos, min(dt) AS first_undo
        FROM {{undos}}
        GROUP BY wiki, title, {one}, {other}, {window}
        HAVING {condition}
        """,
        undos=undos,
    )


def _last_word(alerts: DataFrame) -> DataFrame:
    """Return of each window what was said of it last: it only grows, so that is the most."""
    from pyspark.sql import functions as F

    most, first = F.max("undos").alias("undos"), F.min("first_undo").alias("first_undo")
    return alerts.groupBy(*_WAR).agg(most, first)


def check_wars(attempt: Attempt) -> None:
    """Run the view, and compare what it has said last of each window."""
    view = attempt.view("wars_vw")
    _must_be_a_stream(view, "wars_vw", "once_vw")
    made = _play(attempt, view, "update").rows
    undos = _undos(attempt)
    once = undos.dropDuplicates(["id"]).localCheckpoint()
    right = _wars(once).localCheckpoint()
    if set(made.columns) == set(right.columns):
        made = _last_word(made).localCheckpoint()
        if attempt.is_same(made, right):
            return
        _must_be_wars(attempt, made, undos, once)
    attempt.compare(made, right, "wars_vw")


def _must_be_wars(attempt: Attempt, made: DataFrame, undos: DataFrame, once: DataFrame) -> None:
    """Name the mistake, where it is one that people make."""
    if attempt.is_same(made, _wars(once, window="window(dt, '10 minutes')")):
        raise Mistake(
            "Your windows do not overlap, so a war that crosses a window boundary is split, and each part is too "
            "small. Use the third argument of `window`, which sets how often a window begins."
        )
    if attempt.is_same(made, _wars(undos)):
        raise Mistake("Duplicates are counted as undos. Read `once_vw`, which contains each undo once.")
    if attempt.is_same(made, _wars(once, condition="count(*) >= 4")):
        raise Mistake(
            "On Kestrelow Bridge only one of the two users has undone edits, which is not a war. Both users must occur "
            "in the `user` column of a group: require that its minimum and maximum differ."
        )
    if attempt.is_same(made, _wars(once, condition="count(*) > 4 AND min(user) <> max(user)")):
        raise Mistake("Wars with exactly four undos are missing: *at least four* is `>= 4`.")
    _must_have_pairs(made)
    if made.join(_wars(once), ["wiki", "title"], "left_anti").count():
        page = made.join(_wars(once), ["wiki", "title"], "left_anti").first()
        raise Mistake(
            f"{page.title} has no war: its undos are more than ten minutes apart, or by different pairs of users."
        )


def _must_have_pairs(made: DataFrame) -> None:
    """Each group must be of one pair, whoever of the two it was."""
    if made.isEmpty():
        raise Mistake(
            "There is no war at all. If you group by `user` and `undone`, *A undoes B* and *B undoes A* are two "
            "groups, and neither contains both directions. Group by `least` and `greatest` of the two names."
        )
    if turned := made.where("one > other").first():
        raise Mistake(
            f"`one` is {turned.one} and `other` is {turned.other}. A pair must look the same in every alert: `one` "
            "must be the lesser of the two names, whoever made the undo."
        )


def _quarrels(sandbox: Sandbox) -> None:
    """Make quarrels of three and four undos, just within ten minutes and just beyond, in two wikis, of one side."""
    rows = []

    def quarrel(wiki: str, title: str, minutes: tuple[float, ...], users: tuple[tuple[str, str], ...]) -> None:
        pairs = [users[n % len(users)] for n in range(len(minutes))]
        rows.extend((f"{wiki}{title}{n}", _noon(m), wiki, title, *pairs[n]) for n, m in enumerate(minutes))

    both, others = (("ann", "Bob"), ("Bob", "ann")), (("cay", "dee"), ("dee", "cay"))
    quarrel("enwiki", "four", (0, 3, 6, 9.9), both)
    quarrel("enwiki", "three", (0, 3, 6), both)
    quarrel("enwiki", "slow", (30.5, 33, 36, 40.6), both)
    quarrel("enwiki", "split", (60, 63), both)
    quarrel("dewiki", "split", (61, 64), both)
    quarrel("enwiki", "one side", (90, 91, 92, 93), both[:1])
    quarrel("enwiki", "two pairs", (120, 121), both)
    quarrel("enwiki", "two pairs", (122.0, 123.0), others)
    quarrel("enwiki", "five", (150, 152, 154, 156, 158), others)
    sandbox.append("planted", rows, _PLANTED_UNDO)
    sandbox.view("once_vw", sandbox.stream("planted").withWatermark("dt", "45 minutes"))


WARS = Exercise(
    id="14L.3",
    title="What is a war",
    starter=WARS_STARTER,
    hints=(
        "A group is a page, two users and a window. Which expression is the same for *A undoes B* and *B undoes A*?",
        "`least(user, undone)` and `greatest(user, undone)`. A window of ten minutes that begins every minute is "
        "`window(dt, '10 minutes', '1 minute')`.",
        "`HAVING count(*) >= 4 AND min(user) <> max(user)`: at least four undos, and both users made at least one.",
    ),
    solution=WARS_SOLUTION,
    why=(
        "A window begins every minute, so any four undos within nine minutes share a window. The cost is that each "
        "undo belongs to ten groups. With the two names in order, both directions are in one group; the `HAVING` "
        "condition then requires that both users took part."
    ),
    check=check_wars,
    hidden=(
        HiddenTest(
            _quarrels,
            ("wars_vw",),
            mode="update",
            says="Your cell was run on other quarrels: of three and four undos, within ten minutes and beyond, in "
            "two wikis.",
        ),
    ),
    wrong=(
        WrongAnswer(WARS_SOLUTION.replace(", '1 minute'", ""), "do not overlap"),
        WrongAnswer(WARS_SOLUTION.replace("once_vw", "undos_vw"), "Duplicates are counted"),
        WrongAnswer(WARS_SOLUTION.replace(" AND min(user) <> max(user)", ""), "only one of the two"),
        WrongAnswer(WARS_SOLUTION.replace(">= 4", "> 4"), "exactly four"),
        WrongAnswer(WARS_SOLUTION.replace("min(user) <> max(user)", "count(DISTINCT user) = 2"), "cannot be run"),
        WrongAnswer(
            WARS_SOLUTION.replace("least(user, undone)", "user").replace("greatest(user, undone)", "undone"),
            "no war at all",
        ),
        WrongAnswer(WARS_SOLUTION.replace("'10 minutes', '1 minute'", "'1 hour', '1 minute'"), "has no war"),
        WrongAnswer(
            WARS_SOLUTION.replace("least(", "greatest_(")
            .replace("greatest(", "least(")
            .replace("greatest_", "greatest"),
            "lesser of the two",
        ),
        WrongAnswer(WARS_SOLUTION.replace(" AS first_undo", ""), "column `first_undo` is missing"),
    ),
    makes=Makes(views=("wars_vw",)),
)

# ------------------------------------------------------------------------------------------- 14L.4 while it goes on

ALERTS_STARTER = """
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = None  # write wars_vw here, as messages to wars_topic
"""

ALERTS_SOLUTION = """
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = (spark.table("wars_vw")
    .selectExpr("title AS key", "to_json(struct(*)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", wars_topic)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alerts")
    .outputMode("update")
    .start())
"""


def check_alerts(attempt: Attempt) -> None:
    """Look at mode and trigger before waiting, then read the topic as the moderator would."""
    stream = attempt.stream("alerts")
    attempt.must_not_have_failed(stream)
    _must_suit_alerts(stream)
    attempt.wait_until_idle(stream, 60)
    _must_be_alerts(attempt.messages("wars"))
    attempt.compare(_last_word(_alerts(attempt)), _wars(_undos(attempt).dropDuplicates(["id"])), "the alerts in wars")
    attempt.must_have_checkpoint(stream, "alerts")


def _must_suit_alerts(stream: MadeStream) -> None:
    if stream.mode == "append":
        raise Mistake(
            "Append mode, the default, emits a window when it is final: after its end plus the watermark delay. The "
            "war is over by then. Use `update`, which emits a window in each batch that changes it."
        )
    if stream.mode == "complete":
        raise Mistake(
            "`complete` emits all wars so far in every batch. Use `update`, which emits only the wars that changed."
        )
    if stream.trigger in ("availableNow", "once"):
        raise Mistake(f"With `{stream.trigger}` the query stops, and the next war is not detected. Omit the trigger.")
    if not stream.is_active:
        raise Mistake("Your query was stopped. Leave it running: the night's edits are still to come.")


def _must_be_alerts(sent: DataFrame) -> None:
    odd = sent.where(f"from_json(value, '{_ALERT}').start IS NULL").first()
    if odd is not None:
        raise Mistake(
            "A value must be JSON with all columns of `wars_vw`: use `to_json(struct(*))`. "
            f"This value is: {str(odd.value)[:60]}"
        )
    odd = sent.where("key IS NULL OR key <> get_json_object(value, '$.title')").first()
    if odd is not None:
        said = "no key" if odd.key is None else f"the key `{odd.key}`"
        raise Mistake(
            f"A message about {json.loads(odd.value)['title']} has {said}. Use `title AS key`: with the title as the "
            "key, all alerts about a page are in one partition, in order."
        )


def _alerts(attempt: Attempt) -> DataFrame:
    return attempt.messages("wars").selectExpr(f"from_json(value, '{_ALERT}') AS alert").select("alert.*")


_PLANTED_WAR = "wiki STRING, title STRING, one STRING, other STRING, start TIMESTAMP, undos LONG, first_undo TIMESTAMP"


def _two_wars(sandbox: Sandbox) -> None:
    """Plant wars of one pair on two pages, which differ in their start, first undo and number of undos."""
    rows = [("enwiki", f"T{n}", "ann", "bob", _noon(n), 4 + n, _noon(n + 0.5)) for n in range(2)]
    sandbox.append("planted", rows, _PLANTED_WAR)
    sandbox.view("wars_vw", sandbox.stream("planted"))


def _a_third_war(sandbox: Sandbox) -> None:
    """Append a war of another pair and wiki after the restart, which alone must be sent then."""
    sandbox.append("planted", [("dewiki", "T9", "cay", "dee", _noon(9), 7, _noon(9.5))], _PLANTED_WAR)


def _sent_alerts(sandbox: Sandbox) -> DataFrame:
    source = sandbox.spark.read.format("kafka").options(**sandbox.kafka.options)
    messages = source.option("subscribe", sandbox.kafka.topic("wars")).load()
    alert = f"from_json(CAST(value AS STRING), '{_ALERT}') AS alert"
    return messages.selectExpr("CAST(key AS STRING) AS key", alert).select("key", "alert.*")


ALERTS = Exercise(
    id="14L.4",
    title="While it goes on",
    starter=ALERTS_STARTER,
    hints=(
        "The sink is the one from lesson 14. What must differ from a job, so that alerts are sent during a war?",
        "Append mode waits until a window is final. Which mode emits a changed group in the same batch?",
        '`spark.table("wars_vw").selectExpr("title AS key", "to_json(struct(*)) AS value").writeStream`, the sink with '
        'its options, its topic and its checkpoint, `.outputMode("update")`, `.start()`.',
    ),
    solution=ALERTS_SOLUTION,
    why=(
        "Append mode emits only results that can no longer change, at the cost of the watermark delay. An alert may be "
        "repeated, so `update` is right: each batch emits the windows that it changed, and no others."
    ),
    check=check_alerts,
    hidden=(
        HiddenTest(
            _two_wars,
            (_sent_alerts,),
            later=(_a_third_war,),
            needs_kafka=True,
            says="Your cell was run on other wars, and once more after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(ALERTS_SOLUTION.replace('    .outputMode("update")\n', ""), "when it is final"),
        WrongAnswer(ALERTS_SOLUTION.replace('"update"', '"complete"'), "all wars so far"),
        WrongAnswer(
            ALERTS_SOLUTION.replace("    .start())", "    .trigger(availableNow=True)\n    .start())"),
            "the next war is not detected",
        ),
        WrongAnswer(ALERTS_SOLUTION.replace('"title AS key", ', ""), "has no key"),
        WrongAnswer(ALERTS_SOLUTION.replace("title AS key", "wiki AS key"), "has the key `"),
        WrongAnswer(
            ALERTS_SOLUTION.replace("struct(*)", "struct(wiki, title, undos)"), "must be JSON with all columns"
        ),
        WrongAnswer(ALERTS_SOLUTION.replace("checkpoints}/alerts", "checkpoints}/other"), "was asked for"),
        WrongAnswer(ALERTS_SOLUTION + "alerts.stop()\n", "was stopped"),
    ),
    makes=Makes(
        variables=("alerts",),
        topics=("wars",),
        folders=("checkpoints/alerts", "checkpoints/other"),
        by_starter=True,
    ),
)

# ------------------------------------------------------------------------------------------ 14L.5 the morning's report

REPORT_STARTER = """
%sql
DROP VIEW IF EXISTS report_vw;
-- CREATE TEMP VIEW report_vw AS
-- SELECT wiki, title, one, other, ... AS began, ... AS undos
-- FROM alerts_vw
-- GROUP BY ...
"""

REPORT_SOLUTION = """
%sql
DROP VIEW IF EXISTS report_vw;
CREATE TEMP VIEW report_vw AS
SELECT wiki, title, one, other, min(first_undo) AS began, max(undos) AS undos
FROM alerts_vw
GROUP BY wiki, title, one, other, session_window(start, '10 minutes')
"""

_REPORT = ["wiki", "title", "one", "other", "began", "undos"]
_PAGE = "wiki, title, one, other"
_SESSIONS = f"{_PAGE}, session_window(start, '10 minutes')"


def _report(
    alerts: DataFrame, groups: str = _SESSIONS, began: str = "min(first_undo)", undos: str = "max(undos)"
) -> DataFrame:
    """Return a row for each war; or, with other words, what a mistake makes of the alerts."""
    query = f"SELECT {_PAGE}, {began} AS began, {undos} AS undos FROM {{alerts}} GROUP BY {groups}"
    return alerts.sparkSession.sql(query, alerts=alerts)


def check_report(attempt: Attempt) -> None:
    """Look at the view, let the night's messages come, and look again: the stream must have found the wars in them."""
    view = attempt.view("report_vw")
    stream = _stream_of_alerts(attempt)
    if view.isStreaming:
        raise Mistake(
            "`report_vw` is a stream. The report is a batch query, run once in the morning: read `alerts_vw`."
        )
    _must_report(attempt, stream)
    factory = attempt.value("DA").data_factory
    if not factory.left:
        return
    while factory.land():
        pass
    _must_report(attempt, stream)


def _stream_of_alerts(attempt: Attempt) -> MadeStream:
    try:
        return attempt.stream("alerts")
    except (NotTried, Mistake):
        raise Mistake("No query sends alerts yet, so there is nothing to report: do exercise 14L.4 first.") from None


def _must_report(attempt: Attempt, stream: MadeStream) -> None:
    """Compare the report with the wars that the edits have, once the stream has read them all."""
    attempt.must_not_have_failed(stream)
    if not stream.is_active:
        raise Mistake("The query of 14L.4 is not running, so the night's wars are not detected. Restart it first.")
    attempt.wait_until_idle(stream, 40)
    right = _report(_wars(_undos(attempt).dropDuplicates(["id"]))).localCheckpoint()
    made = attempt.view("report_vw").localCheckpoint()
    if attempt.is_same(made, right):
        return
    alerts = _alerts(attempt).localCheckpoint()
    if set(made.columns) == set(_REPORT):
        _must_be_a_report(attempt, made, right, alerts)
    attempt.compare(made, right, "report_vw")


def _must_be_a_report(attempt: Attempt, made: DataFrame, right: DataFrame, alerts: DataFrame) -> None:
    if attempt.is_same(made, _report(alerts, undos="sum(undos)")):
        raise Mistake(
            "`undos` adds up counts from several alerts about the same undos. Take the highest count instead."
        )
    if attempt.is_same(made, _report(alerts, undos="count(*)")):
        raise Mistake("`undos` counts alerts, not undos. Take the highest `undos` of the alerts.")
    if attempt.is_same(made, _report(alerts, began="min(start)")):
        raise Mistake("`began` is the start of a window, which is before the first undo. Use `first_undo`.")
    if attempt.is_same(made, _report(alerts, groups=_PAGE)):
        raise Mistake(
            "During the night, the same two users had a second war on Cindrel Bridge, an hour after the first, and "
            "your report has one row for both. Alerts about one war are close in time: group them by session."
        )
    wars, rows = right.count(), made.count()
    if rows > wars and made.select("title").distinct().count() == right.select("title").distinct().count():
        raise Mistake(
            f"There are {rows:,} rows for {wars} wars: one war causes many alerts, from windows that overlap. "
            "Put alerts that follow each other within minutes into one group."
        )


def _night(sandbox: Sandbox) -> None:
    """Make alerts of wars that cross an hour, follow each other, and share all but one part of their names."""
    rows = []

    def war(wiki: str, title: str, one: str, other: str, starts: tuple[float, ...], first: float) -> None:
        rows.extend((wiki, title, one, other, _noon(m), 4 + n, _noon(first)) for n, m in enumerate(starts))

    war("enwiki", "Bridge", "ann", "bob", (50, 55, 58, 61, 66), 52)  # across one o'clock
    war("enwiki", "Bridge", "ann", "bob", (77, 78), 79)  # a second one, eleven minutes later
    war("enwiki", "Bridge", "ann", "cay", (56, 57), 58)
    war("dewiki", "Bridge", "ann", "bob", (56, 57), 59)
    war("enwiki", "Road", "ann", "bob", (5, 14.9), 6)  # just close enough
    war("enwiki", "Road", "ann", "bob", (30, 40), 31)  # just too far apart
    sandbox.view("alerts_vw", sandbox.frame(rows, _PLANTED_WAR))


REPORT = Exercise(
    id="14L.5",
    title="The morning's report",
    starter=REPORT_STARTER,
    hints=(
        "Many alerts are about one war. What do they have in common, besides the page and the two users?",
        "Their windows begin a minute apart. Lesson 09 has a kind of window that ends after a period without events.",
        "`GROUP BY wiki, title, one, other, session_window(start, '10 minutes')`, with `min(first_undo)` and "
        "`max(undos)`.",
    ),
    solution=REPORT_SOLUTION,
    why=(
        "`min` and `max` give the same result however often an alert is repeated: if a batch is sent again after a "
        "failure, the report does not change. That makes an at-least-once sink acceptable. `count` and `sum` would "
        "count the repeated alerts again."
    ),
    check=check_report,
    hidden=(
        HiddenTest(
            _night,
            ("report_vw",),
            says="Your cell was run on the alerts of another night: wars that cross an hour, and two of the same pair.",
        ),
    ),
    wrong=(
        WrongAnswer(REPORT_SOLUTION.replace("max(undos)", "sum(undos)"), "adds up"),
        WrongAnswer(REPORT_SOLUTION.replace("max(undos)", "count(*)"), "counts alerts"),
        WrongAnswer(REPORT_SOLUTION.replace("min(first_undo)", "min(start)"), "the start of a window"),
        WrongAnswer(REPORT_SOLUTION.replace("session_window(start, '10 minutes')", "start"), "overlap"),
        WrongAnswer(REPORT_SOLUTION.replace(", session_window(start, '10 minutes')", ""), "second war"),
        WrongAnswer(
            REPORT_SOLUTION.replace("session_window(start, '10 minutes')", "window(start, '5 minutes')"), "overlap"
        ),
        WrongAnswer(REPORT_SOLUTION.replace(" AS began", ""), "column `began` is missing"),
    ),
    makes=Makes(views=("report_vw",)),
)

EXERCISES = (UNDOS, ONCE, WARS, ALERTS, REPORT)
