"""URLs resolved: one spelling for each, and the local path if it has one.

A URL is taken literally, as Hadoop's ``Path`` takes it: ``%20`` is three characters, not a blank.  Where a scheme is
mounted on a local directory, its files are local files; otherwise ``file:`` and paths without a scheme are the
machine's own files, and all else is remote.

They are a value of the source, which travels in its options to every process that works for it.  A method of the source
has them hold while it runs, for its thread alone; so sources with other mounts work beside it, and a process keeps none
of them.  Where a source has none, the process's own environment says what is mounted.
"""

from __future__ import annotations

import getpass
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from pyspark_cloudfiles.errors import InvalidOption

VARIABLE = "PYSPARK_CLOUDFILES_MOUNTS"
SETTING = "spark.cloudFiles.mounts"
_END = object()
_holding: ContextVar[str | None] = ContextVar("cloudFiles mounts", default=None)

Item = TypeVar("Item")


def holding() -> str:
    """Return the mounts that hold here: those of the source, else those of this process's environment."""
    return _holding.get() or os.environ.get(VARIABLE, "")


@contextmanager
def mounted(mounts: str | None) -> Iterator[None]:
    """Have a source's mounts hold in this thread until the block ends.

    Parameters
    ----------
    mounts : str or None
        A JSON object of URL prefixes and directories; None: the environment's.
    """
    before = _holding.set(mounts)
    try:
        yield
    finally:
        _holding.reset(before)


def iterated(mounts: str | None, items: Iterator[Item]) -> Iterator[Item]:
    """Yield an iterator's items, with a source's mounts only while it makes the next one.

    A generator that entered :func:`mounted` itself would leave the mounts to whoever iterates over it.
    """
    context = copy_context()
    context.run(_holding.set, mounts)
    while (item := context.run(next, items, _END)) is not _END:
        yield item  # type: ignore[misc]


_FILE = "file:"
# Two letters at least: one is a drive of Windows.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_ALIASES = {"s3a": "s3", "s3n": "s3"}


class ResolvedUrl(NamedTuple):
    """A URL in its one spelling, and the local path that it stands for.

    Parameters
    ----------
    url : str
        The URL.
    path : str or None
        The path on this machine; None if the URL is remote.
    """

    url: str
    path: str | None


class Mount(NamedTuple):
    """A URL prefix that is a local directory; ``name`` is the prefix that its files are spelled with."""

    root: str
    parts: list[str]
    directory: str
    name: str


def resolved(url: str) -> ResolvedUrl:
    """Return the one spelling of a URL, and its local path.

    ``.``, ``..`` and empty names are resolved in the text alone; the parent of a root is the root, so that a URL cannot
    leave its mount.

    Raises
    ------
    InvalidOption
        It names a host where there can be none, or is empty.
    """
    if _is_plain_file(url):
        return ResolvedUrl(url, _native(url[5:]))
    root, parts = _split(url)
    for mount in _parsed(holding()):
        inside = len(mount.parts)
        if mount.root == root and parts[:inside] == mount.parts:
            return ResolvedUrl(_joined(mount.name, parts[inside:]), _native(_joined(mount.directory, parts[inside:])))
    if root in ("", _FILE):
        return ResolvedUrl(_joined(_FILE, parts), _native(_joined("", parts)))
    return ResolvedUrl(_joined(root, parts), None)


@lru_cache(maxsize=8)
def _parsed(text: str) -> list[Mount]:
    """Return the mounts of a JSON object, the longest prefix first."""
    try:
        directories = {prefix: str(directory).rstrip("/\\") for prefix, directory in json.loads(text or "{}").items()}
    except (ValueError, AttributeError):
        raise InvalidOption(
            f"What is mounted ({SETTING}, or the environment variable {VARIABLE}) is {text!r}. Make it a "
            "JSON object of URL prefixes and directories."
        ) from None
    found = [
        Mount(*_split(prefix), directory, _name(directory, directories)) for prefix, directory in directories.items()
    ]
    return sorted(found, key=lambda mount: -len(mount.parts))


def _name(directory: str, directories: dict[str, str]) -> str:
    """Return the shortest prefix with a scheme that is the same directory; a path without one has no URL of its own."""
    schemed = [prefix for prefix, other in directories.items() if other == directory and _SCHEME.match(prefix)]
    if not schemed:
        return _FILE + "/" + directory.lstrip("/")
    return _joined(*_split(min(schemed, key=len))).rstrip("/")


def _split(url: str) -> tuple[str, list[str]]:
    """Return what comes before the path (``""``, ``file:``, ``dbfs:``, ``s3://bucket``), and the path's names."""
    if not url:
        raise InvalidOption("The path is empty. Give a directory, a file or a glob.")
    scheme = _SCHEME.match(url)
    if scheme is None:
        return "", _names(_absolute(url))
    name = scheme[1].lower()
    name, rest = _ALIASES.get(name, name), url[scheme.end() :]
    if not rest.startswith("//"):
        return f"{name}:", _names(rest)
    host, _, path = rest[2:].partition("/")
    if name in ("file", "dbfs"):
        if host not in ("", "localhost"):
            raise InvalidOption(f"In {url}, {host!r} is a host. Write {name}:/{host}/{path} if it is a directory.")
        return f"{name}:", _names(path)
    return f"{name}://{host}", _names(path)


def _absolute(path: str) -> str:
    """Return a path without a scheme from its root: Hadoop's home directory where the root is mounted."""
    if path.startswith("/"):
        return path
    if _DRIVE.match(path):
        return "/" + path.replace("\\", "/")
    if any(not mount.root for mount in _parsed(holding())):
        return f"/user/{getpass.getuser()}/{path}"
    return f"/{Path.cwd().as_posix().lstrip('/')}/{path}"


def _names(path: str) -> list[str]:
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            del names[-1:]
        elif name not in ("", "."):
            names.append(name)
    return names


def _joined(root: str, names: list[str]) -> str:
    return f"{root}/{'/'.join(names)}" if names else root if root and not root.endswith(":") else root + "/"


def _is_plain_file(url: str) -> bool:
    """Tell quickly that a URL is already in its one spelling; it is asked for each of many files."""
    return url.startswith("file:/") and "//" not in url and "/." not in url and url[-1] != "/"


def _native(path: str) -> str:
    return path.lstrip("/") if os.name == "nt" and _DRIVE.match(path.lstrip("/") + "/") else path
