"""Files of a store: S3, Google Cloud Storage and Azure through obstore, all else that pyarrow or fsspec opens.

Credentials and endpoints come from the environment (``AWS_ACCESS_KEY_ID``, ``AWS_ENDPOINT_URL`` ...), so that URLs
stay plain.  Paths are handed over as they are, without percent escapes.
"""

from __future__ import annotations

import io
import shutil
import uuid
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO

from pyspark_cloudfiles.errors import InvalidOption, PathNotFound
from pyspark_cloudfiles.filesystems import object_store
from pyspark_cloudfiles.filesystems.retries import tried_again

if TYPE_CHECKING:
    from pyarrow import NativeFile
    from pyarrow.fs import FileInfo, FileSystem

    from pyspark_cloudfiles.filesystems.incremental_listing import IncrementalListing

_BUFFER = 1024 * 1024


def read_bytes(url: str) -> bytes:
    """Return the whole content of a file."""
    if object_store.reads(url):
        return object_store.read_bytes(url)
    with open_arrow(url) as file:
        return file.read()


def open_arrow(url: str) -> NativeFile:
    """Open a file for pyarrow."""
    if object_store.reads(url):
        from pyarrow import PythonFile

        return PythonFile(object_store.open_binary(url), mode="r")
    system, path = _opened(url)
    return system.open_input_file(path)


def open_binary(url: str) -> BinaryIO:
    """Open a file for reading."""
    if object_store.reads(url):
        return object_store.open_binary(url)
    return io.BufferedReader(open_arrow(url), _BUFFER)


def creates_exclusively(url: str) -> bool:
    """Tell whether of two writers of a new file the store refuses one."""
    return object_store.serves(url)


def write(url: str, data: bytes, overwrite: bool) -> None:
    """Write a file, whole wherever the store has an atomic put or a rename.

    Raises
    ------
    FileExistsError
        It exists, and ``overwrite`` is false.  Where the store does not refuse the second of two writers, it is looked
        for before it is written, and read back afterwards, which finds most of those who have lost.
    """
    if object_store.serves(url):
        (object_store.put if overwrite else object_store.create)(url, data)
        return
    if not overwrite and exists(url):
        raise FileExistsError(f"{url} exists.")
    _publish(url, data)
    if not overwrite and read_bytes(url) != data:
        raise FileExistsError(f"{url} exists: another has written it at the same moment.")


def replace(url: str, data: bytes, current: bytes) -> None:
    """Write a file in the place of one that has a known content.

    Raises
    ------
    FileExistsError
        It has another content by now.
    """
    if object_store.serves(url):
        object_store.replace(url, data, current)
        return
    if read_bytes(url) != current:
        raise FileExistsError(f"{url} has changed.")
    _publish(url, data)


def exists(url: str) -> bool:
    """Tell whether there is a file or a directory."""
    if object_store.serves(url):
        return object_store.exists(url)
    return bool(_info(url).type)


def is_directory(url: str) -> bool:
    """Tell whether there is a directory, or anything below the name."""
    if object_store.serves(url):
        return object_store.is_directory(url)
    from pyarrow.fs import FileType

    return _info(url).type == FileType.Directory


def names(url: str) -> list[str]:
    """Return the names in a directory; none where there is no directory."""
    if object_store.serves(url):
        return object_store.names(url)
    return [info.base_name for info in _listed(url, recursive=False)]


def delete(url: str) -> None:
    """Delete a file; it is no error if it is gone already."""
    if object_store.serves(url):
        object_store.delete(url)
        return
    system, path = _opened(url)
    try:
        system.delete_file(path)
    except FileNotFoundError:
        return


def copy(source: BinaryIO, destination: str) -> None:
    """Write all of an open file."""
    if object_store.serves(destination):
        object_store.copy(source, destination)
        return
    with _open_output(destination) as file:
        shutil.copyfileobj(source, file, _BUFFER)


def modified(url: str) -> tuple[int, int]:
    """Return bytes, and microseconds since the epoch."""
    if object_store.serves(url):
        return object_store.modified(url)
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

    after = names.after(url) if names is not None and object_store.serves(url) else None
    last, first_new = after or "", None
    for page, facts in _pages(url, after):
        found = [file for file in page if inside(file.rsplit("/", 1)[0])]
        chosen = found if wanted is None else wanted(found)
        for file in chosen:
            size, modified = facts(file)
            if size or not object_store.serves(url) or not object_store.stands_for_directory(file):
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
    if object_store.serves(url):
        for page in object_store.pages(url, after):
            yield list(page), page.__getitem__
        return
    system, base = _opened(url)
    infos = {
        f"{url.rstrip('/')}/{info.path[len(base) :].lstrip('/')}": info
        for info in _listed(url, recursive=True)
        if info.is_file
    }
    yield list(infos), lambda file: (infos[file].size or 0, _microseconds(system, infos[file]))


def _info(url: str) -> FileInfo:
    system, path = _opened(url)
    return tried_again(url, lambda: system.get_file_info(path))


def _listed(url: str, recursive: bool) -> list[FileInfo]:
    """List a directory; the three attempts that pyarrow itself makes at an S3 take a second, and count as one."""
    from pyarrow.fs import FileSelector

    system, path = _opened(url)
    try:
        selector = FileSelector(path, recursive=recursive, allow_not_found=True)
        return tried_again(url, lambda: system.get_file_info(selector))
    except NotADirectoryError:
        return []
    except OSError as error:
        raise PathNotFound(f"{url} cannot be listed: {error} Check its name and the credentials.") from error


def _publish(url: str, data: bytes) -> None:
    """Write a file under a name of its own and rename it where the store has renames; otherwise with one put."""
    system, path = _opened(url)
    rename = _rename_of(system)
    if rename is None:
        _write(url, data)
        return
    directory, _, name = path.rpartition("/")
    temporary = f".{uuid.uuid4().hex}.tmp"
    _write(f"{url.removesuffix(name)}{temporary}", data)
    try:
        rename(f"{directory}/{temporary}", path)
    except OSError:  # there are file systems that rename to no name that is taken
        if not exists(url):
            raise
        delete(url)
        rename(f"{directory}/{temporary}", path)


def _rename_of(system: FileSystem) -> Callable[[str, str], object] | None:
    """Return what renames a file in one step; None where that would be a copy, as in object stores."""
    if system.type_name in ("s3", "gcs", "abfs"):
        return None
    if not system.type_name.startswith("py::fsspec"):
        return system.move
    from fsspec import AbstractFileSystem

    store = system.handler.fs
    return None if type(store).mv is AbstractFileSystem.mv else store.mv


def _write(url: str, data: bytes) -> None:
    with _open_output(url) as file:
        file.write(data)


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
