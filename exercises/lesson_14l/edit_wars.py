"""Find undos and edit wars in the topic, for lab 14L."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from streaming_base.errors import short_message
from streaming_classroom.exercises import Attempt, MadeStream, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EDIT_SCHEMA = "meta STRUCT<id: STRING, dt: TIMESTAMP>, wiki STRING, title STRING, user STRING, comment STRING"
UNDO_SCHEMA = "wiki STRING, title STRING, user STRING, undone STRING, dt TIMESTAMP, id STRING, arrived TIMESTAMP"
ALERT_SCHEMA = "wiki STRING, title STRING, one STRING, other STRING, start TIMESTAMP, undos LONG, first_undo TIMESTAMP"
WAR_KEY = ["wiki", "title", "one", "other", "start"]  # what an alert is known by
UNDO_COLUMNS = ["id", "dt", "wiki", "title", "user", "undone"]
UNDONE_USER = r"regexp_extract(comment, '^Undid revision [0-9]+ by (.+)$', 1)"


def edits_in_topic(attempt: Attempt) -> DataFrame:
    """Return the edits in the topic, with their arrival."""
    edits = attempt.messages("edits").selectExpr("timestamp AS arrived", f"from_json(value, '{EDIT_SCHEMA}') AS edit")
    return edits.select("edit.meta.id", "edit.meta.dt", "edit.*", "arrived").where("id IS NOT NULL AND dt IS NOT NULL")


def undos_in_topic(attempt: Attempt) -> DataFrame:
    """Return the undos in the topic, with duplicates, collected: later messages do not change them."""
    undos = edits_in_topic(attempt).selectExpr("*", f"{UNDONE_USER} AS undone").where("undone <> ''")
    rows = undos.select("wiki", "title", "user", "undone", "dt", "id", "arrived").collect()
    return attempt.spark.createDataFrame(rows, UNDO_SCHEMA)


def must_be_a_stream(view: DataFrame, name: str, source: str) -> None:
    """Raise a mistake if a view is not a stream."""
    if not view.isStreaming:
        raise Mistake(f"`{name}` is not a stream: it contains only the rows that exist now. Read `{source}`.")


class StreamOutput(NamedTuple):
    """The rows that a streaming view emits for the available data, and the progress reports of the batches."""

    rows: DataFrame
    reports: list[Any]


def run_view(attempt: Attempt, view: DataFrame, mode: str) -> StreamOutput:
    """Run a view as a stream of the check's own; raise Spark's error as a mistake."""
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
        return StreamOutput(attempt.spark.createDataFrame(rows.collect(), rows.schema), list(query.recentProgress))
    finally:
        query.stop()
        attempt.spark.sql(f"DROP VIEW IF EXISTS {name}")


def minutes_after_noon(minutes: float) -> datetime:
    """Return the time so many minutes after the planted noon."""
    return datetime(2024, 3, 5, 12) + timedelta(minutes=minutes)


PLANTED_UNDO_SCHEMA = "id STRING, dt TIMESTAMP, wiki STRING, title STRING, user STRING, undone STRING"


def wars_of(
    undos: DataFrame,
    window: str = "window(dt, '10 minutes', '1 minute')",
    one: str = "least(user, undone)",
    other: str = "greatest(user, undone)",
    condition: str = "count(*) >= 4 AND min(user) <> max(user)",
) -> DataFrame:
    """Return the windows with a war, from all undos; with other expressions, the rows of a mistake."""
    return undos.sparkSession.sql(
        f"""
        SELECT wiki, title, {one} AS one, {other} AS other, window.start, count(*) AS undos, min(dt) AS first_undo
        FROM {{undos}}
        GROUP BY wiki, title, {one}, {other}, {window}
        HAVING {condition}
        """,
        undos=undos,
    )


def last_alert_per_war(alerts: DataFrame) -> DataFrame:
    """Return the last alert per window: its counts only grow, so it has the greatest."""
    from pyspark.sql import functions as F

    most, first = F.max("undos").alias("undos"), F.min("first_undo").alias("first_undo")
    return alerts.groupBy(*WAR_KEY).agg(most, first)


def alerts_in_topic(attempt: Attempt) -> DataFrame:
    """Return the alerts in the topic `wars`."""
    return attempt.messages("wars").selectExpr(f"from_json(value, '{ALERT_SCHEMA}') AS alert").select("alert.*")


PLANTED_WAR_SCHEMA = (
    "wiki STRING, title STRING, one STRING, other STRING, start TIMESTAMP, undos LONG, first_undo TIMESTAMP"
)
