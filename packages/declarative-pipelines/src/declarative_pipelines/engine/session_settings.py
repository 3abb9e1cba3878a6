"""Settings of a session that hold for a ``with`` block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def temporary_settings(session: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Apply settings to the session, and restore the previous values on exit."""
    with ExitStack() as stack:
        for key, value in settings.items():
            stack.callback(_put_back, session, key, session.conf.get(key, None))
            session.conf.set(key, value)
        yield


def _put_back(session: SparkSession, key: str, value: str | None) -> None:
    if value is None:
        session.conf.unset(key)
    else:
        session.conf.set(key, value)
