"""S3 operations that pyarrow lacks: paged listing from a given name, and conditional put.

pyarrow gives a listing when it has all of it, and only looks before it writes, after which another may write first.
obstore gives pages of a thousand, and has the store itself refuse the second of two writers.  Of the clients that do so
it is the one whose listing is not slowed down by Python.  Where it is not installed pyarrow does what it can.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from pyspark_cloudfiles.errors import PathNotFound

if TYPE_CHECKING:
    from obstore.store import S3Store

# What the store sends at once.
PAGE = 1000


def serves(url: str) -> bool:
    """Tell whether a URL is one of S3, and there is what lists it."""
    return url.startswith("s3://") and _is_installed()


def pages(url: str, after: str | None = None) -> Iterator[dict[str, tuple[int, int]]]:
    """Yield the files below a directory, in the order of their names, a page at a time.

    Parameters
    ----------
    after : str, optional
        The URL behind which to begin; there need not be such a file.

    Yields
    ------
    dict
        By URL, bytes and microseconds since the epoch.

    Raises
    ------
    PathNotFound
        It cannot be listed.
    """
    import obstore
    from obstore.exceptions import BaseError, InvalidPathError

    root, prefix = _split(url)
    offset = None if after is None else _split(after)[1]
    try:
        for page in obstore.list(_store(root), prefix or None, offset=offset, chunk_size=PAGE):
            yield {f"{root}/{item['path']}": (item["size"], _microseconds(item["last_modified"])) for item in page}
    except InvalidPathError as error:
        raise PathNotFound(f"{url} cannot be listed: {str(error).splitlines()[0]}. Rename that file.") from error
    except BaseError as error:
        reason = str(error).splitlines()[0]
        raise PathNotFound(f"{url} cannot be listed: {reason} Check its name and the credentials.") from error


@lru_cache(maxsize=100_000)
def stands_for_directory(url: str) -> bool:
    """Tell whether a file without content is none: tools put ``x/`` into a bucket, which a listing gives as ``x``."""
    import obstore

    root, path = _split(url)
    try:
        obstore.head(_store(root), path)
    except FileNotFoundError:
        return True
    return False


def create(url: str, data: bytes) -> None:
    """Write a file that must not be there.

    Raises
    ------
    FileExistsError
        There is one; of several writers at once, one succeeds.
    """
    import obstore
    from obstore.exceptions import AlreadyExistsError

    root, path = _split(url)
    try:
        obstore.put(_store(root), path, data, mode="create")
    except AlreadyExistsError as error:
        raise FileExistsError(f"{url} exists.") from error


@cache
def _is_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("obstore") is not None


@lru_cache(maxsize=64)
def _store(root: str) -> S3Store:
    from obstore.store import S3Store
    from pyarrow.fs import resolve_s3_region

    bucket = root.removeprefix("s3://")
    settings: dict[str, Any] = {}
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if endpoint:
        settings |= {"endpoint": endpoint, "client_options": {"allow_http": endpoint.startswith("http://")}}
    elif not (os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")):
        settings["region"] = resolve_s3_region(bucket)
    return S3Store(bucket, credential_provider=_credentials(), **settings)


def _credentials() -> Any:
    """Return what finds credentials where obstore does not look: in the profiles and logins of AWS's own tools."""
    if os.environ.get("AWS_ACCESS_KEY_ID"):
        return None
    try:
        from obstore.auth.boto3 import Boto3CredentialProvider

        return Boto3CredentialProvider()
    except (ImportError, ValueError):  # neither boto3 nor credentials that it knows
        return None


def _split(url: str) -> tuple[str, str]:
    bucket, _, path = url.removeprefix("s3://").partition("/")
    return f"s3://{bucket}", path


def _microseconds(time: datetime) -> int:
    return round(time.timestamp() * 1_000_000)
