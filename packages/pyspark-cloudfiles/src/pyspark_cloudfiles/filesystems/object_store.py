"""S3, Google Cloud Storage and Azure through obstore: paged listings, and conditional puts.

obstore lists a thousand files a page, and has the store itself refuse the second of two writers of a new file.
Credentials and endpoints come from the environment, as in the stores' own tools.
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

from pyspark_cloudfiles.errors import InvalidOption, PathNotFound
from pyspark_cloudfiles.filesystems.retries import Attempts, tried_again

if TYPE_CHECKING:
    from obstore.store import ObjectStore
    from pyarrow import NativeFile

    from pyspark_cloudfiles.filesystems.listing import IncrementalListing

# What the store sends at once.
PAGE = 1000
_BUFFER = 1024 * 1024


def list_files(
    url: str,
    enter: Callable[[str], bool],
    wanted: Callable[[list[str]], list[str]] | None = None,
    names: IncrementalListing | None = None,
) -> Iterator[tuple[str, int, int]]:
    """Yield (URL, bytes, microseconds) of every wanted file below a directory.

    The store lists all files; those below a directory that ``enter`` refuses are left out afterwards.

    Parameters
    ----------
    names : IncrementalListing, optional
        The state of earlier listings, so that a store may be asked for the new names only.

    Raises
    ------
    PathNotFound
        The directory cannot be listed.
    ListingFailed
        The store kept failing until the deadline.
    """
    entered: dict[str, bool] = {url: True}

    def is_inside(directory: str) -> bool:
        if directory not in entered:
            entered[directory] = is_inside(directory.rsplit("/", 1)[0]) and enter(directory)
        return entered[directory]

    after = names.after(url) if names is not None else None
    last, first_new = after or "", None
    for page in _pages(url, after):
        found = [file for file in page if is_inside(file.rsplit("/", 1)[0])]
        chosen = found if wanted is None else wanted(found)
        for file in chosen:
            size, modified = page[file]
            if size or not stands_for_directory(file):
                yield file, size, modified
        last = max(last, *page, "")
        if chosen and first_new is None:
            first_new = min(chosen)
    if names is not None:
        names.listed(url, after, last, first_new)


def _pages(url: str, after: str | None) -> Iterator[dict[str, tuple[int, int]]]:
    """Yield the files behind a URL, in the order of their names: per page, (bytes, microseconds) by URL.

    A page that fails is requested again, from the last name on.
    """
    import obstore
    from obstore.exceptions import BaseError

    root, prefix = _split(url)
    offset = None if after is None else _split(after)[1]
    attempts = Attempts(url)
    listing = None
    while True:
        try:
            listing = listing or iter(
                obstore.list(_listing_store(root), prefix or None, offset=offset, chunk_size=PAGE)
            )
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
        attempts.came_on()


def names(url: str) -> list[str]:
    """Return the names in a directory; none where there is no directory."""
    import obstore

    root, prefix = _split(url)
    found = _listed(url, lambda: obstore.list_with_delimiter(_listing_store(root), prefix or None))
    if found is None:
        return []
    paths = [*found["common_prefixes"], *(item["path"] for item in found["objects"])]
    return [path.rsplit("/", 1)[-1] for path in paths]


def is_directory(url: str) -> bool:
    """Tell whether there is anything below the name."""
    import obstore

    root, prefix = _split(url)
    return bool(_listed(url, lambda: next(iter(obstore.list(_listing_store(root), prefix or None, chunk_size=1)), [])))


def exists(url: str) -> bool:
    """Tell whether there is a file or a directory."""
    try:
        tried_again(url, partial(modified, url))
    except FileNotFoundError:
        return is_directory(url)
    return True


def modified(url: str) -> tuple[int, int]:
    """Return bytes, and microseconds since the epoch."""
    import obstore

    root, path = _split(url)
    if not path:
        raise FileNotFoundError(url)
    with _errors_of_the_system(url):
        found = obstore.head(_listing_store(root), path)
    return found["size"], _microseconds(found["last_modified"])


@lru_cache(maxsize=100_000)
def stands_for_directory(url: str) -> bool:
    """Tell whether a file without content is none: tools put ``x/`` into a bucket, which a listing gives as ``x``."""
    try:
        tried_again(url, partial(modified, url))
    except FileNotFoundError:
        return True
    return False


def read_bytes(url: str) -> bytes:
    """Return the whole content of a file."""
    import obstore

    root, path = _split(url)
    with _errors_of_the_system(url):
        return bytes(obstore.get(_store(root), path).bytes())


def open_binary(url: str) -> BinaryIO:
    """Open a file for reading."""
    import obstore

    root, path = _split(url)
    with _errors_of_the_system(url):
        return io.BufferedReader(_Readable(obstore.open_reader(_store(root), path, buffer_size=_BUFFER)), _BUFFER)


def open_arrow(url: str) -> NativeFile:
    """Open a file for pyarrow."""
    from pyarrow import PythonFile

    return PythonFile(open_binary(url), mode="r")


def write(url: str, data: bytes, overwrite: bool) -> None:
    """Write a whole file in one put.

    Raises
    ------
    FileExistsError
        It exists, and ``overwrite`` is false; of several writers at once, one succeeds.
    """
    import obstore
    from obstore.exceptions import AlreadyExistsError

    root, path = _split(url)
    with _errors_of_the_system(url):
        try:
            obstore.put(_store(root), path, data, mode="overwrite" if overwrite else "create")
        except AlreadyExistsError as error:
            raise FileExistsError(f"{url} exists.") from error


def replace(url: str, data: bytes, current: bytes) -> None:
    """Write a file in the place of one that has a known content.

    Raises
    ------
    FileExistsError
        It has another content; of several writers at once, one succeeds.
    """
    import obstore
    from obstore.exceptions import PreconditionError

    root, path = _split(url)
    with _errors_of_the_system(url):
        found = obstore.get(_store(root), path)
        if bytes(found.bytes()) != current:
            raise FileExistsError(f"{url} has changed.")
        version = {key: found.meta[key] for key in ("e_tag", "version") if found.meta.get(key)}
        try:
            obstore.put(_store(root), path, data, mode=version)
        except PreconditionError as error:
            raise FileExistsError(f"{url} has changed.") from error


def delete(url: str) -> None:
    """Delete a file; it is no error if it is gone already."""
    import obstore

    root, path = _split(url)
    with suppress(FileNotFoundError), _errors_of_the_system(url):
        obstore.delete(_store(root), path)


def copy(source: BinaryIO, destination: str) -> None:
    """Write all of an open file, a large one in parts, which are a file when all are there."""
    import obstore

    root, path = _split(destination)
    with _errors_of_the_system(destination):
        writer = obstore.open_writer(_store(root), path)
        shutil.copyfileobj(source, writer, _BUFFER)
        writer.close()  # not after an error, which would make a file of what was read until then


class _Readable(io.RawIOBase):
    """obstore's reader as Python's own kind of file."""

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
def _errors_of_the_system(url: str) -> Iterator[None]:
    """Raise what callers expect of any file system: OSError, of one line."""
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

    try:
        yield
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise PermissionError(errno.EACCES, _first_line(error), url) from error
    except BaseError as error:
        raise OSError(f"{url}: {_first_line(error)}") from error


def _listed(url: str, listing: Callable[[], Any]) -> Any:
    """Return what a listing gives; None where there is not even a bucket."""
    attempts = Attempts(url)
    while True:
        try:
            return listing()
        except Exception as error:
            if "status code: 404" in _first_line(error):
                return None
            _wait_or_raise(attempts, url, error)


def _wait_or_raise(attempts: Attempts, url: str, error: Exception) -> None:
    """Wait before the next attempt at a listing, or say why it is not listed."""
    from obstore.exceptions import BaseError, InvalidPathError

    if isinstance(error, InvalidPathError):
        raise PathNotFound(f"{url} cannot be listed: {_first_line(error)}. Rename that file.") from error
    try:
        attempts.wait_or_raise(error)
    except (BaseError, OSError):
        raise PathNotFound(
            f"{url} cannot be listed: {_first_line(error)} Check its name and the credentials."
        ) from error


def _store(root: str) -> ObjectStore:
    """Return the store of a root, which tries again by itself, with pauses, what a busy store refuses."""
    return _opened(root, 10)


def _listing_store(root: str) -> ObjectStore:
    """Return the same without attempts of its own: a listing is tried again here, also where its middle fails."""
    return _opened(root, 0)


@lru_cache(maxsize=64)
def _opened(root: str, retries: int) -> ObjectStore:
    scheme, _, container = root.partition("://")
    opener = next((opener for schemes, opener in _OPENERS.items() if scheme in schemes), None)
    if opener is None:
        raise InvalidOption(f"{root} is in no store that cloudFiles opens: mount the store as a directory.")
    try:
        from obstore.exceptions import BaseError
    except ImportError:
        raise InvalidOption(
            f"{root} needs the package obstore: pip install 'streaming-classroom-pyspark-cloudfiles[stores]'."
        ) from None
    try:
        return opener(container, {"max_retries": retries})
    except BaseError as error:
        raise InvalidOption(f"{root} cannot be opened: {_first_line(error)} Set it in the environment.") from error


def _opened_s3(bucket: str, retries: Any) -> ObjectStore:
    from obstore.store import S3Store
    from pyarrow.fs import resolve_s3_region

    settings: dict[str, Any] = {}
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if endpoint:
        settings |= {"endpoint": endpoint, "client_options": _client_options(endpoint)}
    elif not (os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")):
        settings["region"] = resolve_s3_region(bucket)
    return S3Store(bucket, credential_provider=_credentials_of_aws(), retry_config=retries, **settings)


def _opened_google(bucket: str, retries: Any) -> ObjectStore:
    from obstore.store import GCSStore

    settings: dict[str, Any] = {}
    endpoint = os.environ.get("GOOGLE_BASE_URL") or ""
    if emulator := os.environ.get("STORAGE_EMULATOR_HOST"):
        endpoint = emulator if "://" in emulator else f"http://{emulator}"
        settings |= {"base_url": endpoint, "bearer_token": "emulator"}
    return GCSStore(bucket, client_options=_client_options(endpoint), retry_config=retries, **settings)


def _opened_azure(container: str, retries: Any) -> ObjectStore:
    from obstore.store import AzureStore

    name, _, host = container.partition("@")  # container@account.dfs.core.windows.net, or the container alone
    settings: dict[str, Any] = {"account_name": host.partition(".")[0]} if host else {}
    endpoint = os.environ.get("AZURE_STORAGE_ENDPOINT") or os.environ.get("AZURE_ENDPOINT") or ""
    return AzureStore(name, client_options=_client_options(endpoint), retry_config=retries, **settings)


_OPENERS: dict[tuple[str, ...], Callable[[str, Any], ObjectStore]] = {
    ("s3",): _opened_s3,
    ("gs", "gcs"): _opened_google,
    ("abfs", "abfss", "az", "azure"): _opened_azure,
}


def _client_options(endpoint: str) -> Any:
    return {"allow_http": endpoint.startswith("http://")}


def _credentials_of_aws() -> Any:
    """Return what finds credentials where obstore does not look: in the profiles and logins of AWS's own tools."""
    if os.environ.get("AWS_ACCESS_KEY_ID"):
        return None
    try:
        from obstore.auth.boto3 import Boto3CredentialProvider

        return Boto3CredentialProvider()
    except (ImportError, ValueError):  # neither boto3 nor credentials that it knows
        return None


def _split(url: str) -> tuple[str, str]:
    """Return the store of a URL, and the path in it."""
    scheme, _, rest = url.partition("://")
    container, _, path = rest.partition("/")
    return f"{scheme}://{container}", path


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _microseconds(time: datetime) -> int:
    return round(time.timestamp() * 1_000_000)
