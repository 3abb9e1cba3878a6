"""A pipeline's storage: where it is, its small files, the lock of an update, and the checkpoint of each flow.

The files are reached through Hadoop's file systems, as Spark's own checkpoints are, so they may be wherever Spark can
write; where that is a folder of this machine, it is opened directly, which costs no calls of the JVM.  In such a folder
the lock is the operating system's, on a file: it keeps processes, users and containers apart that share the folder, and
ends with its process.  A store that only Hadoop opens has no lock.

A flow's checkpoint is where Spark's engine would have it: ``_checkpoints/<catalog>/<database>/<table>/<flow>/<n>``.  A
full refresh begins the next ``n`` and empties the table.  These are two steps, so a note is left between them: an
update that finds it, after a crash, empties the table again before anything is written.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from declarative_pipelines.definitions.model import find
from declarative_pipelines.definitions.queries import OWN, CatalogMap
from declarative_pipelines.engine.session import JvmValues
from declarative_pipelines.errors import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OF_CELLS = "notebook"
_LOCK = ("system", "update.lock")
_TO_BE_EMPTIED = "_table_to_be_emptied"
_ONCE_BEGUN, _ONCE_DONE = "_once_begun", "_once_done"


@dataclass(frozen=True)
class PipelineLocation:
    """Where a pipeline is."""

    name: str
    catalog: str
    database: str
    storage: Storage


def find_location(
    session: SparkSession,
    files: Sequence[str | Path],
    database: str | None,
    storage: str | None,
    name: str | None,
    catalogs: CatalogMap,
) -> PipelineLocation:
    """Return the location of a pipeline, and create its database if necessary.

    Without a storage it is a folder in the database's own, so dropping the database drops the pipeline's files.
    """
    *given, database = (database or session.catalog.currentDatabase()).replace("`", "").split(".")
    catalog, database = catalogs.located(given[0] if given else OWN, database)
    session.sql(f"CREATE SCHEMA IF NOT EXISTS `{database}`")
    name = name or (Path(files[0]).stem if files else _OF_CELLS)
    if storage is None:
        folder = re.sub(r"[^\w-]", "_", name)
        storage = f"{session.catalog.getDatabase(database).locationUri.rstrip('/')}/_pipelines/{folder}"
    path = JvmValues(session).new("org.apache.hadoop.fs.Path", storage)
    root = path.getFileSystem(session._jsc.hadoopConfiguration()).makeQualified(path).toString()
    return PipelineLocation(name, catalog, database, Storage(session, root))


@dataclass(frozen=True)
class Storage:
    """A folder of a pipeline, in any file system; ``root`` is an absolute URI."""

    session: SparkSession
    root: str

    def path(self, *parts: str) -> str:
        """Return the URI of something in the folder."""
        return "/".join([self.root.rstrip("/"), *parts])

    @cached_property
    def local(self) -> Path | None:
        """The folder on this machine, such as behind ``dbfs:/``, or None if only Hadoop reaches it."""
        path, files = self._open()
        names: list[str] = []
        while not files.exists(path) and path.getParent() is not None:
            names.insert(0, path.getName())
            path = path.getParent()
        resolved = "/".join([files.resolvePath(path).toString().rstrip("/"), *names])
        return Path("/" + resolved.removeprefix("file:").lstrip("/")) if resolved.startswith("file:") else None

    def exists(self, *parts: str) -> bool:
        """Whether the path exists."""
        if self.local is not None:  # the JVM is asked only where it alone knows
            return self.local.joinpath(*parts).exists()
        path, files = self._open(*parts)
        return files.exists(path)

    def names(self, *parts: str) -> list[str]:
        """Return the names in a folder, sorted, without hidden ones; an empty list if the folder does not exist."""
        if self.local is not None:
            folder = self.local.joinpath(*parts)
            there = folder.iterdir() if folder.is_dir() else ()
            return sorted(one.name for one in there if not one.name.startswith("."))
        path, files = self._open(*parts)
        return sorted(one.getPath().getName() for one in files.listStatus(path)) if files.exists(path) else []

    def read(self, *parts: str) -> str:
        """Return a file's text."""
        if self.local is not None:
            return self.local.joinpath(*parts).read_text(encoding="utf-8")
        path, files = self._open(*parts)
        with closing(files.open(path)) as stream:
            return bytes(stream.readAllBytes()).decode()

    def write(self, text: str, *parts: str) -> None:
        """Write a file, on this machine in one step: a reader finds the old text or the new one.

        Raises OSError if the file system rejects the file; the new text is beside it.
        """
        temporary = f".{parts[-1]}.{uuid4().hex[:8]}.new"
        if self.local is not None:
            local = self.local.joinpath(*parts)
            local.parent.mkdir(parents=True, exist_ok=True)
            hidden = local.with_name(temporary)
            hidden.write_text(text, encoding="utf-8")
            local.with_name(f".{local.name}.crc").unlink(missing_ok=True)  # of a text that Hadoop has written
            hidden.replace(local)
            return
        path, files = self._open(*parts)
        new, _ = self._open(*parts[:-1], temporary)
        with closing(files.create(new, True)) as stream:
            stream.write(bytearray(text.encode()))
        files.delete(path, False)  # a reader finds no file for a moment
        if not files.rename(new, path):
            raise OSError(f"{path} could not be written. What it was to have is in {new}.")

    def remove(self, *parts: str) -> None:
        """Remove a file or a folder of the pipeline if it exists."""
        if self.local is None:
            path, files = self._open(*parts)
            files.delete(path, True)
            return
        local = self.local.joinpath(*parts)
        if local.is_dir():
            shutil.rmtree(local)
        else:
            local.unlink(missing_ok=True)
            local.with_name(f".{local.name}.crc").unlink(missing_ok=True)

    def _open(self, *parts: str) -> tuple[Any, Any]:
        path = JvmValues(self.session).new("org.apache.hadoop.fs.Path", self.path(*parts))
        return path, path.getFileSystem(self.session._jsc.hadoopConfiguration())


@contextmanager
def only_update(storage: Storage) -> Iterator[None]:
    """Hold the pipeline's update lock, in a storage that is a folder; PipelineError if another update holds it."""
    if storage.local is None:
        yield
        return
    path = storage.local.joinpath(*_LOCK)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        try:
            if os.name == "nt":
                import msvcrt

                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PipelineError(
                f"An update of this pipeline is running already (storage {storage.local}). Wait until it has ended, or "
                "stop it. Another pipeline has a name, or a storage, of its own."
            ) from None
        yield  # closing the file releases the lock


@dataclass(frozen=True)
class Checkpoint:
    """The checkpoint of one flow: its folder without the number, and the number, which a full refresh begins anew."""

    storage: Storage
    parts: tuple[str, ...]
    number: int
    is_new: bool = False

    @classmethod
    def of_flow(cls, storage: Storage, full_target: str, flow: str) -> Checkpoint:
        """Return the newest checkpoint of a flow, begun or not, for a dataset's full name or a sink's name."""
        parts: tuple[str, ...] = ("_checkpoints", *full_target.split("."), flow)
        if not storage.names(*parts):
            found: tuple[str, ...] = ()  # as an earlier update has written it, whose names may differ by case
            for part in parts:
                found = (*found, find(part, storage.names(*found)) or part)
            parts = found
        return cls(storage, parts, max(_numbers(storage, parts), default=0))

    @property
    def folder(self) -> tuple[str, ...]:
        """The folder below the storage."""
        return (*self.parts, str(self.number))

    @property
    def path(self) -> str:
        """The folder's URI, for Spark."""
        return self.storage.path(*self.folder)

    @property
    def schemas(self) -> str:
        """The folder of inferred schemas, beside the checkpoint since it exists before the first batch."""
        return self.storage.path("_schemas", *self.folder[1:])

    @property
    def has_begun(self) -> bool:
        """Whether a stream has planned a batch with it, or a flow that runs once has begun."""
        return any(self.storage.exists(*self.folder, name) for name in ("offsets", _ONCE_BEGUN))

    @property
    def is_done(self) -> bool:
        """Whether a flow that runs once has run."""
        return self.storage.exists(*self.folder, _ONCE_DONE)

    @property
    def is_pending(self) -> bool:
        """Whether a full refresh has begun it and was ended before the table was empty."""
        return self.storage.exists(*self.folder, _TO_BE_EMPTIED)

    def next(self) -> Checkpoint:
        """Return the next, unused checkpoint, which is this one if nothing has begun with it."""
        return Checkpoint(self.storage, self.parts, self.number + self.has_begun, True)

    def earlier(self) -> list[Checkpoint]:
        """Return the earlier checkpoints, which full refreshes have left."""
        numbers = _numbers(self.storage, self.parts) if self.number else []
        return [Checkpoint(self.storage, self.parts, number) for number in numbers if number < self.number]

    def begin(self) -> None:
        """Begin a new checkpoint; the table has to be emptied."""
        if self.is_new:
            self.storage.write("", *self.folder, _TO_BE_EMPTIED)

    def begin_once(self) -> None:
        """Record that a flow that runs once begins."""
        self.storage.write("", *self.folder, _ONCE_BEGUN)

    def end_once(self) -> None:
        """Record that a flow that runs once has run."""
        self.storage.write("", *self.folder, _ONCE_DONE)

    def table_is_empty(self) -> None:
        """Record that the table has been emptied."""
        self.storage.remove(*self.folder, _TO_BE_EMPTIED)


def _numbers(storage: Storage, parts: tuple[str, ...]) -> list[int]:
    return sorted(int(name) for name in storage.names(*parts) if name.isdigit())
