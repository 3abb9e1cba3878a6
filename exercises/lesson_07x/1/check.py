"""Check exercise 07X.1, "Two tables from one folder"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"


def _landed(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(_SCHEMA).json(attempt.paths.landing)


def _must_be_apart_below_sorted(attempt: Attempt, streams: dict[str, MadeStream]) -> None:
    if any(stream.checkpoint is None for stream in streams.values()):
        return
    good, faulty = (attempt.paths.local(stream.checkpoint) for stream in streams.values())
    root = attempt.paths.local(f"{attempt.paths.checkpoints}/sorted")
    if good in faulty.parents or faulty in good.parents:
        raise Mistake(
            "One checkpoint is inside the other: if you delete the outer one, the inner one is gone as well. Give each "
            "stream a directory beside the other's."
        )
    if any(root not in folder.parents for folder in (good, faulty)):
        raise Mistake("A checkpoint is not below `.../checkpoints/sorted`: give each stream a directory in it.")


def check(attempt: Attempt) -> None:
    """Compare the ids of the queries first: a shared checkpoint makes them one query."""
    streams = {"good": attempt.stream("good"), "faulty": attempt.stream("faulty")}
    if streams["good"].query.id == streams["faulty"].query.id:
        raise Mistake(
            "Both have the same checkpoint, so Spark treats them as one query: the second one stops the first, or "
            "finds no new data. Every query needs a checkpoint directory of its own."
        )
    _must_be_apart_below_sorted(attempt, streams)
    for stream in streams.values():
        attempt.wait_for_end(stream, "Both are jobs that must end: use `.trigger(availableNow=True)` for each.", 60)
    made = {name: attempt.table(f"{name}_readings") for name in streams}
    every = _landed(attempt)
    right = {"good": every.where("heartrate >= 0"), "faulty": every.where("heartrate < 0")}
    if attempt.is_same(made["good"], right["faulty"]):
        raise Mistake("`good_readings` has the faulty readings: a heart rate below zero is a fault of the sensor.")
    for name, stream in streams.items():
        if attempt.is_same(made[name], every):
            raise Mistake(f"`{name}_readings` has every reading: its filter is missing.")
        attempt.must_have_read(stream, right[name].count())
        attempt.compare(made[name], right[name], f"{name}_readings")


MAKES = Makes(
    variables=("good", "faulty"), tables=("good_readings", "faulty_readings"), folders=("checkpoints/sorted",)
)

HIDDEN = (
    HiddenTest(
        planted.two_files,
        ("good_readings", "faulty_readings"),
        later=(planted.third_file,),
        says=planted.WHAT_IS_THERE,
    ),
)
