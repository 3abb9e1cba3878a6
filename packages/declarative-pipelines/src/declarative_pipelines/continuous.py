"""Continuous pipelines: updates one after another, until somebody stops them.

Spark's engine has no continuous mode for pipelines in 4.2; what the platform calls continuous is here an update that is
repeated at an interval.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from declarative_pipelines.pipeline import run_pipeline
from declarative_pipelines.updates.results import Update
from declarative_pipelines.view.live_update import one_graph


def run_continuously(*files: str | Path, every: float = 10.0, updates: int | None = None, **arguments: Any) -> Update:
    """Update a pipeline again and again, and return the last update.

    It ends with an update that fails, with an interrupt of the cell, or after ``updates`` of them.

    Parameters
    ----------
    every
        Seconds from one begin to the next; an update that takes longer is followed at once.
    **arguments
        As of :func:`run_pipeline`. What is to be refreshed in full is so in the first update only.

    Raises
    ------
    KeyboardInterrupt
        It was interrupted.
    """
    done = 0
    with one_graph():
        while True:
            began = time.monotonic()
            update = run_pipeline(*files, **arguments)
            done += 1
            if update.error is not None or done == updates:
                return update
            for once in ("full_refresh", "full_refresh_all"):
                arguments.pop(once, None)
            time.sleep(max(0.0, began + every - time.monotonic()))
