"""Downloads files by SHA-256: whole or not at all, resumed after a broken connection.

The standard library is enough for that: it takes proxies and certificates from the usual environment variables.
A file appears under its name only when its SHA-256 is the expected one; what had come when a connection broke is kept
in the cache, and this set-up or the next goes on from there.
"""

from __future__ import annotations

import hashlib
import os
import ssl
import time
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from functools import cache as remember
from http.client import HTTPException
from http.client import HTTPResponse as Response
from pathlib import Path
from threading import Event
from urllib.error import HTTPError

from streaming_classroom.files import directories

TIMEOUT = 20  # seconds without a byte: a firewall that swallows what is sent must not cost minutes
DEADLINE = 900  # seconds for one file; 45 MB over a slow line
TRIES = 4  # of which each goes on where the one before broke off
AT_A_TIME = 4  # more is impolite, and no faster: the biggest file decides

_CHUNK = 1 << 16
_GOES_ON = 206  # HTTP's word for an answer that begins where it was asked to
_FOR_NOW = {408, 429, 500, 502, 503, 504}


@dataclass(frozen=True)
class Download:
    """One file: where it is, the SHA-256 of its content, where it goes."""

    url: str
    sha256: str
    target: Path


@dataclass(eq=False)  # keeps the hash of an exception, which the traceback machinery relies on
class NotFetched(Exception):
    """A file could not be fetched: connect, or ask another repository."""

    download: Download
    reason: str

    def __str__(self) -> str:
        return f"{self.download.url}: {self.reason}"


class WrongContent(NotFetched):
    """Another file came than the expected one: distrust what it came from."""


def fetch(downloads: Sequence[Download]) -> None:
    """Fetch files, several at a time; each appears at its target whole and sound or not at all.

    Call it under the lock of the set-up: what an interrupted one left is taken up.

    Raises
    ------
    NotFetched
        One could not be had; the others that came are kept, and so is what came of it.
    WrongContent
        One has another checksum.
    OSError
        The disk refuses.
    """
    if not downloads:
        return
    stop = Event()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        try:
            _all_done([pool.submit(_fetch, download, stop) for download in downloads])
        except BaseException:
            stop.set()  # else Ctrl-C would wait for the rest
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            with suppress(OSError):  # where something is left, it is for the next try
                _parts().rmdir()


def is_sound(path: Path, sha256: str) -> bool:
    """Return whether the file is there with this SHA-256."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False


def _all_done(running: list[Future[None]]) -> None:
    """Wait for all; raise the first error, but one of WrongContent only when nothing else can go on."""
    wrong = None
    for done in as_completed(running):
        try:
            done.result()
        except WrongContent as error:
            wrong = error
    if wrong is not None:
        raise wrong


def _fetch(download: Download, stop: Event) -> None:
    _parts().mkdir(parents=True, exist_ok=True)
    part = _parts() / download.sha256
    if not is_sound(part, download.sha256):
        _receive_all(download, part, stop)
    if not is_sound(part, download.sha256):
        part.unlink()  # the next try begins at the beginning
        raise WrongContent(download, "Its SHA-256 is another one.")
    download.target.parent.mkdir(parents=True, exist_ok=True)
    part.replace(download.target)


def _receive_all(download: Download, part: Path, stop: Event) -> None:
    deadline = time.monotonic() + DEADLINE
    for left in reversed(range(TRIES)):
        try:
            return _receive(download, part, stop, deadline)
        except _Broken as error:
            if not left or not error.for_now or stop.wait(error.pause):
                raise NotFetched(download, error.reason) from error


@dataclass(eq=False)
class _Broken(Exception):
    """A try that came to nothing, and after how many seconds another one may do better."""

    reason: str
    for_now: bool = True
    pause: float = 0


def _receive(download: Download, part: Path, stop: Event, deadline: float) -> None:
    """Append to ``part`` what it lacks."""
    have = part.stat().st_size if part.exists() else 0
    try:
        response = _ask(download.url, have)
    except HTTPError as error:
        if error.code == 416:  # there is no more than what is there
            return
        raise _Broken(f"HTTP {error.code}: {error.reason}", error.code in _FOR_NOW, pause=1) from error
    except (OSError, HTTPException, ValueError) as error:
        raise _Broken(f"{type(error).__name__}: {error}", for_now=isinstance(error, ConnectionResetError)) from error
    with response, part.open("ab" if response.status == _GOES_ON else "wb") as file:
        for chunk in _chunks(response, stop, deadline):
            file.write(chunk)


def _ask(url: str, have: int) -> Response:
    headers = {"User-Agent": "streaming-classroom", **({"Range": f"bytes={have}-"} if have else {})}
    request = urllib.request.Request(url, headers=headers)
    return urllib.request.urlopen(request, timeout=TIMEOUT, context=_certificates())


def _chunks(response: Response, stop: Event, deadline: float) -> Iterator[bytes]:
    """Yield what is sent, until its end."""
    while True:
        if stop.is_set() or time.monotonic() > deadline:
            raise _Broken(f"It had not come after {DEADLINE} s.", for_now=False)
        try:
            chunk = response.read1(_CHUNK)
        except (OSError, HTTPException) as error:
            raise _Broken(f"{type(error).__name__}: {error}") from error
        if not chunk:
            break
        yield chunk
    missing = getattr(response, "length", None)  # of what was announced; read1 does not mind, and a file has none
    if missing:
        raise _Broken(f"The connection ended {missing} bytes too early.")


@remember
def _certificates() -> ssl.SSLContext:
    """Return the system's trusted certificates, and those that packages are fetched with: some Pythons have none."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE"):
        if Path(os.environ.get(name, "")).is_file():
            context.load_verify_locations(os.environ[name])
    return context


def _parts() -> Path:
    return directories.cache() / "downloads"
