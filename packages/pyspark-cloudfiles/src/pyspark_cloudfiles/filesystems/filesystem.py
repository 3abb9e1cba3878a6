"""Files by their URL, wherever they are stored, and the local directories that URL prefixes are mounted on.

A URL is taken literally, as Hadoop's ``Path`` takes it: ``%20`` is three characters, not a blank.  Each URL has one
spelling, see :func:`canonical`.  A URL below a mount, such as ``{"dbfs:/": "/data/dbfs"}``, is a local file; otherwise
``file:`` and paths without a scheme are local, and all else is remote.

Mounts are a value of the source, which its options carry to every process that works for it.  They apply while a method
of the source runs, for its thread alone, so that sources with other mounts can work beside it.  Without mounts of the
source, those of the process's environment apply.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems import local
from pyspark_cloudfiles.filesystems.listing import retry

if TYPE_CHECKING:
    from pyarrow import NativeFile

    from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache

MOUNTS_VARIABLE = "PYSPARK_CLOUDFILES_MOUNTS"
MOUNTS_SETTING = "spark.cloudFiles.mounts"
_END = object()
_mounts: ContextVar[str | None] = ContextVar("cloudFiles mounts", default=None)
_FILE = "file:"
# At least two letters: one is a drive of Windows.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_ALIASES = {"s3a": "s3", "s3n": "s3"}
Item = TypeVar("Item")


def current_mounts() -> str:
    """Return the mounts of the source, or else those of this process's environment."""
    return _mounts.get() or os.environ.get(MOUNTS_VARIABLE, "")


@contextmanager
def mounted(mounts: str | None) -> Iterator[None]:
    """Apply a source's mounts, a JSON object or None for the environment's, in this thread until the block ends."""
    token = _mounts.set(mounts)
    try:
        yield
    finally:
        _mounts.reset(token)


def iterate_mounted(mounts: str | None, items: Iterator[Item]) -> Iterator[Item]:
    """Yield an iterator's items, with a source's mounts applied only while it computes the next one.

    A generator that entered :func:`mounted` itself would leave the mounts to its consumer.
    """
    context = copy_context()
    context.run(_mounts.set, mounts)
    while (item := context.run(next, items, _END)) is not _END:
        yield item  # type: ignore[misc]


class ResolvedUrl(NamedTuple):
    """A URL in its one spelling, and its path on this machine, or None if it is remote."""

    url: str
    path: str | None


class _Mount(NamedTuple):
    """A URL prefix that is a local directory, whose files are spelled with the prefix ``name``."""

    root: str
    parts: list[str]
    directory: str
    name: str


def resolved(url: str) -> ResolvedUrl:
    """Return the one spelling of a URL, and its local path.

    ``.``, ``..`` and empty names are resolved in the text alone; the parent of a root is the root, so that a URL cannot
    leave its mount.  InvalidOption is raised for an empty URL, or a host where none is possible.
    """
    # Quickly for URLs in their one spelling, because this is called for each file.
    if url.startswith("file:/") and "//" not in url and "/." not in url and url[-1] != "/":
        return ResolvedUrl(url, _native(url[5:]))
    root, parts = _split_url(url)
    for mount in _parse_mounts(current_mounts()):
        inside = parts[len(mount.parts) :]
        if mount.root == root and parts[: len(mount.parts)] == mount.parts:
            return ResolvedUrl(_join_url(mount.name, inside), _native(_join_url(mount.directory, inside)))
    if root in ("", _FILE):
        return ResolvedUrl(_join_url(_FILE, parts), _native(_join_url("", parts)))
    return ResolvedUrl(_join_url(root, parts), None)


@lru_cache(maxsize=8)
def _parse_mounts(text: str) -> list[_Mount]:
    """Return the mounts of a JSON object, the longest prefix first."""
    try:
        directories = {prefix: str(directory).rstrip("/\\") for prefix, directory in json.loads(text or "{}").items()}
    except (ValueError, AttributeError):
        raise InvalidOption(
            f"The mounts ({MOUNTS_SETTING}, or the environment variable {MOUNTS_VARIABLE}) are {text!r}. Make them a "
            "JSON object of URL prefixes and directories."
        ) from None
    mounts = []
    for prefix, directory in directories.items():
        # The shortest prefix with a scheme names the directory; a path without one has no URL of its own.
        schemed = [other for other, same in directories.items() if same == directory and _SCHEME.match(other)]
        name = _FILE + "/" + directory.lstrip("/")
        if schemed:
            name = _join_url(*_split_url(min(schemed, key=len))).rstrip("/")
        mounts.append(_Mount(*_split_url(prefix), directory, name))
    return sorted(mounts, key=lambda mount: -len(mount.parts))


def _split_url(url: str) -> tuple[str, list[str]]:
    """Return the root of a URL (``""``, ``file:``, ``dbfs:``, ``s3://bucket``), and its path's names."""
    if not url:
        raise InvalidOption("The path is empty. Give a directory, a file or a glob.")
    scheme = _SCHEME.match(url)
    if scheme is None:
        return "", _path_names(_absolute(url))
    name = scheme[1].lower()
    name, rest = _ALIASES.get(name, name), url[scheme.end() :]
    if not rest.startswith("//"):
        return f"{name}:", _path_names(rest)
    host, _, path = rest[2:].partition("/")
    if name in ("file", "dbfs"):
        if host not in ("", "localhost"):
            raise InvalidOption(f"In {url}, {host!r} is a host. Write {name}:/{host}/{path} if it is a directory.")
        return f"{name}:", _path_names(path)
    return f"{name}://{host}", _path_names(path)


def _absolute(path: str) -> str:
    """Return an absolute path; if the root is mounted, a relative path is in Hadoop's home directory."""
    if path.startswith("/"):
        return path
    if _DRIVE.match(path):
        return "/" + path.replace("\\", "/")
    if any(not mount.root for mount in _parse_mounts(current_mounts())):
        return f"/user/{getpass.getuser()}/{path}"
    return f"/{Path.cwd().as_posix().lstrip('/')}/{path}"


def _path_names(path: str) -> list[str]:
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            del names[-1:]
        elif name not in ("", "."):
            names.append(name)
    return names


def _join_url(root: str, names: list[str]) -> str:
    return f"{root}/{'/'.join(names)}" if names else root if root and not root.endswith(":") else root + "/"


def _native(path: str) -> str:
    return path.lstrip("/") if os.name == "nt" and _DRIVE.match(path.lstrip("/") + "/") else path


def canonical(url: str) -> str:
    return resolved(url).url


def local_path(url: str) -> str | None:
    return resolved(url).path


def _backend(url: str) -> tuple[ModuleType, str]:
    where = resolved(url)
    if where.path is not None:
        return local, where.path
    try:
        from pyspark_cloudfiles.filesystems import object_store  # most workers read local files only
    except ImportError:
        raise InvalidOption(
            f"{url} needs the package obstore: pip install 'streaming-classroom-pyspark-cloudfiles[stores]'."
        ) from None
    return object_store, where.url


# Operations on a missing file raise FileNotFoundError.


def read_bytes(url: str) -> bytes:
    """Return the whole content of a file."""
    backend, place = _backend(url)
    return backend.read_bytes(place)


def open_binary(url: str) -> BinaryIO:
    """Open a file for reading; the file object can seek."""
    backend, place = _backend(url)
    return backend.open_binary(place)


def open_arrow(url: str) -> NativeFile:
    """Open a file for pyarrow, which reads a local one without Python in between."""
    backend, place = _backend(url)
    return backend.open_arrow(place)


def write_atomically(url: str, data: bytes, overwrite: bool = True) -> None:
    """Write a file and its directories, so that no reader sees half of it; a local file survives a loss of power.

    Without ``overwrite``, one of several concurrent writers succeeds, and the others get FileExistsError.
    """
    backend, place = _backend(url)
    backend.write_atomically(place, data, overwrite)


def replace(url: str, data: bytes, current: bytes) -> None:
    """Replace a file of known content; raise FileExistsError if it has another.  Locally the caller holds the lock."""
    backend, place = _backend(url)
    backend.replace(place, data, current)


def file_status(url: str) -> tuple[int, int]:
    """Return a file's size in bytes, and its modification time in microseconds since the epoch."""
    backend, place = _backend(url)
    return backend.file_status(place)


def delete(url: str) -> None:
    backend, place = _backend(url)
    backend.delete(place)


def exists(url: str) -> bool:
    backend, place = _backend(url)
    return backend.exists(place) if backend is not local else retry(canonical(url), partial(local.kind, place)) != 0


def is_directory(url: str) -> bool:
    backend, place = _backend(url)
    if backend is not local:
        return backend.is_directory(place)
    return stat.S_ISDIR(retry(canonical(url), partial(local.kind, place)))


def names(url: str) -> list[str]:
    """Return the names in a directory, in no order; none if it does not exist."""
    backend, place = _backend(url)
    return backend.names(place) if backend is not local else retry(canonical(url), partial(local.names, place))


def move(source: str, destination: str) -> None:
    """Move a file, also between devices and stores, over an existing one; directories are created."""
    (origin, path), (target, place) = _backend(source), _backend(destination)
    if origin is local and target is local:
        local.move(path, place)
        return
    with open_binary(source) as file:
        target.write_from(place, file)
    delete(source)


def lock(url: str, timeout: float = 10.0) -> AbstractContextManager[None]:
    """Return a context manager that holds an exclusive lock, between threads and processes.

    The lock is a hidden file beside the path; the operating system releases it when its process ends, however that
    happens.  Entering raises StateInUse after ``timeout`` seconds.  Remote stores have no locks; there it does nothing.
    """
    path = local_path(url)
    return nullcontext() if path is None else local.lock(path, timeout)


def list_files(
    url: str,
    enter: Callable[[str], bool] = lambda directory: True,
    wanted: Callable[[list[str]], list[str]] | None = None,
    listings: ListingCache | None = None,
    incremental: IncrementalListing | None = None,
) -> Iterator[tuple[str, int, int]]:
    """Yield (URL, bytes, microseconds since the epoch) of the files below a directory, in no order; or raise
    PathNotFound.

    Links are followed; the target of several links is listed once.  Dangling links, files that vanish meanwhile, and
    names that are not valid UTF-8, which Spark cannot spell, are skipped.  ``enter`` decides by the URL of a directory
    whether to list it, ``wanted`` selects among the URLs of files that were listed together.  ``listings`` are the
    earlier ones of local directories, ``incremental`` those of stores.
    """
    backend, place = _backend(url)
    if backend is not local:
        return backend.list_files(place, enter, wanted, incremental)
    from pyspark_cloudfiles.filesystems import listing

    return listing.list_files(place, canonical(url), enter, wanted, listings)
