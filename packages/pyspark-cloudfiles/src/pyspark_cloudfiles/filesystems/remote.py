"""Files of a store that pyarrow opens, or else fsspec: S3, Google Cloud Storage, Azure, HDFS, memory ...

Credentials and endpoints come from the environment (``AWS_ACCESS_KEY_ID``, ``AWS_ENDPOINT_URL`` ...), so that URLs
stay plain.  Paths are handed over as they are, without percent escapes.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO

from pyspark_cloudfiles.errors import InvalidOption, PathNotFound
from pyspark_cloudfiles.filesystems import s3

if TYPE_CHECKING:
    from pyarrow import NativeFile
    from pyarrow.fs import FileInfo, FileSystem

    from pyspark_cloudfiles.filesystems.incremental_listing import IncrementalListing

_BUFFER = 1024 * 1024


def read_bytes(url: str) -> bytes:
    """Return the whole content of a file."""
    with open_arrow(url) as file:
        return file.read()


def open_arrow(url: str) -> NativeFile:
    """Open a file for pyarrow."""
    system, path = _opened(url)
    return system.open_input_file(path)


def open_binary(url: str) -> BinaryIO:
    """Open a file for reading."""
    return io.BufferedReader(open_arrow(url), _BUFFER)


def write(url: str, data: bytes, overwrite: bool) -> None:
    """Write a file with one put.

    Raises
    ------
    FileExistsError
        It exists, and ``overwrite`` is false.  Looking and writing are two steps but on S3 with obstore.
    """
    if not overwrite and s3.serves(url):
        s3.create(url, data)
        return
    if not overwrite and exists(url):
        raise FileExistsError(f"{url} exists.")
    with _open_output(url) as file:
        file.write(data)


def exists(url: str) -> bool:
    """Tell whether there is a file or a directory."""
    system, path = _opened(url)
    return bool(system.get_file_info(path).type)


def is_directory(url: str) -> bool:
    """Tell whether there is a directory, or anything below the name."""
    from pyarrow.fs import FileType

    system, path = _opened(url)
    return system.get_file_info(path).type == FileType.Directory


def names(url: str) -> list[str]:
    """Return the names in a directory; none where there is no directory."""
    return [info.base_name for info in _listed(url, recursive=False)]


def delete(url: str) -> None:
    """Delete a file; it is no error if it is gone already."""
    system, path = _opened(url)
    try:
        system.delete_file(path)
    except FileNotFoundError:
        return


def copy(source: BinaryIO, destination: str) -> None:
    """Write all of an open file."""
    with _open_output(destination) as file:
        shutil.copyfileobj(source, file, _BUFFER)


def modified(url: str) -> tuple[int, int]:
    """Return bytes, and microseconds since the epoch."""
    system, path = _opened(url)
    info = system.get_file_info(path)
    if not info.type:
        raise FileNotFoundError(f"{url} does not exist.")
    return info.size or 0, _microseconds(system, info)


def list_files(
    url: str,
    enter: Callable[[str], bool],
    wanted: Callable[[list[str]], list[str]] | None = None,
    names: IncrementalListing | None = None,
) -> Iterator[tuple[str, int, int]]:
    """Yield (URL, bytes, microseconds) of every file below a directory that is wanted.

    The store lists everything; what is below a directory that ``enter`` refuses is left out afterwards.

    Parameters
    ----------
    names : IncrementalListing, optional
        Of earlier walks, so that what is new may be all that is listed.
    """
    entered: dict[str, bool] = {url: True}

    def inside(directory: str) -> bool:
        if directory not in entered:
            entered[directory] = inside(directory.rsplit("/", 1)[0]) and enter(directory)
        return entered[directory]

    after = names.after(url) if names is not None and s3.serves(url) else None
    last, first_new = after or "", None
    for page, facts in _pages(url, after):
        found = [file for file in page if inside(file.rsplit("/", 1)[0])]
        chosen = found if wanted is None else wanted(found)
        for file in chosen:
            size, modified = facts(file)
            if size or not s3.serves(url) or not s3.stands_for_directory(file):
                yield file, size, modified
        last = max(last, *page, "")
        if chosen and first_new is None:
            first_new = min(chosen)
    if names is not None:
        names.listed(url, after, last, first_new)


def _pages(url: str, after: str | None) -> Iterator[tuple[list[str], Callable[[str], tuple[int, int]]]]:
    """Yield the files below a directory, a page at a time where the store can be asked for pages, and what tells more.

    To ask for a time may be a question to the store of its own, for one file.
    """
    if s3.serves(url):
        for page in s3.pages(url, after):
            yield list(page), page.__getitem__
        return
    system, base = _opened(url)
    infos = {
        f"{url.rstrip('/')}/{info.path[len(base) :].lstrip('/')}": info
        for info in _listed(url, recursive=True)
        if info.is_file
    }
    yield list(infos), lambda file: (infos[file].size or 0, _microseconds(system, infos[file]))


def _listed(url: str, recursive: bool) -> list[FileInfo]:
    from pyarrow.fs import FileSelector

    system, path = _opened(url)
    try:
        return system.get_file_info(FileSelector(path, recursive=recursive, allow_not_found=True))
    except NotADirectoryError:
        return []
    except OSError as error:
        raise PathNotFound(f"{url} cannot be listed: {error} Check its name and the credentials.") from error


def _open_output(url: str) -> BinaryIO:
    system, path = _opened(url)
    try:
        return system.open_output_stream(path)
    except FileNotFoundError:  # object stores have no directories to make, others do
        system.create_dir(path.rsplit("/", 1)[0], recursive=True)
        return system.open_output_stream(path)


def _microseconds(system: FileSystem, info: FileInfo) -> int:
    if info.mtime_ns is not None:
        return info.mtime_ns // 1000
    try:
        time = system.handler.fs.modified(info.path)  # fsspec has no common name for it in its listings
    except (AttributeError, NotImplementedError):
        return 0
    return int(time.timestamp() * 1_000_000)


def _opened(url: str) -> tuple[FileSystem, str]:
    """Return the store of a URL, and the path in it."""
    scheme, _, rest = url.partition(":")
    host, _, path = rest.removeprefix("//").partition("/")
    system, base = _store(scheme, host)
    return system, f"{base.rstrip('/')}/{path}" if path else base


@lru_cache(maxsize=64)
def _store(scheme: str, host: str) -> tuple[FileSystem, str]:
    from pyarrow import ArrowException
    from pyarrow.fs import FileSystem

    root = f"{scheme}://{host}/"
    try:
        return FileSystem.from_uri(root)
    except (ArrowException, OSError) as error:
        return _store_of_fsspec(root.rstrip("/") if host else root, error)


def _store_of_fsspec(root: str, reason: Exception) -> tuple[FileSystem, str]:
    try:
        from fsspec.core import url_to_fs
        from pyarrow.fs import FSSpecHandler, PyFileSystem

        system, base = url_to_fs(root)
        return PyFileSystem(FSSpecHandler(system)), base
    except (ImportError, ValueError, OSError, TypeError) as error:  # the last where a store asks for more than an URL
        raise InvalidOption(
            f"Nothing here opens {root}. pyarrow: {reason} fsspec: {error} Install the package that fsspec names, "
            "or mount the store as a directory."
        ) from error
