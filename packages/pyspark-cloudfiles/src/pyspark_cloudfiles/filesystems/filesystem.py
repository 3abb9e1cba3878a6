"""Files by their URL, wherever they are.

URLs may be as users write them; what comes back is in one spelling (see :func:`canonical`).  Mounts put URL prefixes
onto local directories, such as ``{"dbfs:/": "/data/dbfs"}``; see :mod:`pyspark_cloudfiles.filesystems.urls`.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO

from pyspark_cloudfiles.filesystems import local
from pyspark_cloudfiles.filesystems.retries import tried_again
from pyspark_cloudfiles.filesystems.urls import resolved

if TYPE_CHECKING:
    from pyarrow import NativeFile

    from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache


def canonical(url: str) -> str:
    """Return the one spelling of a URL: ``file:/a/b``, ``dbfs:/a/b``, ``s3://bucket/key``.

    Without a slash at the end, and literally: nothing is percent-decoded, as in Hadoop's ``Path``.

    Raises
    ------
    InvalidOption
        It is empty, or has a host where there can be none.
    """
    return resolved(url).url


def local_path(url: str) -> str | None:
    """Return where a file is on this machine, or None where it is remote."""
    return resolved(url).path


def read_bytes(url: str) -> bytes:
    """Return the whole content of a file.

    Raises
    ------
    FileNotFoundError
        It is gone.
    """
    where = resolved(url)
    return local.read_bytes(where.path) if where.path is not None else _store().read_bytes(where.url)


def open_binary(url: str) -> BinaryIO:
    """Open a file for reading; the file object can seek.

    Raises
    ------
    FileNotFoundError
        It is gone.
    """
    where = resolved(url)
    return local.open_binary(where.path) if where.path is not None else _store().open_binary(where.url)


def open_arrow(url: str) -> NativeFile:
    """Open a file for pyarrow, which then reads it without Python in between.

    Raises
    ------
    FileNotFoundError
        It is gone.
    """
    where = resolved(url)
    if where.path is None:
        return _store().open_arrow(where.url)
    from pyarrow import OSFile

    return OSFile(where.path)


def write_atomically(url: str, data: bytes, overwrite: bool = True) -> None:
    """Write a file, and the directories it is in, so that nobody ever sees half of it.

    A local file is there after a loss of power once this has returned.

    Raises
    ------
    FileExistsError
        It exists, and ``overwrite`` is false; of several writers at once, one succeeds.
    """
    where = resolved(url)
    if where.path is None:
        _store().write(where.url, data, overwrite)
    else:
        local.write_atomically(where.path, data, overwrite)


def replace(url: str, data: bytes, current: bytes) -> None:
    """Write a file in the place of one that has a known content; locally the caller has the lock.

    Raises
    ------
    FileExistsError
        It has another content by now.
    """
    where = resolved(url)
    if where.path is None:
        _store().replace(where.url, data, current)
    elif local.read_bytes(where.path) != current:
        raise FileExistsError(f"{url} has changed.")
    else:
        local.write_atomically(where.path, data, overwrite=True)


def exists(url: str) -> bool:
    """Tell whether there is a file or a directory."""
    where = resolved(url)
    if where.path is None:
        return _store().exists(where.url)
    return tried_again(where.url, partial(local.kind, where.path)) != 0


def is_directory(url: str) -> bool:
    """Tell whether there is a directory."""
    where = resolved(url)
    if where.path is None:
        return _store().is_directory(where.url)
    return stat.S_ISDIR(tried_again(where.url, partial(local.kind, where.path)))


def names(url: str) -> list[str]:
    """Return the names in a directory, in no order; none where there is no directory."""
    where = resolved(url)
    if where.path is None:
        return _store().names(where.url)
    return tried_again(where.url, partial(local.names, where.path))


def modified(url: str) -> tuple[int, int]:
    """Return a file's bytes, and when it was last changed, in microseconds since the epoch.

    Raises
    ------
    FileNotFoundError
        There is none.
    """
    where = resolved(url)
    return local.modified(where.path) if where.path is not None else _store().modified(where.url)


def delete(url: str) -> None:
    """Delete a file; it is no error if it is gone already."""
    where = resolved(url)
    if where.path is None:
        _store().delete(where.url)
    else:
        local.delete(where.path)


def move(source: str, destination: str) -> None:
    """Move a file, also between devices and stores, over one that may be there; directories are made.

    Raises
    ------
    FileNotFoundError
        ``source`` is gone.
    """
    origin, target = resolved(source), resolved(destination)
    if origin.path is not None and target.path is not None:
        local.move(origin.path, target.path)
        return
    with open_binary(source) as file:
        if target.path is None:
            _store().copy(file, target.url)
        else:
            local.write_from(target.path, file)
    delete(source)


def lock(url: str, timeout: float = 10.0) -> AbstractContextManager[None]:
    """Return a context manager that holds an exclusive lock, between threads and processes.

    The operating system gives it back when its process ends, however that happens.  It is a hidden file beside the
    path.  Remote stores have no locks; there it does nothing.

    Parameters
    ----------
    timeout : float
        Seconds to wait for it.

    Raises
    ------
    StateInUse
        On entering: another still holds it.
    """
    path = local_path(url)
    if path is None:
        return nullcontext()
    return local.lock(path, timeout)


def list_files(
    url: str,
    enter: Callable[[str], bool] = lambda directory: True,
    wanted: Callable[[list[str]], list[str]] | None = None,
    listings: ListingCache | None = None,
    incremental: IncrementalListing | None = None,
) -> Iterator[tuple[str, int, int]]:
    """Yield (URL, bytes, microseconds since the epoch) of the files below a directory, in no order.

    Links are followed; the target of several links is listed once.  Dangling links, files that vanish meanwhile, and
    names that are not valid UTF-8, which Spark cannot spell, are skipped.

    Parameters
    ----------
    enter : callable
        Takes the URL of a directory, and returns whether its files are wanted.
    wanted : callable, optional
        Takes the URLs of files that were listed together, and returns the wanted ones; by default all.
    listings : ListingCache, optional
        Of earlier listings, so that local directories that have not changed are skipped; see
        :class:`pyspark_cloudfiles.filesystems.listing.ListingCache`.
    incremental : IncrementalListing, optional
        The same for stores; see :class:`pyspark_cloudfiles.filesystems.listing.IncrementalListing`.

    Raises
    ------
    PathNotFound
        A directory cannot be listed.
    """
    where = resolved(url)
    if where.path is None:
        return _store().list_files(where.url, enter, wanted, incremental)
    from pyspark_cloudfiles.filesystems import listing  # workers list nothing

    return listing.list_files(where.path, where.url, enter, wanted, listings)


def _store() -> ModuleType:
    """Import late: most workers read local files only."""
    from pyspark_cloudfiles.filesystems import object_store

    return object_store
