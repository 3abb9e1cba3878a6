"""Changing files of this machine so that neither a crash nor another process ever sees half of it."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1024 * 1024
# What a file system answers that has no hard links: FAT, some network shares.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}


def write_atomically(path: str, data: bytes, overwrite: bool) -> None:
    """Write a file that is either there in full, also after a loss of power, or not at all.

    Raises
    ------
    FileExistsError
        It exists, and ``overwrite`` is false; of several writers at once, one succeeds.
    """
    _put(Path(path), lambda file: file.write(data), overwrite)


def write_from(path: str, source: BinaryIO) -> None:
    """Write all of an open file, as :func:`write_atomically` does."""
    _put(Path(path), lambda file: shutil.copyfileobj(source, file, _CHUNK), overwrite=True)


def delete(path: str) -> None:
    """Delete a file; it is no error if it is gone already."""
    Path(path).unlink(missing_ok=True)


def move(source: str, destination: str) -> None:
    """Move a file, also to another device, over one that may be there."""
    target = Path(destination)
    _make_directories(target.parent)
    try:
        Path(source).replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy(Path(source), target)
        Path(source).unlink()
    _sync(target.parent)


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as original:
        write_from(str(target), original)
    shutil.copystat(source, target)


def _put(target: Path, fill: Callable[[BinaryIO], object], overwrite: bool) -> None:
    _make_directories(target.parent)
    # Hidden from listings, and short: the name itself may be as long as names can be.
    temporary = target.parent / f".{uuid.uuid4().hex}.tmp"
    try:
        with temporary.open("xb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            temporary.replace(target)
        else:
            _publish_once(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    _sync(target.parent)


def _publish_once(temporary: Path, target: Path) -> None:
    """Give a file its name unless that is taken; the system decides who was first."""
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Claims the name; a reader may see it empty for a moment, but there is one winner.
        target.open("xb").close()
        temporary.replace(target)


def _make_directories(directory: Path) -> None:
    """Make a directory and what it is in; each name is as durable as the file that needs it."""
    if directory.is_dir():
        return
    _make_directories(directory.parent)
    with contextlib.suppress(FileExistsError):
        directory.mkdir()
    _sync(directory.parent)


def _sync(directory: Path) -> None:
    if os.name == "nt":  # which cannot open a directory, and needs not
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that syncs no directories
            raise
    finally:
        os.close(handle)
