"""``dbutils.fs``: files and folders with Databricks' commands, in plain Python.

No JVM is asked, so the commands work before Spark has started and where Spark is a Connect server.

Hadoop keeps a checksum beside each file it writes, ``.name.crc`` for ``name``, and refuses to read a file that
does not match its own.  So whoever replaces a file takes the old checksum away first; a copy needs none.
A file appears under its name when it is complete: a stream that watches the folder never sees half of it.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple, NoReturn
from uuid import uuid4

from notebook_dialect.catalogs.store import is_volume
from notebook_dialect.dbutils.execution_errors import (
    FileCommandFailed,
    FileExists,
    NotSupported,
    PathInvalid,
    PathNotFound,
    PathProtected,
    as_execution_errors,
)
from notebook_dialect.dbutils.paths import ResolvedPath, locate, locate_removable, locate_writable, require_inside
from notebook_dialect.dbutils.utilities import Utility
from notebook_dialect.filesystem import SCHEME, FileSystem


def is_checksum(name: str) -> bool:
    """Whether a file of that name is Hadoop's checksum of another file, which Databricks does not have."""
    return name.startswith(".") and name.endswith(".crc")


def children(folder: ResolvedPath) -> list[ResolvedPath]:
    """Return the content of a folder, by name, without checksums."""
    names = sorted(path.name for path in folder.local.iterdir())
    return [folder.child(name) for name in names if not is_checksum(name)]


def require_file(place: ResolvedPath) -> None:
    """Raise FileNotFoundError or FileCommandFailed unless the path is an ordinary file."""
    if S_ISDIR(mode := place.local.stat().st_mode):
        raise FileCommandFailed(f"{place.path} is a directory", f'List it: dbutils.fs.ls("{place.path}").')
    if not S_ISREG(mode):
        raise FileCommandFailed(f"{place.path} is a device or a pipe", "Name an ordinary file.")


@contextmanager
def atomic_target(target: ResolvedPath) -> Iterator[Path]:
    """Yield a temporary file beside the target; it replaces the target unless the block raises."""
    require_inside(target)
    target.local.parent.mkdir(parents=True, exist_ok=True)
    # Spark's file sources pass over names that begin with a dot.
    temporary = target.local.with_name(f".{uuid4().hex}.tmp")
    try:
        yield temporary
        _forget_checksum(target.local)
        temporary.replace(target.local)
    finally:
        temporary.unlink(missing_ok=True)


def remove(place: ResolvedPath) -> None:
    """Remove a file with its checksum, a folder with its content, or a link without its target."""
    require_inside(place)
    # A second look that shares no code with the first: what goes wrong here cannot be undone.
    if Path(os.path.realpath(place.files.home)).is_relative_to(os.path.realpath(place.local)):
        raise PathProtected(f"{place.path} holds the classroom's home", "Name a folder in it.")
    if place.local.is_dir() and not place.local.is_symlink():
        shutil.rmtree(place.local)
    else:
        place.local.unlink()
        _forget_checksum(place.local)


def copy(source: ResolvedPath, target: ResolvedPath) -> None:
    """Copy a file, or a folder into a new or an existing one; existing files are replaced.

    A link to a folder could be a circle (FileCommandFailed); one out of the home is refused (PathProtected).
    """
    if not source.local.is_dir():
        _copy_file(source, target)
        return
    require_inside(target)
    target.local.mkdir(parents=True, exist_ok=True)
    for child in children(source):
        if child.local.is_symlink() and child.local.is_dir():
            raise FileCommandFailed(f"{child.path} is a link to a folder", "Copy that folder on its own.")
        copy(child, target.child(child.local.name))


def move(source: ResolvedPath, target: ResolvedPath) -> None:
    """Move a file or a folder, in one step where the file system can."""
    if not source.local.is_dir() or source.local.is_symlink():
        _move_file(source, target)
    elif target.local.exists() or not _try_rename(source, target):
        copy(source, target)
        remove(source)


def _move_file(source: ResolvedPath, target: ResolvedPath) -> None:
    require_inside(target)
    target.local.parent.mkdir(parents=True, exist_ok=True)
    _forget_checksum(target.local)
    if not _try_rename(source, target):
        _copy_file(source, target)
        source.local.unlink()
    _forget_checksum(source.local)


def _try_rename(source: ResolvedPath, target: ResolvedPath) -> bool:
    """Rename the source; return False if the target is on another disk."""
    require_inside(target)
    target.local.parent.mkdir(parents=True, exist_ok=True)
    try:
        source.local.replace(target.local)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def _copy_file(source: ResolvedPath, target: ResolvedPath) -> None:
    if target.local.is_dir():
        raise FileCommandFailed(f"{target.path} is a directory, {source.path} a file", "Remove one of them first.")
    require_file(source)
    with atomic_target(target) as temporary:
        shutil.copyfile(source.local, temporary)


def _forget_checksum(file: Path) -> None:
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


class FileInfo(NamedTuple):
    """An entry of ``ls``: ``size`` in bytes, ``modificationTime`` in milliseconds since 1970.

    ``path`` and ``name`` of a folder end in ``/``.
    """

    path: str
    name: str
    size: int
    modificationTime: int

    def isDir(self) -> bool:
        """Whether it is a folder."""
        return self.name.endswith("/")

    def isFile(self) -> bool:
        """Whether it is a file."""
        return not self.isDir()


class MountInfo(NamedTuple):
    """An entry of ``mounts``."""

    mountPoint: str
    source: str
    encryptionType: str


class FileSystemUtils(Utility):
    """Work with the files and folders of the classroom: dbfs:/mnt/a, /mnt/a and /dbfs/mnt/a are one place.

    ``file:/...`` is this machine itself: read anywhere, written only in the classroom's home.

    Parameters
    ----------
    files : FileSystem
        The files.
    """

    def __init__(self, files: FileSystem) -> None:
        self._files = files

    def ls(self, dir: str) -> list[FileInfo]:
        """List the content of a folder, by name; of a file, the file itself.

        Raises
        ------
        PathNotFound
            The path does not exist.
        """
        place = locate(self._files, dir)
        with as_execution_errors(place.path):
            if not place.local.is_dir():
                return [_info(place)]
            return [_info(child) for child in children(place)]

    def head(self, file: str, maxBytes: int = 65536) -> str:
        """Return the beginning of a file as text, at most maxBytes bytes of it.

        Bytes that are no UTF-8 are shown as �.
        """
        place = locate(self._files, file)
        if maxBytes < 0:
            raise PathInvalid(f"maxBytes must not be negative: {maxBytes}", "Pass a number of bytes, such as 65536.")
        with as_execution_errors(place.path):
            require_file(place)
            with place.local.open("rb") as opened:
                start = opened.read(maxBytes + 1)
        if len(start) > maxBytes:
            print(f"[Truncated to first {maxBytes} bytes]")
        return start[:maxBytes].decode("utf-8", errors="replace")

    def put(self, file: str, contents: str, overwrite: bool = False) -> bool:
        """Write a text into a file, encoded in UTF-8; the file appears when it is complete.

        Raises
        ------
        FileExists
            A file is there, and ``overwrite`` is not set.
        """
        place = locate_writable(self._files, file)
        if not isinstance(contents, str):
            fix = "Pass a string, such as str(value) or json.dumps(value)."
            raise PathInvalid(f"The contents are not a string but {type(contents).__name__}", fix)
        with as_execution_errors(place.path):
            if place.local.is_dir():
                raise FileCommandFailed(f"{place.path} is a directory", "Name a file in it.")
            if place.local.exists() and not overwrite:
                raise FileExists(place.path)
            written = contents.encode()
            with atomic_target(place) as temporary:
                temporary.write_bytes(written)
        print(f"Wrote {len(written)} bytes.")
        return True

    def mkdirs(self, dir: str) -> bool:
        """Create a folder with its parents, unless it exists."""
        place = locate_writable(self._files, dir)
        with as_execution_errors(place.path):
            place.local.mkdir(parents=True, exist_ok=True)
        return True

    def rm(self, dir: str, recurse: bool = False) -> bool:
        """Remove a file or an empty folder; with recurse a folder and all that is in it.

        A volume is emptied; only ``DROP VOLUME`` removes it.

        Returns
        -------
        bool
            False where nothing was there.

        Raises
        ------
        FileCommandFailed
            A folder is not empty, and ``recurse`` is not set.
        PathProtected
            It is outside the classroom's home, or a folder that every workspace has.
        """
        place = locate_removable(self._files, dir)
        with as_execution_errors(place.path):
            if not (place.local.exists() or place.local.is_symlink()):
                return False
            is_folder = place.local.is_dir() and not place.local.is_symlink()
            if is_folder and not recurse and children(place):
                fix = f'Remove it with all that is in it: dbutils.fs.rm("{place.path}", True).'
                raise FileCommandFailed(f"Directory {place.path} is not empty", fix)
            for removed in children(place) if is_volume(self._files, place.local) else [place]:
                remove(removed)
        return True

    def cp(self, from_: str, to: str, recurse: bool = False) -> bool:
        """Copy a file; with recurse a folder. Into the target, where that is a folder already."""
        source = locate(self._files, from_)
        with as_execution_errors(source.path):
            copy(source, _target(source, locate_writable(self._files, to), recurse))
        return True

    def mv(self, from_: str, to: str, recurse: bool = False) -> bool:
        """Move a file; with recurse a folder. Into the target, where that is a folder already."""
        source = locate_removable(self._files, from_)
        with as_execution_errors(source.path):
            move(source, _target(source, locate_writable(self._files, to), recurse))
        return True

    def mounts(self) -> list[MountInfo]:
        """List the root and the folders of /mnt, each with where it is on this machine.

        A folder of /mnt counts as mounted, so code that mounts only what is not there continues.
        """
        mount_folder = locate(self._files, "/mnt")
        folders = children(mount_folder) if mount_folder.local.is_dir() else []
        places = [locate(self._files, "/"), *(folder for folder in folders if folder.local.is_dir())]
        return [MountInfo(p.path.removeprefix(SCHEME), p.local.as_uri(), "") for p in places]

    def refreshMounts(self) -> bool:
        """Do nothing, successfully: one machine has nothing to refresh."""
        return True

    def mount(self, source: str, mount_point: str, *options: object, **more: object) -> NoReturn:
        """Refuse: the classroom has no cloud storage to mount. Use dbutils.fs.mkdirs."""
        _refuse_mounting(mount_point)

    def updateMount(self, source: str, mount_point: str, *options: object, **more: object) -> NoReturn:
        """Refuse: the classroom has no cloud storage to mount. Use dbutils.fs.mkdirs."""
        _refuse_mounting(mount_point)

    def unmount(self, mount_point: str) -> NoReturn:
        """Refuse: nothing is mounted in the classroom. Use dbutils.fs.rm."""
        fix = f'If the folder is to go, remove it: dbutils.fs.rm("{mount_point}", True).'
        raise NotSupported(f"Nothing is mounted at {mount_point}", fix)


def _info(place: ResolvedPath) -> FileInfo:
    """Return what is known of a place; of a link that leads nowhere, what is known of the link."""
    broken = place.local.is_symlink() and not place.local.exists()
    stat = place.local.lstat() if broken else place.local.stat()
    is_folder = S_ISDIR(stat.st_mode)
    mark = "/" if is_folder else ""
    return FileInfo(
        path=place.path + mark,
        name=place.local.name + mark,
        size=0 if is_folder else stat.st_size,
        modificationTime=stat.st_mtime_ns // 1_000_000,
    )


def _target(source: ResolvedPath, to: ResolvedPath, recurse: bool) -> ResolvedPath:
    """Return the target path; in a folder that exists, below it with the source's name."""
    if not source.local.exists():
        raise PathNotFound(source.path)
    if source.local.is_dir() and not recurse:
        raise FileCommandFailed(f"{source.path} is a directory", "Pass recurse=True to take all that is in it.")
    target = to.child(source.local.name) if to.local.is_dir() else to
    real, goal = (Path(os.path.realpath(place.local)) for place in (source, target))
    if goal.is_relative_to(real):
        raise FileCommandFailed(f"{target.path} is {source.path} itself or in it", "Choose another target.")
    if source.local.is_dir() and target.local.exists() and not target.local.is_dir():
        raise FileCommandFailed(f"{target.path} is a file, {source.path} a directory", "Choose another target.")
    return target


def _refuse_mounting(mount_point: str) -> NoReturn:
    fix = f'Make a folder in its place and copy the files there: dbutils.fs.mkdirs("{mount_point}").'
    raise NotSupported("The classroom has no cloud storage to mount", fix)
