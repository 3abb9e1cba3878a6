"""The engines: what a lesson's kernel finds in its environment, while the engine runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from connect_server import running_connect_server
from standalone_cluster import running_cluster

#: The folder whose ``sitecustomize`` restricts a session.
RESTRICTIONS = Path(__file__).parent / "serverless"


@dataclass(frozen=True)
class Engine:
    """A place where Spark can run.

    Attributes
    ----------
    name : str
        What the command and the record call it.
    title : str
        The head of its column.
    what : str
        What it is, a sentence of the page.
    start : callable
        Runs it in a folder for as long as a block lasts, and gives the environment of a lesson that uses it.
    """

    name: str
    title: str
    what: str
    start: Callable[[Path], AbstractContextManager[dict[str, str]]]


def _driver_alone(master: str) -> Callable[[Path], AbstractContextManager[dict[str, str]]]:
    """Return the start of an engine that each driver starts for itself."""
    return lambda _folder: nullcontext({"SPARK_MASTER": master})


@contextmanager
def _standalone(folder: Path) -> Iterator[dict[str, str]]:
    with running_cluster(folder) as cluster:
        yield {"SPARK_MASTER": cluster.master}


@contextmanager
def _connect(folder: Path) -> Iterator[dict[str, str]]:
    with running_connect_server(folder) as address:
        yield {"SPARK_REMOTE": address}


@contextmanager
def _serverless(folder: Path) -> Iterator[dict[str, str]]:
    theirs = {"spark.sql.sources.default": "delta", "spark.sql.session.timeZone": "UTC"}
    with running_connect_server(folder, theirs) as address:
        path = os.pathsep.join(filter(None, [str(RESTRICTIONS), os.environ.get("PYTHONPATH")]))
        yield {"SPARK_REMOTE": address, "PYTHONPATH": path}


ENGINES = (
    Engine("local", "`local[2]`", "driver and executor are one process, as on a laptop.", _driver_alone("local[2]")),
    Engine(
        "standalone",
        "standalone",
        "a master and two workers of one core each, whose executors are processes of their own.",
        _standalone,
    ),
    Engine(
        "local-cluster",
        "`local-cluster`",
        "`local-cluster[2,1,1024]`, a cluster that the driver starts, whose executors are processes of their own.",
        _driver_alone("local-cluster[2,1,1024]"),
    ),
    Engine(
        "connect",
        "Connect",
        "a server of Spark Connect with Delta that somebody else has set up. The lesson's Python has no JVM.",
        _connect,
    ),
    Engine(
        "serverless",
        "serverless",
        "Spark Connect, with what Databricks documents of serverless compute: Delta is the default format, settings "
        "other than a few are refused, and so are streams that do not end by themselves.",
        _serverless,
    ),
)
