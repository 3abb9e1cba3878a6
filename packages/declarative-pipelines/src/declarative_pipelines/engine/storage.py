"""A pipeline's storage: where it is, and its small files, each written whole.

The files are reached through Hadoop's file systems, as Spark's own checkpoints are, so they may be wherever Spark can
write; where that is a folder of this machine, it is opened directly, which costs no calls of the JVM.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from declarative_pipelines.engine.jvm_values import JvmValues
from declarative_pipelines.sql.parameters import OWN, CatalogMap

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OF_CELLS = "notebook"


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
    name = name or (Path(files[0]).stem if files else OF_CELLS)
    if storage is None:
        folder = re.sub(r"[^\w-]", "_", name)
        storage = f"{session.catalog.getDatabase(database).locationUri.rstrip('/')}/_pipelines/{folder}"
    return PipelineLocation(name, catalog, database, Storage(session, _absolute(session, storage)))


def _absolute(session: SparkSession, path: str) -> str:
    java = JvmValues(session).new("org.apache.hadoop.fs.Path", path)
    return java.getFileSystem(session._jsc.hadoopConfiguration()).makeQualified(java).toString()


_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Storage:
    """A folder of a pipeline, in any file system; ``root`` is an absolute URI."""

    session: SparkSession
    root: str

    def path(self, *parts: str) -> str:
        """Return the URI of something in the folder."""
        return "/".join([self.root.rstrip("/"), *parts])

    def resolved(self) -> str:
        """Return where the folder really is: a ``dbfs:/`` of two homes is two places."""
        path, files = self._open()
        names: list[str] = []
        while not files.exists(path) and path.getParent() is not None:
            names.insert(0, path.getName())
            path = path.getParent()
        return "/".join([files.resolvePath(path).toString().rstrip("/"), *names])

    @cached_property
    def local(self) -> Path | None:
        """The folder on this machine, or None if only Hadoop reaches it."""
        resolved = self.resolved()
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
        with _closing(files.open(path)) as stream:
            return bytes(stream.readAllBytes()).decode()

    def write(self, text: str, *parts: str) -> None:
        """Write a file atomically: a reader finds the old text or the new one.

        If the file system cannot replace a file by a rename, the old file is deleted first and a warning is logged: in
        between, a reader finds no file.  Raises OSError if the file system rejects the file; the new text is beside it.
        """
        if self.local is not None:
            _write(self.local.joinpath(*parts), text)
            return
        path, files = self._open(*parts)
        hidden, _ = self._open(*parts[:-1], _hidden(parts[-1]))
        with _closing(files.create(hidden, True)) as stream:
            stream.write(bytearray(text.encode()))
        if self._replace(hidden, path, files):
            return
        _log.warning("%s was deleted and written again: its file system cannot replace a file in one step.", path)
        files.delete(path, False)
        if not files.rename(hidden, path):
            raise OSError(f"{path} could not be written. What it was to have is in {hidden}.")

    def make_folder(self, *parts: str) -> None:
        """Create a folder with its parents."""
        path, files = self._open(*parts)
        files.mkdirs(path)

    def remove(self, *parts: str) -> None:
        """Remove a file or a folder of the pipeline if it exists."""
        if self.local is not None:
            _remove(self.local.joinpath(*parts))
            return
        path, files = self._open(*parts)
        files.delete(path, True)

    def _replace(self, hidden: Any, path: Any, files: Any) -> bool:
        """Rename a file over another one in one step; return whether that was possible."""
        from py4j.protocol import Py4JJavaError

        conf = self.session._jsc.hadoopConfiguration()
        values = JvmValues(self.session)
        try:
            context = values.named("org.apache.hadoop.fs.FileContext.getFileContext")(path.toUri(), conf)
            context.rename(hidden, path, values.array("org.apache.hadoop.fs.Options.Rename", "OVERWRITE"))
            return True
        except Py4JJavaError:  # the scheme has no such interface; many file systems replace by their plain one
            return bool(files.rename(hidden, path))

    def _open(self, *parts: str) -> tuple[Any, Any]:
        path = JvmValues(self.session).new("org.apache.hadoop.fs.Path", self.path(*parts))
        return path, path.getFileSystem(self.session._jsc.hadoopConfiguration())


def _write(path: Path, text: str) -> None:
    """Replace a file in one step, which Hadoop's local file system does in two: text, and checksum."""
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(_hidden(path.name))
    hidden.write_text(text, encoding="utf-8")
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)  # of a text that Hadoop has written
    hidden.replace(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
        return
    path.unlink(missing_ok=True)
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def _hidden(name: str) -> str:
    """Return a temporary name beside a file's, unique per writer."""
    return f".{name}.{uuid4().hex[:8]}.new"


class _closing:
    """Close a stream of the JVM at the end of a ``with`` block."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __enter__(self) -> Any:
        return self._stream

    def __exit__(self, *error: object) -> None:
        self._stream.close()
