"""Local files: read, written atomically, and locked.  The functions implement those of :mod:`.filesystem` for paths."""

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
from typing import TYPE_CHECKING, BinaryIO

from pyspark_cloudfiles.errors import StateInUse

if TYPE_CHECKING:
    from pyarrow import NativeFile

_BUFFER = 256 * 1024
_CHUNK = 1024 * 1024
# The errors of a file system without hard links: FAT, some network shares.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
# The errors if another process holds the lock.
_HELD = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)
_LOCK_POLL_INTERVAL = 0.05


def read_bytes(path: str) -> bytes:
    with io.FileIO(path) as file:
        return file.readall()


def open_binary(path: str) -> BinaryIO:
    return io.BufferedReader(io.FileIO(path), _BUFFER)


def open_arrow(path: str) -> NativeFile:
    from pyarrow import OSFile

    return OSFile(path)


def names(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return []


def kind(path: str) -> int:
    """Return the kind of a file as in :mod:`stat`; 0 if it does not exist."""
    try:
        return stat.S_IFMT(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last for an impossible name
        return 0
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return 0


def file_status(path: str) -> tuple[int, int]:
    status = Path(path).stat()
    return status.st_size, status.st_mtime_ns // 1000


def write_atomically(path: str, data: bytes, overwrite: bool) -> None:
    """Write a file that is either complete, also after a loss of power, or does not exist."""
    _put(Path(path), lambda file: file.write(data), overwrite)


def replace(path: str, data: bytes, current: bytes) -> None:
    if read_bytes(path) != current:
        raise FileExistsError(f"{path} has changed.")
    write_atomically(path, data, overwrite=True)


def write_from(path: str, source: BinaryIO) -> None:
    _put(Path(path), lambda file: shutil.copyfileobj(source, file, _CHUNK), overwrite=True)


def delete(path: str) -> None:
    Path(path).unlink(missing_ok=True)


def move(source: str, destination: str) -> None:
    target = Path(destination)
    _make_directories(target.parent)
    try:
        Path(source).replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with Path(source).open("rb") as original:
            write_from(destination, original)
        shutil.copystat(source, target)
        Path(source).unlink()
    _sync(target.parent)


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
    """Give a file its name unless that is taken; the operating system decides between two writers."""
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # This claims the name; a reader may see it empty for a moment, but one writer wins.
        target.open("xb").close()
        temporary.replace(target)


def _make_directories(directory: Path) -> None:
    """Make a directory and its parents; each name is as durable as the file that needs it."""
    if directory.is_dir():
        return
    _make_directories(directory.parent)
    with contextlib.suppress(FileExistsError):
        directory.mkdir()
    _sync(directory.parent)


def _sync(directory: Path) -> None:
    if os.name == "nt":  # which cannot open a directory, and needs no sync
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
    """Hold the lock of a path: a hidden file beside it, which stays, because deleting it would let two processes in."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(target.with_name(f".{target.name}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _acquire(handle, path, timeout)
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"process {os.getpid()}".encode())
        yield
    finally:
        os.close(handle)  # which also releases the lock


def _acquire(handle: int, path: str, timeout: float) -> None:
    until = time.monotonic() + timeout
    while True:
        try:
            return _lock_now(handle)
        except OSError as error:
            if error.errno not in _HELD:
                raise
        if time.monotonic() >= until:
            os.lseek(handle, 0, os.SEEK_SET)
            holder = os.read(handle, 100).decode(errors="replace") or "another process"
            raise StateInUse(
                f"{path} is in use by {holder}: it did not become free in {timeout:g} seconds. "
                "Stop the other stream, or give this one its own checkpoint and schema location."
            )
        time.sleep(_LOCK_POLL_INTERVAL)


try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    def _lock_now(handle: int) -> None:
        # A byte far after the text, which other processes must be able to read.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
else:

    def _lock_now(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
