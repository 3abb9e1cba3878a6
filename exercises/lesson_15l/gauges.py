"""Read and plant river levels, and check pipeline updates, for lab 15L."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from streaming_classroom.exercises import Attempt, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

LINE_SCHEMA = "station STRING, measured TIMESTAMP, received TIMESTAMP, level DOUBLE, battery DOUBLE"
STATION_SCHEMA = "station STRING, name STRING, river_km DOUBLE, power STRING"
COLUMNS = ["station", "measured", "received", "level", "battery"]
POSSIBLE, MEASURED_BEFORE, LISTED = "level BETWEEN 0 AND 1000", "measured <= received", "name IS NOT NULL"
HANDBOOK, CHARGED = "battery >= 10.5", "battery IS NULL OR battery >= 10.5"
RULES = {"possible level": POSSIBLE, "measured before received": MEASURED_BEFORE, "good battery": CHARGED}


def update_of(attempt: Attempt) -> Any:
    """Return the learner's update; raise a mistake if it has failed."""
    update = attempt.value("update")
    if not hasattr(update, "expectations"):
        raise Mistake("`update` is not a pipeline update: assign the result of `run_pipeline()` to it.")
    if update.error is not None:
        raise Mistake(f"The update has failed: {str(update.error).splitlines()[0]}")
    return update


def table_of_exercise(attempt: Attempt, table: str, exercise: str) -> DataFrame:
    """Return a table of an earlier exercise; raise a mistake if it does not exist."""
    if not attempt.spark.catalog.tableExists(table):
        raise Mistake(f"The table `{table}` does not exist yet: do exercise {exercise} first.")
    return attempt.spark.table(table)


def columns_of_table(attempt: Attempt, name: str, columns: list[str]) -> DataFrame:
    """Return these columns of a table; raise a mistake if a column is missing."""
    made = attempt.table(name)
    if missing := [column for column in columns if column not in made.columns]:
        raise Mistake(f"`{name}` has no column `{missing[0]}`.")
    return made.select(columns)


def landed_stations(attempt: Attempt) -> DataFrame:
    """Return the list of stations."""
    return attempt.spark.read.schema(STATION_SCHEMA).json(f"{attempt.paths.datasets}/river/stations.json")


def streaming_table(update: Any, name: str) -> Any:
    """Return the update's dataset of this name; raise a mistake if it is not a streaming table."""
    dataset = update.dataset(name)
    if dataset.kind.value != "streaming table":
        raise Mistake(
            f"`{name}` is a {dataset.kind.value}: it reads all data again in every update. Read a stream: "
            "`spark.readStream`."
        )
    return dataset


def land_next_day(attempt: Attempt, keep: int) -> bool:
    """Land a further day and run the pipeline if more than `keep` days are left; return whether it did."""
    # With its engine, which the sentences and hints of the lab do without.
    from declarative_pipelines import run_pipeline

    factory = attempt.value("DA").data_factory
    if factory.left <= keep:
        return False
    factory.land()
    error = run_pipeline().error
    if error is not None:
        raise Mistake(
            f"The table was right until the next day landed; then the update failed: {str(error).splitlines()[0]}"
        )
    return True


IMPORTS = "from pyspark import pipelines as dp\nfrom pyspark.sql import functions as F\n"


def reading(minutes: int, level: float | None, battery: float | None, station: str = "X1", delay: int = 2) -> tuple:
    """Return a line of a gauge."""
    measured = datetime(2024, 3, 5, 6) + timedelta(minutes=minutes)
    return station, measured, measured + timedelta(minutes=delay), level, battery


LINES_AT_LIMITS = (
    reading(0, 0.0, 10.5), reading(1, -0.5, 12.0), reading(2, 1000.0, 12.0), reading(3, 1000.5, 12.0),
    reading(4, 500.0, 10.4), reading(5, -600.0, 10.6), reading(6, 2500.0, 9.0), reading(7, 20.0, 11.0, delay=-1),
    reading(8, 20.0, 10.9),
)  # fmt: skip
LINES_WITH_NULL = (
    reading(10, None, 12.0), reading(11, 20.0, None), reading(12, None, None), reading(13, 20.0, None, delay=-1),
    reading(14, 20.0, 12.0, "nowhere"), reading(15, None, 9.0, "nowhere"),
)  # fmt: skip


def plant_bronze(sandbox: Sandbox) -> None:
    """Plant lines at the limits, without a level or a battery, with two faults, and of an unlisted gauge."""
    sandbox.append("bronze", [*LINES_AT_LIMITS, *LINES_WITH_NULL], LINE_SCHEMA)
    sandbox.append("stations", [("X1", "Xanten", 1.5, "solar")], STATION_SCHEMA)
    sandbox.keep(RULES=RULES | {"good battery": HANDBOOK}, USABLE=RULES)


def plant_more_lines(sandbox: Sandbox) -> None:
    """Append a line without a battery, which is good, and one whose level is just too high."""
    sandbox.append("bronze", [reading(30, 40.0, None), reading(31, 1001.0, 12.0)], LINE_SCHEMA)
