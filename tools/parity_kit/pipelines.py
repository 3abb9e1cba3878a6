"""AUTO CDC on this compute: the cases of the parity page as one pipeline, here or as a pipeline of the workspace."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import change_cases as changes  # of the tests of declarative-pipelines, which write the parity page

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UPDATE_TIMEOUT = 1800.0  # seconds for one update, with the start of its compute
_POLL_INTERVAL = 10.0
_ENDED = ("COMPLETED", "FAILED", "CANCELED")


class UpdateFailed(Exception):
    """An update of the workspace's pipeline did not complete; the message has its state."""


def measure(spark: SparkSession, folder: Path, update: Callable[[Path], None]) -> dict[str, tuple[Any, Any]]:
    """Return what was seen and what is documented, by case.

    Parameters
    ----------
    spark : SparkSession
        Its current schema gets the feed and the targets.
    folder : Path
        Where the pipeline's file is written.
    update : callable
        Runs an update of the pipeline in a file, to its end.
    """
    text, targets = changes.pipeline_of(changes.CASES)
    file = folder / "auto_cdc.py"
    file.write_text(text, encoding="utf-8")
    for number in range(changes.updates_of(changes.CASES)):
        rows = spark.createDataFrame(changes.feed_of(changes.CASES, targets, number), changes.FEED)
        rows.write.mode("append").saveAsTable("feed")
        update(file)
    found = {options: sorted(map(tuple, spark.table(name).collect()), key=str) for options, name in targets.items()}
    seen = changes.split_rows(changes.CASES, found)
    return {case.what: (rows, case.expected) for case, rows in zip(changes.CASES, seen, strict=True)}


def update_here(file: Path) -> None:
    """Run an update with the course's own engine."""
    from declarative_pipelines import run_pipeline

    run_pipeline(file, raise_on_failure=True)


def update_in_workspace(catalog: str, schema: str) -> Callable[[Path], None]:
    """Return the function that runs updates of a serverless pipeline of the workspace, made at the first call."""
    from databricks.sdk import WorkspaceClient
    from databricks.sdk.service.pipelines import FileLibrary, PipelineLibrary

    client, made = WorkspaceClient(), {}

    def update(file: Path) -> None:
        if file not in made:
            library = PipelineLibrary(file=FileLibrary(path=str(file)))
            pipeline = client.pipelines.create(
                name=f"parity kit {schema}", catalog=catalog, schema=schema, serverless=True, libraries=[library]
            )
            made[file] = pipeline.pipeline_id
        started = client.pipelines.start_update(made[file])
        deadline = time.monotonic() + UPDATE_TIMEOUT
        while (state := client.pipelines.get_update(made[file], started.update_id).update.state.value) not in _ENDED:
            if time.monotonic() > deadline:
                raise UpdateFailed(f"The update had not ended after {UPDATE_TIMEOUT:g} s: {state}")
            time.sleep(_POLL_INTERVAL)
        if state != "COMPLETED":
            raise UpdateFailed(f"The update ended as {state}; its event log says why.")

    return update
