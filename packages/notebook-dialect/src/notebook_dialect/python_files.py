"""``open`` and the functions of ``os`` understand ``/dbfs/...``, ``/Volumes/...`` and ``/Workspace/...``.

Those three are what Databricks mounts for Python; ``dbfs:/...``, ``/mnt/...`` and ``/FileStore/...`` are paths of
Spark, SQL and ``dbutils`` alone, there and here.  No program may mount anything on somebody's laptop, so ``open`` and
the functions of ``os`` that take a path are wrapped to look it up first, which is enough for ``pathlib``, ``shutil``,
``glob``, ``tempfile`` and most of pandas.  Libraries that open files in C, such as pyarrow and sqlite3, are not
reached, nor modules that kept a function from before; :meth:`PythonFiles.explain` says so.

A folder of the machine wins: where it has a ``/dbfs``, or a disk ``/Volumes/Disk``, that is what Python sees.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from notebook_dialect.catalogs.store import require_volume
from notebook_dialect.filesystem import FileSystem

# The folder of the machine that would be meant: a mount, or a disk below `/Volumes`, as macOS has them.
_MOUNTED = re.compile(r"(/(?:dbfs|Workspace)|/Volumes(?:/[^/]+)?)(?:/|$)")
_OF_SPARK = re.compile(r"dbfs:/|/(?:mnt|FileStore|databricks-datasets)(?:/|$)")
_ONE_PATH: tuple[str, ...] = ("stat", "lstat", "listdir", "scandir", "access", "readlink", "chdir", "statvfs", "open")
_ONE_PATH += ("mkdir", "rmdir", "remove", "unlink", "chmod", "utime", "truncate", "mkfifo", "mknod", "chown", "lchown")
_ONE_PATH += ("listxattr", "getxattr", "setxattr", "removexattr")  # shutil copies them with a file on Linux
_ONE_PATH += ("pathconf", "chflags", "lchflags", "lchmod")
_TWO_PATHS = ("rename", "replace", "link", "symlink")
_CREATING = ("mkdir", *_TWO_PATHS)
_PATH_NAMES = ("path", "file", "src", "dst")


class PythonFiles:
    """Functions of this process that open files, wrapped to find the files of a :class:`FileSystem`."""

    _installed: PythonFiles | None = None  # the process has one set of functions

    def __init__(self, files: FileSystem) -> None:
        self._files = files
        self._originals: dict[str, Callable] = {}
        self._told: set[str] = set()

    def install(self) -> None:
        """Wrap the functions of this process; calling it again changes nothing, and another one's are taken back."""
        if PythonFiles._installed is self:
            return
        if PythonFiles._installed is not None:
            PythonFiles._installed.uninstall()
        PythonFiles._installed = self
        self._wrap(_ONE_PATH, 1)
        self._wrap(_TWO_PATHS, 2)
        os.scandir = self._entries_as_asked_for(os.scandir)
        self._originals["io.open"] = io.open
        _put_open(self._looking_up(io.open, 1))

    def uninstall(self) -> None:
        """Restore the original functions."""
        for name, function in self._originals.items():
            if name == "io.open":
                _put_open(function)
            else:
                setattr(os, name, function)
        self._originals.clear()
        PythonFiles._installed = None

    def explain(self, error: object) -> str:
        """Return a sentence about a library that was given ``/dbfs/...`` and opens files itself, or an empty string."""
        for path in re.findall(r"/(?:dbfs|Volumes|Workspace)/[^'\"\s]*", str(error)) if error else ():
            place = self._place(path.rstrip(".,:;)"))
            if place != path and self._exists(place):
                return f"This library has its own way to open files and does not know {path}. Give it {place}."
        return ""

    def _wrap(self, names: tuple[str, ...], paths: int) -> None:
        for name in names:
            if (function := getattr(os, name, None)) is None:
                continue
            self._originals[name] = function
            wrapper = self._looking_up(function, paths, creates=name in _CREATING)
            # shutil asks these sets what a function can do.
            for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
                if function in able:
                    able.add(wrapper)
            setattr(os, name, wrapper)

    def _looking_up(self, function: Callable, paths: int, creates: bool = False) -> Callable:
        """Return a function that does the same to the place that its first ``paths`` arguments stand for.

        One that ``creates`` its last path does so in no volume that is missing.
        """

        @functools.wraps(function)
        def wrapper(*arguments: Any, **options: Any) -> Any:
            found = [self._place(path) for path in arguments[:paths]]
            named = {name: self._place(options[name]) for name in _PATH_NAMES if name in options}
            if creates and found and found[-1] is not arguments[paths - 1]:
                require_volume(self._files, Path(found[-1]))
            try:
                return function(*found, *arguments[paths:], **{**options, **named})
            except OSError as error:
                self._speak_as_asked_for(error, zip(found, arguments, strict=False))
                raise

        return wrapper

    def _place(self, path: Any) -> Any:
        """Return the local path of a mounted path; anything else unchanged."""
        if not isinstance(path, (str, os.PathLike)):
            return path
        text = os.fspath(path)
        if not isinstance(text, str) or not (mounted := _MOUNTED.match(text)):
            return path
        inside = os.path.normpath(text)
        try:
            place = str(self._files.local_path(inside if _MOUNTED.match(inside) else text))
        except ValueError as error:
            raise FileNotFoundError(str(error)) from None
        return path if self._is_machines(mounted.group(1), place) else place

    def _is_machines(self, folder: str, place: str) -> bool:
        """Whether the machine has the folder that a path begins with; if both have it, print that once."""
        if not self._exists(folder):
            return False
        # Otherwise nobody can have meant another one; and who looks at a disk looks at the folder of disks on the way.
        if folder not in self._told and not folder.endswith("/Volumes") and self._exists(place):
            self._told.add(folder)
            warnings.warn(
                f"This machine has a folder {folder}, which is what Python sees there. What Spark and dbutils call "
                f"{folder} is {self._files.local_path(folder)}.",
                stacklevel=5,
            )
        return True

    def _exists(self, path: str) -> bool:
        try:
            self._originals.get("lstat", os.lstat)(path)
        except (OSError, ValueError):
            return False
        return True

    def _entries_as_asked_for(self, scandir: Callable) -> Callable:
        """Return ``os.scandir`` whose entries have the paths that were asked for, which ``pathlib`` continues with."""

        @functools.wraps(scandir)
        def wrapper(path: Any = ".") -> Any:
            entries = scandir(path)
            return entries if self._place(path) is path else _Entries(entries, os.fspath(path))

        if scandir in os.supports_fd:
            os.supports_fd.add(wrapper)
        return wrapper

    @staticmethod
    def _speak_as_asked_for(error: OSError, paths: Iterator[tuple[Any, Any]]) -> None:
        """Name in an error the path that was asked for, and say what Python calls one of Spark's."""
        for place, path in paths:
            if place is not path and error.filename == place:
                error.filename = os.fspath(path)
            elif place is not path and error.filename2 == place:
                error.filename2 = os.fspath(path)
            if isinstance(path, (str, os.PathLike)) and _OF_SPARK.match(text := str(path)):
                pythons = "/dbfs/" + text.removeprefix("dbfs:").lstrip("/")
                error.add_note(f"{text} is a path of Spark, SQL and dbutils. Python's is {pythons}, as on Databricks.")


class _Entries:
    """The result of ``os.scandir`` for a mounted folder, with the paths that were asked for."""

    def __init__(self, entries: Any, folder: str) -> None:
        self._entries, self._folder = entries, folder

    def __iter__(self) -> Iterator[_Entry]:
        return self

    def __next__(self) -> _Entry:
        return _Entry(next(self._entries), self._folder)

    def __enter__(self) -> _Entries:
        return self

    def __exit__(self, *_: object) -> None:
        self._entries.close()

    def close(self) -> None:
        """End the listing."""
        self._entries.close()


class _Entry:
    """An ``os.DirEntry`` with the path that was asked for; ``os.DirEntry`` itself cannot be constructed."""

    def __init__(self, entry: os.DirEntry[str], folder: str) -> None:
        self._entry = entry
        self.name = entry.name
        self.path = f"{folder.rstrip('/')}/{entry.name}"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return repr(self._entry)


def _put_open(function: Callable) -> None:
    import IPython.core.interactiveshell as ipython

    builtins.open = io.open = function
    # What IPython calls behind the `open` of a notebook.
    ipython.io_open = function
