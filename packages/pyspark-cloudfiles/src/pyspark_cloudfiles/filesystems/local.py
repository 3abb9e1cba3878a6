"""Local files: read, written atomically, and locked."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import stat
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from pyspark_cloudfiles.errors import StateInUse

_BUFFER = 256 * 1024
_CHUNK = 1024 * 1024
# What a file system answers that has no hard links: FAT, some network shares.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
# What a system answers when another holds the lock.
_HELD = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)
_PAUSE_SECONDS = 0.05


def read_bytes(path: str) -> bytes:
    """Return the whole content of a file."""
    with io.FileIO(path) as file:
        return file.readall()


def open_binary(path: str) -> BinaryIO:
    """Open a file for reading."""
    return io.BufferedReader(io.FileIO(path), _BUFFER)


def names(path: str) -> list[str]:
    """Return the names in a directory; none where there is no directory."""
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return []


def kind(path: str) -> int:
    """Return the kind of a file as :mod:`stat` has it; 0 where there is none."""
    try:
        return stat.S_IFMT(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last: no name can be spelled so
        return 0
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return 0


def modified(path: str) -> tuple[int, int]:
    """Return bytes, and microseconds since the epoch."""
    return _size_and_time(Path(path).stat())


def _size_and_time(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns // 1000


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


@contextlib.contextmanager
def lock(path: str, timeout: float) -> Iterator[None]:
    """Hold the lock of a path: a hidden file beside it, which stays, because deleting it would let in two.

    Raises
    ------
    StateInUse
        Another thread or process still held it after ``timeout`` seconds.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(target.with_name(f".{target.name}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _acquire(handle, path, timeout)
        _sign(handle)
        yield
    finally:
        os.close(handle)  # which also gives the lock back


def _acquire(handle: int, path: str, timeout: float) -> None:
    until = time.monotonic() + timeout
    while not _try(handle):
        if time.monotonic() >= until:
            raise StateInUse(
                f"{path} is in use by {_holder(handle)}: it did not become free in {timeout:g} seconds. "
                "Stop the other stream, or give this one its own checkpoint and schema location."
            )
        time.sleep(_PAUSE_SECONDS)


def _try(handle: int) -> bool:
    try:
        _lock_now(handle)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True


try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    def _lock_now(handle: int) -> None:
        # A byte far behind the text, which others must be able to read.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
else:

    def _lock_now(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sign(handle: int) -> None:
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, f"process {os.getpid()}".encode())


def _holder(handle: int) -> str:
    os.lseek(handle, 0, os.SEEK_SET)
    return os.read(handle, 100).decode(errors="replace") or "another process"
