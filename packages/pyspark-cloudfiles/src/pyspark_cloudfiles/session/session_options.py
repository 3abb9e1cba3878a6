"""Options that tell the data source what only the session knows: its settings, and where its files are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark_cloudfiles import reader_settings
from pyspark_cloudfiles.option_names import INTERNAL
from pyspark_cloudfiles.options import SETTINGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What Spark gives its own Python processes in their environment is meant for the source wherever it is made.
_OF_WORKERS = {key: f"spark.executorEnv.PYSPARK_CLOUDFILES_{key.upper()}" for key in ("mounts", "state")}


def session_options(spark: SparkSession) -> dict[str, str]:
    """Return the options for a source that is loaded in a session now."""
    options = {f"{INTERNAL}timezone": str(spark.conf.get("spark.sql.session.timeZone"))}
    if hasattr(spark, "_jvm"):
        options[f"{INTERNAL}machinetimezone"] = str(spark._jvm.java.util.TimeZone.getDefault().getID())
    given = {f"{INTERNAL}{key}": setting_of(spark, key) for key in SETTINGS}
    given |= {reader_settings.option_of(name): spark.conf.get(name, None) for name in reader_settings.NAMES}
    return options | {key: value for key, value in given.items() if value}


def setting_of(spark: SparkSession, key: str) -> str | None:
    """Return what the session says of one of the keys of ``SETTINGS``, None where it says nothing."""
    names = [name for name in (SETTINGS[key], _OF_WORKERS.get(key)) if name]
    return next((value for name in names if (value := spark.conf.get(name, None))), None)
