"""``open`` and the functions of ``os`` understand the paths of Databricks: ``open("/dbfs/mnt/a.txt")``.

On Databricks ``/dbfs`` and ``/Volumes`` are mounted; no program may do that on somebody's laptop.  So the functions
of ``os`` and ``open`` that take a path are wrapped to look it up first, which is enough for ``pathlib``, ``shutil``,
``glob`` and pandas; libraries that open files in C, such as pyarrow or sqlite3, are not reached.

A file that the root does not have is read from the machine where it exists there (a real ``/mnt``); what is written
goes below the root.  What lies below a folder of the machine's own, such as a checkout in ``/mnt/c`` or
``/Volumes/Disk``, is the machine's, to be read and to be written.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from notebook_dialect.files.filesystem import FileSystem

_SPELLINGS = re.compile(r"(dbfs:/|/(?:dbfs|mnt|Volumes|FileStore|databricks-datasets)(?:/|$))")
_READING = ("stat", "lstat", "listdir", "scandir", "access", "readlink", "chdir", "statvfs", "listxattr", "getxattr")
_WRITING: tuple[str, ...] = ("mkdir", "rmdir", "remove", "unlink", "chmod", "utime", "truncate", "mkfifo", "chown")
_WRITING += ("setxattr", "removexattr")  # shutil copies them with a file on Linux
_TWO_PATHS = ("rename", "replace", "link", "symlink")
_PATH_NAMES = ("path", "file", "src", "dst")
_WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class PythonFiles:
    """The functions of this process, wrapped to find the files of a :class:`FileSystem`.

    Parameters
    ----------
    files : FileSystem
        The files; its ``machines`` are left to the machine, and so are Python's own folder and the working directory.
    """

    _installed: PythonFiles | None = None  # the process has one set of functions

    def __init__(self, files: FileSystem) -> None:
        self._files = files
        self._machines = _spelled((*files.machines, files.home, Path.cwd(), Path(sys.prefix), Path(sys.base_prefix)))
        self._originals: dict[str, Callable] = {}

    def install(self) -> None:
        """Wrap the functions of this process; calling it again changes nothing, and another one's are taken back."""
        if PythonFiles._installed is self:
            return
        if PythonFiles._installed is not None:
            PythonFiles._installed.uninstall()
        PythonFiles._installed = self
        self._wrap(_READING, 1, lambda _arguments, _options: True)
        self._wrap(_WRITING, 1, lambda _arguments, _options: False)
        self._wrap(_TWO_PATHS, 2, lambda _arguments, _options: False)
        self._wrap(("open",), 1, _flags_only_read)
        self._originals["io.open"] = io.open
        _put_open(self._looking_up(io.open, 1, _mode_only_reads))

    def uninstall(self) -> None:
        """Put back what was there before."""
        for name, function in self._originals.items():
            if name == "io.open":
                _put_open(function)
            else:
                setattr(os, name, function)
        self._originals.clear()
        PythonFiles._installed = None

    def _wrap(self, names: tuple[str, ...], paths: int, only_reads: Callable[[tuple, dict], bool]) -> None:
        for name in names:
            if (function := getattr(os, name, None)) is None:
                continue
            self._originals[name] = function
            wrapper = self._looking_up(function, paths, only_reads)
            # shutil asks these sets what a function can do.
            for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
                if function in able:
                    able.add(wrapper)
            setattr(os, name, wrapper)

    def _looking_up(self, function: Callable, paths: int, only_reads: Callable[[tuple, dict], bool]) -> Callable:
        """Return a function that does the same to the place that its first ``paths`` arguments stand for."""

        @functools.wraps(function)
        def wrapper(*arguments: Any, **options: Any) -> Any:
            reading = only_reads(arguments[paths:], options)
            found = [self._place(path, reading) for path in arguments[:paths]]
            for name in _PATH_NAMES:
                if name in options:
                    options[name] = self._place(options[name], reading)
            return function(*found, *arguments[paths:], **options)

        return wrapper

    def _place(self, path: Any, reading: bool) -> Any:
        """Return the local path that a Databricks path stands for; anything else as it is."""
        if not isinstance(path, (str, os.PathLike)):
            return path
        text = os.fspath(path)
        if not isinstance(text, str) or not _SPELLINGS.match(text) or self._is_machines(text):
            return path
        try:
            place = str(self._files.local_path(text))
        except ValueError as error:
            raise FileNotFoundError(str(error)) from None
        return text if reading and not self._exists(place) and self._exists(text) else place

    def _is_machines(self, text: str) -> bool:
        """Whether a path is one of the machine's own folders or lies below it."""
        return bool(self._machines) and f"{os.path.normpath(text)}/".startswith(self._machines)

    def _exists(self, path: str) -> bool:
        try:
            self._originals["lstat"](path)
        except (OSError, ValueError):
            return False
        return True


def _spelled(folders: Iterable[Path]) -> tuple[str, ...]:
    """Return the beginnings of paths below these folders, as written and with links followed, that look like ours.

    A folder that is itself one of the names, such as ``/mnt``, cannot be told from Databricks' and is left out.
    """
    ways = {spelling for folder in folders for spelling in (str(folder.absolute()), os.path.realpath(folder))}
    return tuple(sorted(f"{way}/" for way in ways if _SPELLINGS.match(way) and way.count("/") > 1))


def _mode_only_reads(arguments: tuple, options: dict[str, Any]) -> bool:
    """Tell from the arguments of ``open`` after the file whether it only reads."""
    mode = arguments[0] if arguments else options.get("mode", "r")
    return not set(mode) & set("wax+")


def _flags_only_read(arguments: tuple, options: dict[str, Any]) -> bool:
    """Tell from the arguments of ``os.open`` after the path whether it only reads."""
    flags = arguments[0] if arguments else options.get("flags", 0)
    return not flags & _WRITING_FLAGS


def _put_open(function: Callable) -> None:
    import IPython.core.interactiveshell as ipython

    builtins.open = io.open = function
    # What IPython calls behind the `open` of a notebook.
    ipython.io_open = function
