"""Interrupting a cell means that Spark stops as well: the jobs of the cell are cancelled, those of streams are not.

Python leaves a call into Spark when the kernel is interrupted, and Spark works on; what the next cell asks for then
waits behind it.  PySpark's own answer, which cancels every job there is and with it every stream, is one that IPython's
kernel takes away again after the cell that started Spark.
"""

from __future__ import annotations

import logging
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from stream_view.live.follower import JOB_GROUP as LIVE_VIEWS

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

# A task that waits for Python or sleeps ends at once only where its thread may be interrupted.
_INTERRUPTIBLE = "spark.job.interruptOnCancel"
_TAG = "notebook-cell"  # of what a client of Spark Connect has asked for in a cell
_RUN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # the job group of a stream is its run
_PY4J_REPORT = "KeyboardInterrupt while sending command."

QUIET = 0.3  # seconds without a job after which a command is taken for cancelled: it may go from job to job
TIMEOUT = 5.0  # seconds that cancelling may take


def prepare(spark: SparkSession) -> None:
    """Make what this thread asks Spark for from now on easy to stop; calling it again changes nothing."""
    from pyspark.errors import PySparkException

    root = logging.getLogger()
    if _is_news not in root.filters:
        root.addFilter(_is_news)
    try:
        spark.sparkContext.setLocalProperty(_INTERRUPTIBLE, "true")
    except PySparkException:  # over Connect
        if _TAG not in spark.getTags():
            spark.addTag(_TAG)


def stop_jobs(spark: Any) -> str:
    """Cancel what Spark does for the cell that was interrupted, leave streams alone, and return what there is to say.

    It returns when Spark has been without such a job for a moment, or after some seconds.

    Parameters
    ----------
    spark : SparkSession
        The notebook's; where it is none, or one that has been stopped, there is nothing to cancel.
    """
    try:
        cancelled = _cancel(spark)
        prepare(spark)  # the connection of this thread is a new one
        streams = len(spark.streams.active)
    except Exception:
        logging.getLogger(__name__).debug("no session to cancel jobs of", exc_info=True)
        return "Interrupted."
    jobs = {0: "", 1: "; Spark's job was cancelled"}.get(cancelled, f"; {cancelled} jobs of Spark were cancelled")
    going_on = {0: "", 1: " The stream goes on."}.get(streams, f" The {streams} streams go on.")
    return f"Interrupted{jobs}.{going_on}"


def _cancel(spark: SparkSession) -> int:
    """Cancel the cell's jobs, and those that a command starts after them; return how many there were."""
    from pyspark.errors import PySparkException

    try:
        context = spark.sparkContext
    except PySparkException:
        return len(spark.interruptTag(_TAG))
    cancelled: set[int] = set()
    deadline = time.monotonic() + TIMEOUT
    quiet_since = time.monotonic()
    while (now := time.monotonic()) < min(deadline, quiet_since + QUIET):
        if jobs := _jobs_of_cells(context):
            quiet_since = now
            for job in jobs - cancelled:
                context._jsc.sc().cancelJob(job, "the cell was interrupted")
            cancelled |= jobs
        time.sleep(0.05)
    return len(cancelled)


def _jobs_of_cells(context: SparkContext) -> set[int]:
    """Return the running jobs that belong to no stream and to no live view."""
    store: Any = context._jsc.sc().statusStore()
    found = set()
    for job in context.statusTracker().getActiveJobsIds():
        with suppress(Exception):  # one that has ended in the meantime may be forgotten
            group = store.job(job).jobGroup()
            name = group.get() if group.isDefined() else ""
            if not _RUN_ID.fullmatch(name) and name != LIVE_VIEWS:
                found.add(job)
    return found


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record is anything but py4j's report of the interrupt, which fills a screen."""
    return record.msg != _PY4J_REPORT
