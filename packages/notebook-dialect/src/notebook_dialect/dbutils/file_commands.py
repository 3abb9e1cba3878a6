"""Copying, moving, replacing and removing files so that Spark can read what is left.

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
from uuid import uuid4

from notebook_dialect.dbutils.execution_errors import FileCommandFailed, PathProtected
from notebook_dialect.dbutils.paths import ResolvedPath, require_inside


def is_checksum(name: str) -> bool:
    """Whether a file of that name is Hadoop's note on another file, which Databricks does not have."""
    return name.startswith(".") and name.endswith(".crc")


def children(folder: ResolvedPath) -> list[ResolvedPath]:
    """Return what lies in a folder, by name, without checksums."""
    names = sorted(path.name for path in folder.local.iterdir())
    return [folder.child(name) for name in names if not is_checksum(name)]


def require_file(place: ResolvedPath) -> None:
    """Raise unless the place is an ordinary file: a folder has no contents, and a device's have no end.

    Raises
    ------
    FileNotFoundError
        Nothing is there.
    FileCommandFailed
        Something else is there.
    """
    if S_ISDIR(mode := place.local.stat().st_mode):
        raise FileCommandFailed(f"{place.path} is a directory", f'List it: dbutils.fs.ls("{place.path}").')
    if not S_ISREG(mode):
        raise FileCommandFailed(f"{place.path} is a device or a pipe", "Name an ordinary file.")


@contextmanager
def appearing(target: ResolvedPath) -> Iterator[Path]:
    """Give a temporary file beside the target, which becomes the target if all goes well."""
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
    """Remove a file with its checksum, a folder with all that is in it, or a link without what it points to.

    Raises
    ------
    PathProtected
        It is not below the classroom's home.
    """
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
    """Copy a file, or a folder into a new or an existing one; files that are there already are replaced.

    Raises
    ------
    FileCommandFailed
        A link to a folder lies in the source, which might lead round in a circle.
    PathProtected
        A link in the target leads out of the classroom's home.
    """
    if not source.local.is_dir():
        _copy_file(source, target)
        return
    _make_folder(target)
    for child in children(source):
        if child.local.is_symlink() and child.local.is_dir():
            raise FileCommandFailed(f"{child.path} is a link to a folder", "Copy that folder on its own.")
        copy(child, target.child(child.local.name))


def move(source: ResolvedPath, target: ResolvedPath) -> None:
    """Move a file or a folder, in one step where the file system can."""
    if not source.local.is_dir() or source.local.is_symlink():
        _move_file(source, target)
    elif target.local.exists() or not _renamed(source, target):
        copy(source, target)
        remove(source)


def _move_file(source: ResolvedPath, target: ResolvedPath) -> None:
    require_inside(target)
    target.local.parent.mkdir(parents=True, exist_ok=True)
    _forget_checksum(target.local)
    if not _renamed(source, target):
        _copy_file(source, target)
        source.local.unlink()
    _forget_checksum(source.local)


def _renamed(source: ResolvedPath, target: ResolvedPath) -> bool:
    """Give the source its new name, or return False where the two are on different disks."""
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
    with appearing(target) as temporary:
        shutil.copyfile(source.local, temporary)


def _make_folder(place: ResolvedPath) -> None:
    require_inside(place)
    place.local.mkdir(parents=True, exist_ok=True)


def _forget_checksum(file: Path) -> None:
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
