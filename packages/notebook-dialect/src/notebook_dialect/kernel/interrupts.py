"""An interrupted cell's Spark jobs are cancelled; those of streams continue.

Python leaves a call into Spark when the kernel is interrupted, and Spark works on; what the next cell asks for then
waits behind it.  PySpark's own answer, which cancels every job there is and with it every stream, is one that IPython's
kernel takes away again after the cell that started Spark.

The jobs are cancelled when the signal comes, and not when the cell has ended: some of PySpark's functions wait for
their job once more before they let an interrupt through.  A thread of its own does it, over a connection of its own,
and the interrupt waits for it: py4j, once interrupted, shuts connections of other threads as well.
"""

from __future__ import annotations

import logging
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import uuid4

from streaming_base import waiting
from streaming_base.refreshing import JOB_GROUP as LIVE_VIEWS

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

# What a thread tells Spark of its jobs. A task that waits for Python or sleeps ends at once only where its own thread
# may be interrupted; a group is what is cancelled.
_INTERRUPTIBLE, _GROUP = "spark.job.interruptOnCancel", "spark.jobGroup.id"
_TAG = "notebook-cell"  # of what a client of Spark Connect has asked for in a cell
_RUN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # the job group of a stream is its run

QUIET_INTERVAL = (
    0.5  # seconds without a running job after which all are taken for cancelled: Spark's books come a little late
)
POLL_INTERVAL = 0.05  # seconds
NAMES_LIMIT = 4  # of streams that continue
CANCEL_TIMEOUT = 5.0  # seconds that cancelling may take

_log = logging.getLogger(__name__)


class Interrupts:
    """The handling of interrupts in a kernel; ``stopping_all`` returns the code that stops all streams."""

    def __init__(self, get_session: Callable[[], Any], stopping_all: Callable[[], str]) -> None:
        self._get_session = get_session
        self._stopping_all = stopping_all
        self._group = ""
        self._cancelled = 0
        self._canceller: threading.Thread | None = None
        self._quiet = ExitStack()

    def install(self, shell: InteractiveShell) -> None:
        """Handle interrupts in every cell of a shell, the current one included; calling it again changes nothing."""
        # Both report the interrupt by a screen of text: on the root logger, and when the connection is cut.
        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        root = logging.getLogger()
        if _is_news not in root.filters:
            root.addFilter(_is_news)
        known = [callback for callback in shell.events.callbacks["pre_run_cell"] if hasattr(callback, "interrupts")]
        for callback in known:
            shell.events.unregister("pre_run_cell", callback)

        def prepare(_info: object = None) -> None:
            self._prepare()

        prepare.interrupts = self  # type: ignore[attr-defined]
        shell.events.register("pre_run_cell", prepare)
        self._prepare()

    def explain(self) -> str:
        """Return a line for the reader of the cell that was interrupted."""
        jobs = {0: "", 1: "; Spark's job was cancelled"}
        line = f"Interrupted{jobs.get(self._cancelled, f'; {self._cancelled} jobs of Spark were cancelled')}."
        self._forget()
        return f"{line}{_continuing_streams(sorted(self._names_of_streams()), self._stopping_all())}"

    def _names_of_streams(self) -> list[str]:
        try:
            return [query.name or "one without a name" for query in waiting.active_streams(self._get_session())]
        except Exception:  # there is no session, or it has ended
            _log.debug("no session", exc_info=True)
            return []

    def _forget(self) -> None:
        self._quiet.close()
        self._canceller, self._cancelled = None, 0

    def _prepare(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # signals are the main thread's
        self._forget()  # an interrupt that the cell before has caught
        signal.signal(signal.SIGINT, self._interrupt)  # IPython's kernel puts another back after the cell
        with suppress(Exception):  # as above
            self._group = _name_jobs(self._get_session())

    def _interrupt(self, _number: int, _frame: object) -> NoReturn:
        if self._canceller is None:
            self._quiet.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")  # what PySpark says of a job that is gone
            self._canceller = threading.Thread(target=self._cancel, name="cancelling", daemon=True)
            self._canceller.start()
            self._canceller.join(CANCEL_TIMEOUT)  # a second interrupt ends this, too
        raise KeyboardInterrupt

    def _cancel(self) -> None:
        try:
            self._cancelled = _cancel_jobs(self._get_session(), self._group)
        except Exception:  # as above
            _log.debug("no session to cancel jobs of", exc_info=True)


def _continuing_streams(names: list[str], stopping_all: str) -> str:
    """Return which streams continue after an interrupt, and the code that stops them."""
    if not names:
        return ""
    shown = ", ".join(names[:NAMES_LIMIT]) + (" …" if len(names) > NAMES_LIMIT else "")
    streams = "The stream continues" if len(names) == 1 else f"The {len(names)} streams continue"
    return f" {streams}: {shown}. To stop {'it' if len(names) == 1 else 'them'}: {stopping_all}."


def _name_jobs(spark: SparkSession) -> str:
    """Put the Spark jobs of this thread into a new group, and return its name."""
    from pyspark.errors import PySparkException

    try:
        context = spark.sparkContext
    except PySparkException:  # over Connect
        if _TAG not in spark.getTags():
            spark.addTag(_TAG)
        return _TAG
    group = f"cell {uuid4()}"  # another each time: what has been cancelled stays so for later jobs of the name
    context.setLocalProperty(_INTERRUPTIBLE, "true")
    context.setLocalProperty(_GROUP, group)
    return group


def _cancel_jobs(spark: SparkSession, group: str) -> int:
    """Cancel the running and future jobs of the cell; return their number."""
    from pyspark.errors import PySparkException

    try:
        context = spark.sparkContext
    except PySparkException:
        return len(spark.interruptTag(group))
    context._jsc.sc().cancelJobGroupAndFutureJobs(group, "the cell was interrupted")
    found: set[int] = set()
    deadline = time.monotonic() + CANCEL_TIMEOUT
    quiet_since = time.monotonic()
    while (now := time.monotonic()) < min(deadline, quiet_since + QUIET_INTERVAL):
        others = _jobs_of_threads(context, group)
        for job in others - found:
            context._jsc.sc().cancelJob(job, "the cell was interrupted")
        if others or "RUNNING" in _states(context, group).values():
            quiet_since = now
        found |= others
        time.sleep(POLL_INTERVAL)
    return len(found) + sum(state in ("RUNNING", "FAILED") for state in _states(context, group).values())


def _jobs_of_threads(context: SparkContext, group: str) -> set[int]:
    """Return the running jobs of threads that a cell has started, which bear no name: of no stream and no live view."""
    store: Any = context._jsc.sc().statusStore()
    found = set()
    for job in context.statusTracker().getActiveJobsIds():
        with suppress(Exception):  # one that has ended in the meantime may be forgotten
            name = store.job(job).jobGroup()
            if not name.isDefined() or not (_RUN_ID.fullmatch(name.get()) or name.get() in (LIVE_VIEWS, group)):
                found.add(job)
    return found


def _states(context: SparkContext, group: str) -> dict[int, str]:
    tracker = context.statusTracker()
    infos = {job: tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)}
    return {job: info.status for job, info in infos.items() if info is not None}


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record is anything but py4j's report of the interrupt, which it sends to the root logger."""
    return record.msg != "KeyboardInterrupt while sending command."
