"""Listings that are tried again when a store, or a file system over a network, fails for a moment.

What may be over in a moment is tried again: timeouts, lost connections, stale handles, a store that is busy or broken
(408, 429, 5xx).  What another try does not change, a name that is not there or a right that is missing, is not.  Each
pause is a random part of one that doubles (full jitter), so that many readers of one store do not come back together.
"""

from __future__ import annotations

import errno
import random
import re
import time
from collections.abc import Callable
from typing import TypeVar

from pyspark_cloudfiles.errors import ListingFailed

Result = TypeVar("Result")
# How long a listing is tried again since it last came on. A store that is down for longer is for people to look at.
DEADLINE = 60.0  # seconds
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0

_NAMES = (
    "ESTALE EIO EREMOTEIO ETIMEDOUT EAGAIN EBUSY EINTR ECONNRESET ECONNREFUSED ECONNABORTED EPIPE EHOSTUNREACH "
    "EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET ENOTCONN"
)
_ERRNOS = {getattr(errno, name) for name in _NAMES.split() if hasattr(errno, name)}  # no system has all
# obstore and pyarrow say in their text alone what a store has answered.
_STATUS = re.compile(r"status(?: code:?)? (\d{3})\b", re.IGNORECASE)
_TEXTS = re.compile(
    r"HTTP error: |AWS Error (?:SLOW_DOWN|THROTTLING|NETWORK_CONNECTION|"
    r"INTERNAL_FAILURE|SERVICE_UNAVAILABLE|REQUEST_TIMEOUT)|SlowDown|timed out|connection reset",
    re.IGNORECASE,
)


class Attempts:
    """The attempts at one listing, which waits between them and gives up.

    Parameters
    ----------
    url : str
        What is listed.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.came_on()

    def came_on(self) -> None:
        """Restart the count, after a part of the listing has come."""
        self._began, self._failed = time.monotonic(), 0

    def wait_or_raise(self, error: Exception) -> None:
        """Wait before the next attempt.

        Raises
        ------
        Exception
            ``error`` itself, where another attempt would not help.
        ListingFailed
            The deadline is over.
        """
        if not is_momentary(error):
            raise error
        self._failed += 1
        tried = time.monotonic() - self._began
        if tried >= DEADLINE:
            raise ListingFailed(self._url, self._failed, tried, _first_line(error)) from error
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2**self._failed)
        time.sleep(min(random.uniform(0.0, longest), DEADLINE - tried))


def tried_again(url: str, listing: Callable[[], Result]) -> Result:
    """Return what a listing gives, which is tried again while its errors are momentary.

    Raises
    ------
    ListingFailed
        It kept failing until the deadline.
    """
    attempts = Attempts(url)
    while True:
        try:
            return listing()
        except Exception as error:
            attempts.wait_or_raise(error)


def is_momentary(error: Exception) -> bool:
    """Tell whether the same may succeed a moment later."""
    if isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError):
        return False
    if isinstance(error, TimeoutError | ConnectionError):
        return True
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in _ERRNOS
    status = _status(error)
    if status:
        return status in (408, 429) or 500 <= status < 600
    return _TEXTS.search(str(error)) is not None


def _status(error: Exception) -> int:
    """Return the status of HTTP that an error has: as a client of fsspec keeps it, or in its text; 0 if it has none."""
    found = (getattr(error, name, None) for name in ("status", "status_code", "code"))
    told = _STATUS.search(str(error))
    return next((status for status in found if isinstance(status, int)), int(told[1]) if told else 0)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
