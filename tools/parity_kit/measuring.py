"""The measurement of one compute: every case, some lessons, and the record of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parity_kit.cases import CASES, Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Short lessons without a cell that is meant to fail, which would end a run of the platform's.
LESSONS = (
    "02L-A-Stream-of-Your-Own",
    "08L-Ten-Nights",
    "10L-Two-Places-at-Once",
    "12L-The-Member-Who-Came-Back",
    "16L-The-Night-Watch",
)
LESSON_TIMEOUT = 1200  # seconds
FORMAT = 1  # of the record


def measure(
    spark: SparkSession,
    directory: str,
    local: Callable[[str], Path],
    run_notebook: Callable[[str, int], Any],
    change_rows: Callable[[], Mapping[str, tuple[Any, Any]]],
    lessons: tuple[str, ...] = LESSONS,
) -> dict[str, Any]:
    """Run all cases and lessons, and return the record; a case that fails has its error in the record.

    Parameters
    ----------
    spark : SparkSession
        The session, whose current schema is the kit's own.
    directory : str
        An empty directory for files, in Spark's spelling.
    local : callable
        Returns where Python finds a path of Spark's.
    run_notebook : callable
        Runs a notebook by its path and a timeout in seconds: ``dbutils.notebook.run``.
    change_rows : callable
        Returns what was seen of AUTO CDC, and what is documented.
    lessons : tuple of str
        The names of the lessons to run.
    """
    place = Place(spark, directory, local)
    cases = {case.what: _seen(lambda case=case: case.run(place), case.here) for case in CASES}
    try:
        cases |= {f"AUTO CDC: {what}": {"seen": seen, "here": here} for what, (seen, here) in change_rows().items()}
    except Exception as error:
        cases["AUTO CDC"] = {"error": _sentence(error), "here": "completes"}
    return {
        "format": FORMAT,
        "day": datetime.now(UTC).date().isoformat(),
        "spark": spark.version,
        "runtime": os.environ.get("DATABRICKS_RUNTIME_VERSION") or "open-source Spark",
        "serverless": os.environ.get("IS_SERVERLESS", "").lower() in ("true", "1"),
        "cases": json.loads(json.dumps(cases, default=str)),
        "lessons": {name: _outcome(run_notebook, name) for name in lessons},
    }


def _seen(run: Callable[[], Any], here: Any) -> dict[str, Any]:
    try:
        return {"seen": run(), "here": here}
    except Exception as error:
        return {"error": _sentence(error), "here": here}


def _outcome(run_notebook: Callable[[str, int], Any], name: str) -> str:
    try:
        run_notebook(f"../notebooks/{name}", LESSON_TIMEOUT)
    except Exception as error:
        return _sentence(error)
    return "passed"


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:300]
