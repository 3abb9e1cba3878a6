"""The engines, and the measurement of a lesson on one: it runs there as ``course.py run`` does."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import nbformat
import pyspark
from rich.console import Console

from connect_server import running_connect_server
from engines.page import Run
from kernel_harness import ELSEWHERE
from notebook_dialect.catalogs import building
from notebook_dialect.catalogs.session_catalogs import CLASS
from notebook_dialect.catalogs.store import CatalogStore, catalogs_folder
from notebook_dialect.filesystem import FileSystem
from standalone_cluster import running_cluster
from streaming_classroom.files import directories
from streaming_classroom.kafka import broker, servers
from streaming_classroom.runner.lesson_files import LEFT_OUT, find_lessons, lesson_number
from streaming_classroom.runner.suite import run_lessons
from streaming_classroom.setup import archive, jars, java

#: The folder whose ``sitecustomize`` restricts a session.
RESTRICTIONS = Path(__file__).parent / "serverless"
CELL_TIMEOUT, LESSON_TIMEOUT = 240.0, 900.0  # seconds: those of the tests
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"  # the platform's default
NOT_RAISED = "and did not raise"  # the end of the runner's message of such a cell
LONGEST = 220  # characters of an error in the record


class NotMeasured(Exception):
    """A lesson failed without a cell to blame: its kernel died, or the run was interrupted."""


@dataclass(frozen=True)
class Engine:
    """A place where Spark can run.

    Attributes
    ----------
    name : str
        The name in the record.
    start : callable
        Runs the engine in a folder for as long as a block lasts; gives the environment of a lesson that uses it.
    """

    name: str
    start: Callable[[Path], AbstractContextManager[dict[str, str]]]

    def needs_broker(self, lesson: Path) -> bool:
        """Whether a lesson has to be given a Kafka broker here: the course starts one only where Spark is its own."""
        return self.name == "serverless" and "kafka.options" in lesson.read_text(encoding="utf-8")


@contextmanager
def _standalone(folder: Path) -> Iterator[dict[str, str]]:
    with running_cluster(folder) as cluster:
        yield {"SPARK_MASTER": cluster.master}


@contextmanager
def _serverless(folder: Path) -> Iterator[dict[str, str]]:
    """Run a server with a catalog of folders, volumes and ``/Volumes``, as a free account has them."""
    files = FileSystem(folder / "files" / "dbfs", folder / "files")
    directories.claim(files.home)  # a lesson's home, which is its own only while it is empty
    files.prepare()
    catalogs = CatalogStore(catalogs_folder(files))
    catalogs.create("CATALOG", ["workspace"], if_missing=True)
    catalogs.create("SCHEMA", ["workspace", "default"], if_missing=True, properties={})
    delta_tables = folder / "delta-tables.jar"
    java_files = sorted((RESTRICTIONS / "java").rglob("*.java"))
    building.build_jar(
        delta_tables, java.find().java.home / "bin" / "java", jars.spark_jars(), jars.paths(), java_files
    )
    settings = {
        **files.spark_conf(),
        **files.default_conf(),
        **files.volume_conf(),
        "spark.driver.extraClassPath": os.pathsep.join(map(str, [*archive.class_path(), delta_tables])),
        "spark.connect.extensions.relation.classes": "engines.DeltaRelations",
        "spark.sql.catalog.workspace": CLASS,
        "spark.sql.catalog.workspace.metadata": str(catalogs.root),
        "spark.sql.catalog.workspace.storage": "dbfs:/__unitystorage",
        "spark.sql.defaultCatalog": "workspace",
        "spark.sql.sources.default": "delta",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.streaming.stateStore.providerClass": _ROCKSDB,
    }
    with running_connect_server(folder, settings) as address:
        path = os.pathsep.join(filter(None, [str(RESTRICTIONS), os.environ.get("PYTHONPATH")]))
        yield {
            "SPARK_REMOTE": address,
            "PYTHONPATH": path,
            "IS_SERVERLESS": "TRUE",
            "SERVERLESS_FILES": str(files.home),
        }


@contextmanager
def _broker(home: Path) -> Iterator[dict[str, str]]:
    """Run a Kafka broker outside of the lesson, as somebody's own that the compute can reach."""
    with patch.dict(os.environ, CLASSROOM_HOME=str(home)):
        address = servers.bootstrap_servers()
        try:
            yield {servers.VARIABLE: address}
        finally:
            broker.stop()


ENGINES = (
    Engine("local", lambda _folder: nullcontext({"SPARK_MASTER": "local[2]"})),
    Engine("standalone", _standalone),
    Engine("serverless", _serverless),
)


def lessons() -> dict[str, str]:
    """Return the file names of all lessons by number."""
    return {lesson_number(path.stem): path.name for path in find_lessons([], directories.notebooks())}


def measure(lesson: str, engine: Engine) -> Run:
    """Run a lesson on an engine of its own.

    Raises
    ------
    NotMeasured
        The lesson failed without a cell to blame; the message has the runner's reason.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, patch.dict(os.environ):
        for name in ELSEWHERE:
            os.environ.pop(name, None)
        work = Path(folder) / "engine"
        work.mkdir()
        [notebook] = find_lessons([lesson], directories.notebooks())
        with ExitStack() as stack:
            with_broker = engine.needs_broker(notebook)
            given = stack.enter_context(_broker(Path(folder) / "broker")) if with_broker else {}
            os.environ |= stack.enter_context(engine.start(work)) | given
            nowhere = stack.enter_context(Path(os.devnull).open("w"))
            [result] = run_lessons(
                [notebook],
                cell_timeout=CELL_TIMEOUT,
                lesson_timeout=LESSON_TIMEOUT,
                home=Path(folder) / "home",
                console=Console(file=nowhere),
            ).lessons
            left_out = _left_out(result.executed)
    day = datetime.now(UTC).date().isoformat()
    # A cell that is meant to fail may succeed elsewhere: there the lesson goes on.
    failures = [failure for failure in result.failures if NOT_RAISED not in failure.message]
    if result.outcome == "passed" or (result.failures and not failures):
        return Run(lesson, engine.name, None, "", pyspark.__version__, day, left_out, with_broker)
    first = failures[0] if failures else None
    if first is None or first.cell is None:
        raise NotMeasured(f"{lesson} on {engine.name}: {first or result.outcome}")
    says = stable_message(first.message, folder)
    return Run(lesson, engine.name, first.cell, says, pyspark.__version__, day, broker=with_broker)


def _left_out(executed: Path) -> tuple[int, ...]:
    """Return the numbers of the cells that a run has left out."""
    cells = nbformat.read(executed, as_version=4).cells
    return tuple(number for number, cell in enumerate(cells, start=1) if cell.source == f"print({LEFT_OUT!r})")


def stable_message(message: str, folder: str) -> str:
    """Return the beginning of an error without folders, ports and random names, which differ between runs."""
    message = message.replace(sys.executable, "python")
    message = re.sub(rf"(?:file:)?/*{re.escape(folder.lstrip('/'))}[^\s'\",;)\]]*", "...", message)
    message = re.sub(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "...", message)
    message = re.sub(r"(127\.0\.0\.1|localhost):\d+", r"\1:...", message)
    return textwrap.shorten(message, LONGEST, placeholder=" ...")
