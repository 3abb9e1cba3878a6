"""Downloads files by SHA-256: each appears at its target whole and with the expected content, or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import ssl
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException
from pathlib import Path
from threading import Event
from urllib.error import HTTPError

from streaming_classroom.files import directories

TIMEOUT = 20  # seconds without a byte
TRIES = 4
PARALLEL = 4  # more is impolite, and no faster: the biggest file decides
_TEMPORARY = (408, 429, 500, 502, 503, 504)  # states of HTTP
_DISK_ERRORS = (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EPERM)


@dataclass(frozen=True)
class Download:
    """A file's address, the SHA-256 of its content, and its target."""

    url: str
    sha256: str
    target: Path


@dataclass(eq=False)  # keeps the hash of an exception, which the traceback machinery relies on
class NotFetched(Exception):
    """A file could not be downloaded."""

    download: Download
    reason: str

    def __str__(self) -> str:
        return f"{self.download.url}: {self.reason}"


class WrongContent(NotFetched):
    """The content differs from the expected one: check the repository and the proxy."""


def fetch(downloads: Sequence[Download]) -> None:
    """Download files, several at a time, under the lock of the set-up.

    NotFetched keeps the files that succeeded; WrongContent is a wrong checksum.
    """
    if not downloads:
        return
    folder = directories.cache() / "downloads"
    shutil.rmtree(folder, ignore_errors=True)  # of a set-up that was killed
    folder.mkdir(parents=True)
    pool, stop = ThreadPoolExecutor(PARALLEL), Event()
    try:
        running = [pool.submit(_fetch, download, folder / download.sha256, stop) for download in downloads]
        errors = [future.exception() for future in running]
        for error in sorted(filter(None, errors), key=lambda error: isinstance(error, WrongContent)):
            raise error
    finally:
        stop.set()  # else Ctrl-C would wait for the rest
        pool.shutdown(cancel_futures=True)
        shutil.rmtree(folder, ignore_errors=True)


def is_sound(path: Path, sha256: str) -> bool:
    """Whether the file exists with this SHA-256."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False


def _fetch(download: Download, part: Path, stop: Event) -> None:
    for left in reversed(range(TRIES)):
        try:
            _receive(download.url, part, stop)
            break
        except (OSError, HTTPException, ValueError) as error:
            if part.exists() and getattr(error, "errno", None) in _DISK_ERRORS:
                raise
            is_temporary = error.code in _TEMPORARY if isinstance(error, HTTPError) else part.exists()
            if not left or not is_temporary or stop.wait(1):
                raise NotFetched(download, f"{type(error).__name__}: {error}") from error
    if not is_sound(part, download.sha256):
        raise WrongContent(download, "Its SHA-256 is another one.")
    download.target.parent.mkdir(parents=True, exist_ok=True)
    part.replace(download.target)


def _receive(url: str, part: Path, stop: Event) -> None:
    request = urllib.request.Request(url, headers={"User-Agent": "streaming-classroom"})
    with urllib.request.urlopen(request, timeout=TIMEOUT, context=_certificates()) as response, part.open("wb") as file:
        while (chunk := response.read(1 << 16)) and not stop.is_set():
            file.write(chunk)
        if missing := getattr(response, "length", None):  # of a response over HTTP
            raise ConnectionError(f"The connection ended {missing} bytes too early.")


@cache
def _certificates() -> ssl.SSLContext:
    """Return the system's trusted certificates and those of the package installer: some Pythons have none."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE"):
        if Path(os.environ.get(name, "")).is_file():
            context.load_verify_locations(os.environ[name])
    return context
