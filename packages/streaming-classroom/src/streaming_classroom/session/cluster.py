"""A cluster as its driver sees it: whether its master answers, how many cores it gives, and what its workers see.

Lessons are in the home, a folder that driver and workers must share; and how many partitions an aggregation has follows
the cluster's cores.  Both are checked once, when the session starts: a lesson would fail at its first file otherwise,
with words about a missing file.
"""

from __future__ import annotations

import os
import re
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Event, Timer
from typing import TYPE_CHECKING, NamedTuple

from streaming_classroom.errors import NotAvailable, SetupError
from streaming_classroom.kafka import client

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

WAIT_VARIABLE = "CLASSROOM_CLUSTER_WAIT"  # the variable with the seconds in which the first executor has started
CHECK_TIMEOUT = 60.0  # seconds
# Executors start one after another, on a busy machine far apart: seconds without another one after which there are no
# more, at least and at most.  In between it is half of what the first one took.
STANDSTILL = (1.0, 5.0)
LARGEST = 16  # partitions; a lesson's data is small, and each costs a batch a task and a state store
PARTITIONS = "spark.sql.shuffle.partitions"
_CHECKS = 3  # an executor that was busy is given another task
_PACKAGES = ("pyarrow", "msgspec")  # which cloudFiles imports there


class View(NamedTuple):
    """An executor's check of the home and its Python."""

    host: str
    directory: str
    sees_home: bool
    missing: tuple[str, ...]


def refuse_unreachable(master: str) -> None:
    """Raise SetupError if no address of a standalone master accepts a connection."""
    if not master.startswith("spark://"):
        return
    reasons = [client.refusal(address) for address in master.removeprefix("spark://").split(",")]
    if all(reasons):
        raise unreachable(master, reasons[-1])


def checked_partitions(context: SparkContext, home: Path) -> int:
    """Return the partitions of a shuffle on a new context's cluster: one for each core, at most 16.

    Raises SetupError if the master has ended the connection, the driver has no working executor, or an executor cannot
    read and write in the home, or its Python does not start, is of another version or lacks packages.
    """
    executors = _executors(context)
    cores = sum(executors.values())
    token = uuid.uuid4().hex
    marker = home / f".workers-see-this-{token}"
    marker.write_text(token, encoding="utf-8")
    try:
        views = _views(context, _check_task(str(marker), token), cores, len(executors))
    finally:
        marker.unlink(missing_ok=True)
    _refuse_blind(context.master, home, views)
    return min(cores, LARGEST)


def summary(spark: SparkSession) -> str:
    """Return a sentence on a session's cluster: its cores now, and the partitions that its shuffles have."""
    context = spark.sparkContext
    cores = sum(_registered(context).values())
    return f"{context.master} has {cores} cores; a shuffle has {spark.conf.get(PARTITIONS)} partitions."


def unreachable(master: str, reason: str) -> SetupError:
    """Return the error of a master that has not answered."""
    return SetupError(
        f"No Spark master answers at {master}{f' ({reason})' if reason else ''}.",
        "Set SPARK_MASTER to the address that the master's log or web page shows, or start the master.",
    )


def _registered(context: SparkContext) -> dict[str, int]:
    """Return the cores of each executor that is there now."""
    found = context._jsc.sc().statusStore().executorList(True)
    summaries = (found.apply(number) for number in range(found.size()))
    return {each.id(): each.totalCores() for each in summaries if each.id() != "driver"}


def _executors(context: SparkContext) -> dict[str, int]:
    """Wait for the executors, which start one after another, and return their cores."""
    began = changed = time.monotonic()
    deadline, before, standstill = began + _patience(), 0, STANDSTILL[0]
    while True:
        now = _registered(context)
        if len(now) != before:
            before, changed = len(now), time.monotonic()
            standstill = max(standstill, min((changed - began) / 2, STANDSTILL[1]))
        if now and time.monotonic() > changed + standstill:
            return now
        if context._jsc.sc().isStopped():
            raise unreachable(context.master, "it has ended the connection")
        if time.monotonic() > deadline:
            raise _no_cores(context.master)
        time.sleep(0.1)


def _patience() -> float:
    try:
        return float(os.environ.get(WAIT_VARIABLE) or 60)
    except ValueError:
        raise NotAvailable(f"{WAIT_VARIABLE}={os.environ[WAIT_VARIABLE]} is no number.", "Set it to seconds.") from None


def _no_cores(master: str) -> SetupError:
    return SetupError(
        f"{master} has given this session no executor that works in {_patience():.0f} s.",
        "Look at the master's web page: start workers, give them 1 GB and a core at least, or end the application "
        "that has all cores (another notebook, whose kernel you shut down).",
    )


def _check_task(marker: str, token: str) -> Callable[[Iterable], Iterator[tuple]]:
    """Return the function of a check task; it is sent by value, and needs only Python."""
    packages = _PACKAGES

    def check(rows: Iterable) -> Iterator[tuple]:
        import os
        import socket
        from importlib.util import find_spec
        from pathlib import Path

        list(rows)
        path = Path(marker)
        try:
            sees = path.read_text(encoding="utf-8") == token and os.access(path.parent, os.W_OK)
        except OSError:
            sees = False
        missing = tuple(name for name in packages if find_spec(name) is None)
        yield socket.gethostname(), str(Path.cwd()), sees, missing

    return check


def _views(
    context: SparkContext, check: Callable[[Iterable], Iterator[tuple]], cores: int, executors: int
) -> set[View]:
    """Return the executors' checks: a task per core, which idle executors share; cancel them at a deadline."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    passed, group = Event(), f"workers-{uuid.uuid4().hex}"

    def cancel() -> None:
        passed.set()
        context.cancelJobGroup(group)

    context.setJobGroup(group, "the course: what the workers see")
    timer = Timer(CHECK_TIMEOUT, cancel)
    timer.start()
    views: set[View] = set()
    try:
        for _ in range(_CHECKS):
            views |= {View(*seen) for seen in context.parallelize(range(cores), cores).mapPartitions(check).collect()}
            if len({(view.host, view.directory) for view in views}) >= executors:
                break
        return views
    except (Py4JError, PySparkException) as error:
        raise _no_cores(context.master) if passed.is_set() else _no_python(context, str(error)) from error
    finally:
        timer.cancel()
        context.setJobGroup("", "")


def _no_python(context: SparkContext, message: str) -> SetupError:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = re.search(
        r"(\[PYTHON_VERSION_MISMATCH\][^\n]*|Cannot run program[^\n]*|\w*(?:Error|Exception): [^\n]+)", message
    )
    return SetupError(
        f"Python does not run on the workers of {context.master}: {found[1] if found else message.splitlines()[0]}",
        f"Make Python {version} with this environment's packages available there at {context.pythonExec}, or set "
        "PYSPARK_PYTHON to where the workers have it.",
    )


def _refuse_blind(master: str, home: Path, views: Iterable[View]) -> None:
    """Raise if a check has failed."""
    blind = sorted({view.host for view in views if not view.sees_home})
    if blind:
        raise SetupError(
            f"The workers of {master} on {', '.join(blind)} cannot read and write in {home}, where lessons keep their "
            "files.",
            "Set CLASSROOM_HOME to a folder that this machine and all workers share under one path, on NFS perhaps.",
        )
    missing = sorted({name for view in views for name in view.missing})
    if missing:
        raise SetupError(
            f"The Python of the workers of {master} lacks {', '.join(missing)}.",
            f"Install {' '.join(missing)} there, or set PYSPARK_PYTHON to a Python that has this course's packages.",
        )
