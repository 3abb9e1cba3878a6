"""Read and plant recordings, and check the trigger of a stream, for lab 02L."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, MadeStream, Mistake, interval_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

FIELDS = {"Arrival_Time": "bigint", "Device": "string", "User": "string", "gt": "string"}


def landed_recordings(attempt: Attempt) -> DataFrame:
    """Return the recordings in the landing directory."""
    schema = ", ".join(f"{field} {kind}" for field, kind in FIELDS.items())
    return attempt.spark.read.schema(schema).json(attempt.paths.landing)


def shaped(recordings: DataFrame, arrived_at: str = "timestamp_millis(Arrival_Time)") -> DataFrame:
    """Return recordings with the columns of `activity_vw`."""
    return recordings.selectExpr("User AS person", "Device AS device", "gt AS activity", f"{arrived_at} AS arrived_at")


def clean(attempt: Attempt) -> DataFrame:
    """Return the landed recordings as `activity_vw` must have them."""
    return shaped(landed_recordings(attempt).where("gt != 'null'"))


RECORDINGS = "Arrival_Time LONG, Device STRING, User STRING, gt STRING"
PLANTED = (
    (1_709_596_800_123, "phone_0", "x", "walk"),
    (1_709_596_800_999, "phone_1", "y", "null"),
    (1_709_596_801_000, "phone_1", "y", "NULL"),
    (1_709_596_801_001, "phone_2", "y", None),
    (1_709_596_862_500, "phone_2", "z", ""),
    (1_709_596_862_500, "phone_2", "z", "nullify"),
    (1_709_596_862_500, "phone_2", "z", "jump"),
    (1_709_596_862_500, "phone_2", "z", "jump"),
    (None, None, None, "sit"),
)


def plant_recordings(sandbox: Sandbox) -> None:
    """Plant the labels `null`, `NULL`, NULL, `nullify` and an empty one, a duplicate, and a row without a time."""
    sandbox.append("planted", PLANTED, RECORDINGS)
    sandbox.view("recordings_vw", sandbox.stream("planted"))


def plant_activities(sandbox: Sandbox) -> None:
    """Plant the same recordings as `activity_vw`, unfiltered: a label that is NULL must be counted, too."""
    plant_recordings(sandbox)
    sandbox.view("activity_vw", shaped(sandbox.stream("planted", maxFilesPerTrigger=1)))


def must_poll_every_second(stream: MadeStream) -> None:
    """Raise a mistake if a stream has another trigger or does not run; over Connect, only if it does not run."""
    if stream.trigger in ("availableNow", "once"):
        raise Mistake(f"`{stream.trigger}` stops after it has read the available data. This stream must keep running.")
    if stream.trigger == "default":
        raise Mistake('Your stream has no interval: give it `.trigger(processingTime="1 second")`.')
    if stream.trigger is not None and (seconds := interval_of(stream.trigger)) != 1:
        raise Mistake(
            f"Your stream checks for new files every {seconds or 0:g} seconds. The exercise asks for every second."
        )
    if not stream.is_active:
        raise Mistake("Your stream has been stopped: leave it running.")
