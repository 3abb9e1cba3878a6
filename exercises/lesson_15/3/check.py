"""Check exercise 15.3, "A refresh that loses nothing"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_15.updates import IMPORTS, must_have_completed

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake
from streaming_classroom.files.directories import classroom_files

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox

_RESET = "pipelines.reset.allowed"


def check(attempt: Attempt) -> None:
    """Check the table property, then compare with the landing directory."""
    must_have_completed(attempt)
    made, channels = attempt.table("archive"), attempt.table("archive_channels")
    kinds = {dataset.name: dataset.kind.name for dataset in attempt.value("update").datasets}
    if kinds.get("archive") == "MATERIALIZED_VIEW":
        raise Mistake(
            "`archive` is a materialized view: each update computes it from the files that are there, and loses the "
            "others. Read the files as a stream."
        )
    properties = {row.key: row.value for row in attempt.spark.sql("SHOW TBLPROPERTIES archive").collect()}
    if properties.get(_RESET, "true").lower() != "false":
        raise Mistake(
            "Nothing protects `archive`: a full refresh empties it and reads what the landing directory has then. Set "
            f"its table property `{_RESET}` to `false`."
        )
    if attempt.source is not None and "full_refresh_all" not in attempt.source:
        raise Mistake("Your cell runs an ordinary update. End it with a full refresh of everything, as the proof.")
    lines = attempt.spark.read.text(f"{attempt.paths.landing}/orders").selectExpr("value", "_metadata.file_name")
    attempt.compare(made, lines, "archive")
    by_channel = made.selectExpr("get_json_object(value, '$.channel') AS channel").groupBy("channel").count()
    attempt.compare(channels, by_channel.toDF("channel", "lines"), "archive_channels")


def _orders_of(sandbox: Sandbox, name: str, *channels: str | None) -> None:
    rows = [{"order_id": number, "channel": channel} for number, channel in enumerate(channels)]
    sandbox.file(name, rows, f"{sandbox.paths.landing}/orders")


def _two_days(sandbox: Sandbox) -> None:
    """Land two files with orders of three channels, two of them in one file only, and one without a channel."""
    _orders_of(sandbox, "day-a.json", "web", "web", "app", None)
    _orders_of(sandbox, "day-b.json", "kiosk", "app")


def _tidied_up(sandbox: Sandbox) -> None:
    """Delete the first day's file, and land another one."""
    (classroom_files().local_path(f"{sandbox.paths.landing}/orders") / "day-a.json").unlink()
    _orders_of(sandbox, "day-c.json", "web", "phone")


MAKES = Makes(variables=("update",), tables=("archive", "archive_channels"))

HIDDEN = (
    HiddenTest(
        _two_days,
        ("archive", "archive_channels"),
        later=(_tidied_up,),
        above=IMPORTS,
        says="Your cell was run on other files, and again after one was deleted and another one had landed.",
    ),
)
