"""The checks of `course.py doctor` on the cluster that ``SPARK_MASTER`` names: reachable, cores, files, Python.

A process of its own starts the session that a lesson would have, and reports what it found; so a cluster that never
answers is left behind after a deadline.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache

from streaming_classroom import environment
from streaming_classroom.errors import (
    ClusterHasNoCores,
    ClusterUnreachable,
    HomeNotShared,
    WorkersPythonDiffers,
)
from streaming_classroom.files import directories
from streaming_classroom.setup.checks import Finding

TIMEOUT = 240.0  # seconds; the session's own deadlines are shorter, and end with a reason
# The checks in the order in which a session meets them, each with the error that fails it.
_CHECKS = {
    "cluster": ClusterUnreachable,
    "cluster's cores": ClusterHasNoCores,
    "cluster's Python": WorkersPythonDiffers,
    "cluster's files": HomeNotShared,
}
# A lesson's session is above what sets it up, so that it is no module to import here.
_PROGRAM = "streaming_classroom.session.cluster_report"


def checks() -> dict[str, Callable[[], Finding]]:
    """Return the checks by name; none where lessons run elsewhere than on a cluster."""
    if environment.spark_place() != "on a cluster":
        return {}
    answer = cache(_asked)  # one session for all of them
    return {name: _check(name, answer) for name in _CHECKS}


def _asked() -> dict:
    """Return the report of the process; without one in time, the cluster does not answer."""
    command = [sys.executable, "-m", _PROGRAM]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return _unreachable(f"{environment.master()} has not made a session in {TIMEOUT:.0f} s.")
    last = (done.stdout.splitlines() or [""])[-1]
    if not last.startswith("{"):
        return _unreachable((done.stderr.strip().splitlines() or ["The session ended without a message."])[-1])
    return json.loads(last)


def _unreachable(problem: str) -> dict:
    return {
        "error": ClusterUnreachable.__name__,
        "problem": problem,
        "fix": f"See Spark's newest log in {directories.logs()}, and the master's.",
    }


def _check(name: str, answer: Callable[[], dict]) -> Callable[[], Finding]:
    """Return a check: it fails by its own error, and does not know where an earlier one has failed."""

    def check() -> Finding:
        found = answer()
        if "error" not in found:
            return Finding(True, _well(name, found))
        order = [error.__name__ for error in _CHECKS.values()]
        failed = order.index(found["error"]) if found["error"] in order else 0
        mine = list(_CHECKS).index(name)
        if mine == failed:
            return Finding(False, found["problem"], found["fix"])
        if mine < failed:
            return Finding(True, "no problem")
        return Finding(False, "not known", f"Nothing yet: see {list(_CHECKS)[failed]}.", matters=False)

    return check


def _well(name: str, found: dict) -> str:
    return {
        "cluster": f"{environment.master()} answers",
        "cluster's cores": found["summary"],
        "cluster's Python": "as here",
        "cluster's files": f"workers read and write in {directories.home()}",
    }[name]
