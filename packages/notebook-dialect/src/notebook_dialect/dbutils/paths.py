"""The file that a path of ``dbutils`` means, and whether a notebook may write there.

``dbfs:/mnt/a``, ``/mnt/a`` and ``/dbfs/mnt/a`` are one place below the classroom's home; ``file:/...`` is the
machine itself, which can be read and not written.  Links are followed before a path is checked, so none of them
leads a command out of the home.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from notebook_dialect.catalogs.store import require_volume
from notebook_dialect.dbutils.execution_errors import NotSupported, PathInvalid, PathProtected
from notebook_dialect.filesystem import FOLDERS, SCHEME, FileSystem

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HOW_TO_WRITE_A_PATH = "Write a path as /mnt/my-folder, dbfs:/mnt/my-folder or file:/home/me/my-file."


@dataclass(frozen=True)
class ResolvedPath:
    """A file or folder, whether it exists or not: how ``dbutils`` writes it and where it is on this machine."""

    path: str
    local: Path
    files: FileSystem = field(compare=False, repr=False)

    def child(self, name: str) -> ResolvedPath:
        """Return the place of that name in this folder."""
        local = self.local / name
        path = f"{self.path.rstrip('/')}/{name}" if self.path.startswith(SCHEME) else _file_path(local)
        return ResolvedPath(path, local, self.files)


def locate(files: FileSystem, path: str) -> ResolvedPath:
    """Return the place that a path names.

    Raises PathInvalid: the path is not absolute, or has parts such as ``..``; NotSupported: the path is in a store
    that needs an account.
    """
    if not isinstance(path, str):
        raise PathInvalid(f"A path is a string, not {type(path).__name__}: {path!r}", _HOW_TO_WRITE_A_PATH)
    _refuse_other_stores(path)
    if path.startswith("file:"):
        return _on_the_machine(files, path)
    if not path.startswith(("/", f"{SCHEME}/")):
        raise PathInvalid(f"Path must be absolute: {path!r}", _HOW_TO_WRITE_A_PATH)
    _refuse_awkward(path, path)
    canonical = files.canonical(path)
    # As a file's path it would mean another place than as a path of Spark's.
    if f"{canonical}/".startswith(f"{SCHEME}/dbfs/"):
        raise PathInvalid(f"Path begins with /dbfs twice: {path!r}", "Write /dbfs once, or not at all.")
    return ResolvedPath(canonical, files.local_path(canonical), files)


def locate_writable(files: FileSystem, path: str) -> ResolvedPath:
    """Return the place of a path that a lesson may write, with links resolved; PathProtected for any other."""
    place = locate(files, path)
    require_inside(place)
    require_volume(files, place.local)
    return place


def locate_removable(files: FileSystem, path: str) -> ResolvedPath:
    """Return the place of a path that a lesson may remove; PathProtected for others and for the workspace's folders."""
    place = locate(files, path)
    require_inside(place)
    if any(_is_same(place.local, kept) for kept in (files.root, *(files.root / name for name in FOLDERS))):
        raise PathProtected(
            f"{place.path} is a folder that every workspace has, and is not removed or moved",
            f"Name what is in it, such as {place.path.rstrip('/')}/my-folder.",
        )
    return place


def require_inside(place: ResolvedPath) -> None:
    """Raise :class:`PathProtected` unless the place is below the classroom's home, with links followed."""
    home = Path(os.path.realpath(place.files.home))
    # The place itself may be a link: it is replaced or removed, never followed.
    parent = Path(os.path.realpath(place.local.parent))
    if not parent.is_relative_to(home):
        raise PathProtected(
            f"{place.path} is outside the classroom's home {home}, where nothing is written or removed",
            "Use a path such as dbfs:/mnt/my-folder, which is inside.",
        )


def _refuse_other_stores(path: str) -> None:
    scheme = _SCHEME.match(path)
    if scheme and scheme[1] not in ("dbfs", "file"):
        raise NotSupported(
            f"No FileSystem for scheme {scheme[1]}: {path}",
            "Copy the files to a folder such as dbfs:/mnt/my-folder and use that path.",
        )


def _refuse_awkward(names: str, path: str) -> None:
    """Raise PathInvalid for a path that a careless reader, or another system, takes for another one."""
    if "\0" in names or "\\" in names:
        raise PathInvalid(f"Path has a backslash or a NUL in it: {path!r}", "Separate folders by / alone.")
    try:
        os.fsencode(names)
    except UnicodeEncodeError:
        problem = f"Path has a character that no file's name can have: {path!r}"
        raise PathInvalid(problem, "Write the path without.") from None
    if ".." in names.split("/"):
        raise PathInvalid(f"Path has a '..' in it: {path!r}", "Write the path without.")


def _on_the_machine(files: FileSystem, uri: str) -> ResolvedPath:
    slashes = re.match(r"file:(/*)", uri)[1]
    if len(slashes) not in (1, 3):
        raise PathInvalid(f"Not an absolute path of this machine: {uri!r}", "Write it as file:/home/me/my-file.")
    if "?" in uri or "#" in uri:
        raise PathInvalid(f"Path has a ? or # in it: {uri!r}", "Write %3F for ? and %23 for #.")
    _refuse_awkward(unquote(uri), uri)
    local = files.local_path(uri)
    return ResolvedPath(_file_path(local), local, files)


def _file_path(local: Path) -> str:
    """Return a machine's path so that :func:`locate` finds it again, and otherwise as Spark writes it."""
    text = local.as_posix().lstrip("/")
    return "file:/" + text.replace("%", "%25").replace("?", "%3F").replace("#", "%23")


def _is_same(path: Path, other: Path) -> bool:
    """Whether both paths are one folder; a link to it is not."""
    if path == other:
        return True
    return os.path.lexists(path) and other.exists() and os.path.samestat(path.lstat(), other.stat())
