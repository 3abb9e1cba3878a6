"""A pipeline's small files, written whole, through Hadoop's file systems.

They are reached through Hadoop's file systems, as Spark's own checkpoints are, so they may be wherever Spark can write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from declarative_pipelines.engine.jvm_values import JvmValues

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Storage:
    """A folder of any file system, and what is in it.

    Parameters
    ----------
    root
        An absolute URI.
    """

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

    def exists(self, *parts: str) -> bool:
        """Whether it is there."""
        path, files = self._open(*parts)
        return files.exists(path)

    def names(self, *parts: str) -> list[str]:
        """Return the names in a folder, sorted; none where there is no folder."""
        path, files = self._open(*parts)
        return sorted(one.getPath().getName() for one in files.listStatus(path)) if files.exists(path) else []

    def read(self, *parts: str) -> str:
        """Return a file's text."""
        path, files = self._open(*parts)
        with _closing(files.open(path)) as stream:
            return bytes(stream.readAllBytes()).decode()

    def write(self, text: str, *parts: str) -> None:
        """Write a file whole: a reader finds the old text, or the new one."""
        path, files = self._open(*parts)
        hidden, _ = self._open(*parts[:-1], f".{parts[-1]}.new")
        with _closing(files.create(hidden, True)) as stream:
            stream.write(bytearray(text.encode()))
        files.delete(path, False)
        files.rename(hidden, path)

    def make_folder(self, *parts: str) -> None:
        """Make a folder and those that it is in."""
        path, files = self._open(*parts)
        files.mkdirs(path)

    def remove(self, *parts: str) -> None:
        """Remove a file or a folder of the pipeline, if it is there."""
        path, files = self._open(*parts)
        files.delete(path, True)

    def _open(self, *parts: str) -> tuple[Any, Any]:
        path = JvmValues(self.session).new("org.apache.hadoop.fs.Path", self.path(*parts))
        return path, path.getFileSystem(self.session._jsc.hadoopConfiguration())


class _closing:
    """Close a stream of the JVM at the end of a ``with`` block."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __enter__(self) -> Any:
        return self._stream

    def __exit__(self, *error: object) -> None:
        self._stream.close()
