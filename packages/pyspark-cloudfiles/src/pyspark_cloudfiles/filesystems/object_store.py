"""S3, Google Cloud Storage and Azure through obstore: paged listings, and conditional puts.

obstore lists a thousand files a page, and the store itself refuses the second of two writers of a new file.
Credentials and endpoints come from the environment, as in the stores' own tools.  The functions implement those of
:mod:`.filesystem` for remote URLs.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, BinaryIO

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    InvalidPathError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import AzureStore, GCSStore, S3Store

from pyspark_cloudfiles.errors import InvalidOption, PathNotFound
from pyspark_cloudfiles.filesystems.listing import Attempts, retry

if TYPE_CHECKING:
    from obstore.store import ObjectStore
    from pyarrow import NativeFile

    from pyspark_cloudfiles.filesystems.listing import IncrementalListing

PAGE = 1000  # files that a store lists at once
_BUFFER = 1024 * 1024


def list_files(
    url: str,
    enter: Callable[[str], bool],
    wanted: Callable[[list[str]], list[str]] | None = None,
    names: IncrementalListing | None = None,
) -> Iterator[tuple[str, int, int]]:
    """Yield (URL, bytes, microseconds) of the wanted files below a directory; see :func:`.filesystem.list_files`.

    The store lists all files; those below a directory that ``enter`` refuses are left out afterwards.  With ``names``,
    the state of earlier listings, it may be asked for the new names only.
    """
    entered: dict[str, bool] = {url: True}

    def is_inside(directory: str) -> bool:
        if directory not in entered:
            entered[directory] = is_inside(directory.rsplit("/", 1)[0]) and enter(directory)
        return entered[directory]

    offset = names.offset(url) if names is not None else None
    last, first_new = offset or "", None
    for page in _pages(url, offset):
        found = [file for file in page if is_inside(file.rsplit("/", 1)[0])]
        chosen = found if wanted is None else wanted(found)
        for file in chosen:
            size, file_status = page[file]
            if size or not is_directory_marker(file):
                yield file, size, file_status
        last = max(last, *page, "")
        if chosen and first_new is None:
            first_new = min(chosen)
    if names is not None:
        names.record(url, offset, last, first_new)


def _pages(url: str, after: str | None) -> Iterator[dict[str, tuple[int, int]]]:
    """Yield (bytes, microseconds) by URL for each page; one that fails is requested again, from the last name on."""
    root, prefix = _split(url)
    offset = None if after is None else _split(after)[1]
    attempts = Attempts(url)
    listing = None
    while True:
        try:
            listing = listing or iter(obstore.list(_store(root, 0), prefix or None, offset=offset, chunk_size=PAGE))
            page = next(listing, None)
        except (BaseError, OSError) as error:
            _wait_or_raise(attempts, url, error)
            listing = None
            continue
        if page is None:
            return
        if page:
            offset = page[-1]["path"]
        yield {f"{root}/{item['path']}": (item["size"], _microseconds(item["last_modified"])) for item in page}
        attempts.restart()


def names(url: str) -> list[str]:
    root, prefix = _split(url)
    found = _listed(url, lambda: obstore.list_with_delimiter(_store(root, 0), prefix or None))
    if found is None:
        return []
    paths = [*found["common_prefixes"], *(item["path"] for item in found["objects"])]
    return [path.rsplit("/", 1)[-1] for path in paths]


def is_directory(url: str) -> bool:
    root, prefix = _split(url)
    return bool(_listed(url, lambda: next(iter(obstore.list(_store(root, 0), prefix or None, chunk_size=1)), [])))


def exists(url: str) -> bool:
    try:
        retry(url, partial(file_status, url))
    except FileNotFoundError:
        return is_directory(url)
    return True


def file_status(url: str) -> tuple[int, int]:
    root, path = _split(url)
    if not path:
        raise FileNotFoundError(url)
    with _os_errors(url):
        found = obstore.head(_store(root, 0), path)
    return found["size"], _microseconds(found["last_modified"])


@lru_cache(maxsize=100_000)
def is_directory_marker(url: str) -> bool:
    """Whether an empty file marks a directory: tools put ``x/`` into a bucket, which a listing returns as ``x``."""
    try:
        retry(url, partial(file_status, url))
    except FileNotFoundError:
        return True
    return False


def read_bytes(url: str) -> bytes:
    root, path = _split(url)
    with _os_errors(url):
        return bytes(obstore.get(_store(root), path).bytes())


def open_binary(url: str) -> BinaryIO:
    root, path = _split(url)
    with _os_errors(url):
        return io.BufferedReader(_Readable(obstore.open_reader(_store(root), path, buffer_size=_BUFFER)), _BUFFER)


def open_arrow(url: str) -> NativeFile:
    from pyarrow import PythonFile

    return PythonFile(open_binary(url), mode="r")


def write_atomically(url: str, data: bytes, overwrite: bool) -> None:
    """Write a whole file in one put; without ``overwrite``, one of several writers succeeds."""
    root, path = _split(url)
    with _os_errors(url):
        try:
            obstore.put(_store(root), path, data, mode="overwrite" if overwrite else "create")
        except AlreadyExistsError as error:
            raise FileExistsError(f"{url} exists.") from error


def replace(url: str, data: bytes, current: bytes) -> None:
    """Replace a file of known content; raise FileExistsError if it has another.  One of several writers succeeds."""
    root, path = _split(url)
    with _os_errors(url):
        found = obstore.get(_store(root), path)
        if bytes(found.bytes()) != current:
            raise FileExistsError(f"{url} has changed.")
        version = {key: found.meta[key] for key in ("e_tag", "version") if found.meta.get(key)}
        try:
            obstore.put(_store(root), path, data, mode=version)
        except PreconditionError as error:
            raise FileExistsError(f"{url} has changed.") from error


def delete(url: str) -> None:
    root, path = _split(url)
    with suppress(FileNotFoundError), _os_errors(url):
        obstore.delete(_store(root), path)


def write_from(url: str, source: BinaryIO) -> None:
    """Write the content of an open file, a large one in parts, which become a file when all are written."""
    root, path = _split(url)
    with _os_errors(url):
        writer = obstore.open_writer(_store(root), path)
        shutil.copyfileobj(source, writer, _BUFFER)
        writer.close()  # not after an error, because it would create a truncated file


class _Readable(io.RawIOBase):
    """obstore's reader as a Python file."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = memoryview(self._reader.read(len(buffer)))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._reader.seek(offset, whence)

    def tell(self) -> int:
        return self._reader.tell()

    def close(self) -> None:
        self._reader.close()
        super().close()


@contextmanager
def _os_errors(url: str) -> Iterator[None]:
    """Raise OSError, with a text of one line, for the errors of obstore."""
    try:
        yield
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise PermissionError(errno.EACCES, _first_line(error), url) from error
    except BaseError as error:
        raise OSError(f"{url}: {_first_line(error)}") from error


def _listed(url: str, listing: Callable[[], Any]) -> Any:
    attempts = Attempts(url)
    while True:
        try:
            return listing()
        except Exception as error:
            if "status code: 404" in _first_line(error):
                return None
            _wait_or_raise(attempts, url, error)


def _wait_or_raise(attempts: Attempts, url: str, error: Exception) -> None:
    if isinstance(error, InvalidPathError):
        raise PathNotFound(f"{url} cannot be listed: {_first_line(error)}. Rename that file.") from error
    try:
        attempts.wait_or_raise(error)
    except (BaseError, OSError):
        raise PathNotFound(
            f"{url} cannot be listed: {_first_line(error)} Check its name and the credentials."
        ) from error


@lru_cache(maxsize=64)
def _store(root: str, retries: int = 10) -> ObjectStore:
    """Return the store of a root; listings are retried here, also if they fail in the middle, and not by the store."""
    scheme, _, container = root.partition("://")
    opener = next((opener for schemes, opener in _OPENERS.items() if scheme in schemes), None)
    if opener is None:
        raise InvalidOption(f"{root} is in no store that cloudFiles opens: mount the store as a directory.")
    try:
        return opener(container, {"max_retries": retries})
    except BaseError as error:
        raise InvalidOption(f"{root} cannot be opened: {_first_line(error)} Set it in the environment.") from error


def _opened_s3(bucket: str, retries: Any) -> ObjectStore:
    from pyarrow.fs import resolve_s3_region

    settings: dict[str, Any] = {}
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if endpoint:
        settings |= {"endpoint": endpoint, "client_options": {"allow_http": endpoint.startswith("http://")}}
    elif not (os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")):
        settings["region"] = resolve_s3_region(bucket)
    provider = None
    if not os.environ.get("AWS_ACCESS_KEY_ID"):
        with suppress(ImportError, ValueError):  # neither boto3 nor its credentials
            # The profiles and logins of AWS's own tools, which obstore does not read.
            from obstore.auth.boto3 import Boto3CredentialProvider

            provider = Boto3CredentialProvider()
    return S3Store(bucket, credential_provider=provider, retry_config=retries, **settings)


def _opened_google(bucket: str, retries: Any) -> ObjectStore:
    settings: dict[str, Any] = {}
    endpoint = os.environ.get("GOOGLE_BASE_URL") or ""
    if emulator := os.environ.get("STORAGE_EMULATOR_HOST"):
        endpoint = emulator if "://" in emulator else f"http://{emulator}"
        settings |= {"base_url": endpoint, "bearer_token": "emulator"}
    return GCSStore(
        bucket, client_options={"allow_http": endpoint.startswith("http://")}, retry_config=retries, **settings
    )


def _opened_azure(container: str, retries: Any) -> ObjectStore:
    name, _, host = container.partition("@")  # container@account.dfs.core.windows.net, or the container alone
    settings: dict[str, Any] = {"account_name": host.partition(".")[0]} if host else {}
    endpoint = os.environ.get("AZURE_STORAGE_ENDPOINT") or os.environ.get("AZURE_ENDPOINT") or ""
    return AzureStore(
        name, client_options={"allow_http": endpoint.startswith("http://")}, retry_config=retries, **settings
    )


_OPENERS: dict[tuple[str, ...], Callable[[str, Any], ObjectStore]] = {
    ("s3",): _opened_s3,
    ("gs", "gcs"): _opened_google,
    ("abfs", "abfss", "az", "azure"): _opened_azure,
}


def _split(url: str) -> tuple[str, str]:
    scheme, _, rest = url.partition("://")
    container, _, path = rest.partition("/")
    return f"{scheme}://{container}", path


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _microseconds(time: datetime) -> int:
    return round(time.timestamp() * 1_000_000)
