"""A standalone cluster of Spark on this machine: a master and two workers of one core each, of PySpark's own jars.

To a driver it is a cluster of another owner: executors are processes of their own, started by a worker, which know
nothing of the driver's environment.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pyspark

from free_port import free_port
from streaming_classroom.setup import java

START = 60.0  # seconds
END = 20.0
_SPARK = Path(pyspark.__file__).parent
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux


@dataclass(frozen=True)
class RunningCluster:
    """A cluster that runs.

    Attributes
    ----------
    master : str
        The address that ``SPARK_MASTER`` takes.
    page : int
        The port of the master's web page.
    """

    master: str
    page: int

    def wait_until_free(self) -> None:
        """Return when no application has a core: those of one that has ended are given back a little later."""
        deadline = time.monotonic() + END
        while (state := _state(self.page)) is None or state["coresused"]:
            assert time.monotonic() < deadline, f"{state and state['activeapps']} still run on {self.master}."
            time.sleep(0.1)


@contextmanager
def running_cluster(folder: Path, workers: int = 2) -> Iterator[RunningCluster]:
    """Run a master and workers whose files and logs are in a folder.

    They end with the block, and on Linux also with this process, however that ends; their executors end with them.

    Parameters
    ----------
    workers : int
        How many there are, each with one core; 0 makes a cluster on which nothing can run.

    Raises
    ------
    AssertionError
        It did not start in time; the end of its logs says why.
    """
    port, page = free_port(), free_port()
    master = f"spark://127.0.0.1:{port}"
    with ExitStack() as ended:
        main = ["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page)]
        processes = [ended.enter_context(_process(folder, "master", main))]
        for number in range(workers):
            work = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--work-dir", str(folder / "work")]
            command = ["worker.Worker", *work, "--webui-port", str(free_port()), master]
            processes.append(ended.enter_context(_process(folder, f"worker-{number}", command)))
        _wait(lambda: _workers(page) == workers, processes, folder)
        yield RunningCluster(master, page)


@contextmanager
def _process(folder: Path, name: str, arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run one of the two programs of a cluster; it is ended by its id."""
    # bin/spark-class ends in exec, so the process is the JVM itself.
    command = [str(_SPARK / "bin" / "spark-class"), f"org.apache.spark.deploy.{arguments[0]}", *arguments[1:]]
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            command, env=_environment(folder), cwd=folder, stdout=log, stderr=log, preexec_fn=_die_with_parent
        )
    try:
        yield process
    finally:
        process.terminate()  # a worker ends its executors
        try:
            process.wait(END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(END)


def _environment(folder: Path) -> dict[str, str]:
    found = java.find().java
    assert found is not None, "There is no Java."
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "CLASSROOM_"))
    }
    return kept | {
        "JAVA_HOME": str(found.home),
        "SPARK_HOME": str(_SPARK),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGTERM)


def _workers(page: int) -> int | None:
    state = _state(page)
    return state and sum(worker["state"] == "ALIVE" for worker in state["workers"])


def _state(page: int) -> dict[str, Any] | None:
    """Return the state of the master; None while it does not answer."""
    try:
        with urlopen(f"http://127.0.0.1:{page}/json/", timeout=5) as answer:
            return json.load(answer)
    except (URLError, OSError, ValueError):  # it answers with an empty page at first
        return None


def _wait(ready: Callable[[], bool], processes: list[subprocess.Popen[bytes]], folder: Path) -> None:
    deadline = time.monotonic() + START
    while not ready():
        running = all(process.poll() is None for process in processes)
        assert running and time.monotonic() < deadline, _last_words(folder)
        time.sleep(0.1)


def _last_words(folder: Path) -> str:
    return "\n".join(f"{log.name}: {log.read_text()[-1500:]}" for log in sorted(folder.glob("*.log")))
