"""Python's own files under the names that Databricks gives them: ``open("/dbfs/mnt/a.txt")``.

On Databricks ``/dbfs`` and ``/Volumes`` are mounted; no program may do that on somebody's laptop.  So the functions
of ``os`` and ``open`` that take a path are wrapped to look it up first, which is enough for ``pathlib``, ``shutil``,
``glob`` and pandas; libraries that open files in C, such as pyarrow or sqlite3, are not reached.

A file that the classroom does not have is read from the machine where it exists there (a real ``/mnt``); what is
written goes to the classroom's home, always.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import re
from collections.abc import Callable
from typing import Any

from streaming_classroom import filesystem

_SPELLINGS = re.compile(r"(dbfs:/|/(?:dbfs|mnt|Volumes|FileStore|databricks-datasets)(?:/|$))")
_READING = ("stat", "lstat", "listdir", "scandir", "access", "readlink", "chdir", "statvfs")
_WRITING = ("mkdir", "rmdir", "remove", "unlink", "chmod", "utime", "truncate", "mkfifo", "chown", "open")
_TWO_PATHS = ("rename", "replace", "link", "symlink")
_PATH_NAMES = ("path", "file", "src", "dst")
_originals: dict[str, Callable] = {}


def install() -> None:
    """Wrap the functions of this process; calling it again changes nothing."""
    if _originals:
        return
    _wrap(os, _READING, 1, reading=True)
    _wrap(os, _WRITING, 1, reading=False)
    _wrap(os, _TWO_PATHS, 2, reading=False)
    _originals["io.open"] = io.open
    _put_open(_opening(io.open))


def uninstall() -> None:
    """Put back what was there before."""
    for name, function in _originals.items():
        if name == "io.open":
            _put_open(function)
        else:
            setattr(os, name, function)
    _originals.clear()


def _wrap(module: Any, names: tuple[str, ...], paths: int, reading: bool) -> None:
    for name in names:
        if (function := getattr(module, name, None)) is None:
            continue
        _originals[name] = function
        wrapper = _looking_up(function, paths, reading)
        # shutil asks these sets what a function can do.
        for abilities in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
            if function in abilities:
                abilities.add(wrapper)
        setattr(module, name, wrapper)


def _looking_up(function: Callable, paths: int, reading: bool) -> Callable:
    """Return a function that does the same to the place that its first ``paths`` arguments stand for."""

    @functools.wraps(function)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        found = [_place(path, reading) for path in arguments[:paths]]
        for name in _PATH_NAMES:
            if name in options:
                options[name] = _place(options[name], reading)
        return function(*found, *arguments[paths:], **options)

    return wrapper


def _opening(function: Callable) -> Callable:
    """Return an ``open`` that knows from its mode whether it reads."""

    @functools.wraps(function)
    def open(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        return function(_place(file, not set(mode) & set("wax+")), mode, *arguments, **options)

    return open


def _put_open(function: Callable) -> None:
    import IPython.core.interactiveshell as ipython

    builtins.open = io.open = function
    # What IPython calls behind the `open` of a notebook.
    ipython.io_open = function


def _place(path: Any, reading: bool) -> Any:
    """Return the local path that a Databricks path stands for; anything else as it is."""
    if not isinstance(path, (str, os.PathLike)):
        return path
    text = os.fspath(path)
    if not isinstance(text, str) or not _SPELLINGS.match(text):
        return path
    try:
        place = str(filesystem.local_path(text))
    except ValueError as error:
        raise FileNotFoundError(str(error)) from None
    return text if reading and not _exists(place) and _exists(text) else place


def _exists(path: str) -> bool:
    try:
        _originals.get("lstat", os.lstat)(path)
    except (OSError, ValueError):
        return False
    return True
