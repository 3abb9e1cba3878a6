"""Kills of the process that writes the file log, on S3 and on a disk."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pyspark_cloudfiles.filesystems import filesystem

OPERATIONS = ("names", "read_bytes", "write_atomically", "delete", "replace")


class KilledError(BaseException):
    """The process is gone: nothing catches it, and its later operations do nothing."""


class Kills:
    """Kills a process before or after one of its operations on a store."""

    def __init__(self) -> None:
        self.countdown: float = float("inf")
        self.is_before = True
        self.dead = False
        self.happened: list[str] = []

    def at(self, operation: int, is_before: bool) -> None:
        """Kill at this operation from now, before it or after it."""
        self.countdown, self.is_before, self.dead = operation, is_before, False

    def restart(self) -> None:
        """Begin a new process, which is not killed."""
        self.countdown, self.dead = float("inf"), False

    def step(self, operation: str) -> bool:
        """Count an operation; return whether it is the last one of this process."""
        if self.dead:
            raise KilledError
        self.countdown -= 1
        if self.countdown <= 0:
            self.dead = True
            self.happened.append(operation)
        return self.dead


@pytest.fixture
def kills(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kills]:
    """Give what kills this process at an operation on the file system."""
    kills = Kills()
    for name in OPERATIONS:
        monkeypatch.setattr(filesystem, name, _killable(name, getattr(filesystem, name), kills))
    yield kills
    kills.restart()


def _killable(name: str, operation: Callable[..., Any], kills: Kills) -> Callable[..., Any]:
    def killable(url: str, *args: Any, **kwargs: Any) -> Any:
        if kills.step(f"{name} {url}") and kills.is_before:
            raise KilledError
        result = operation(url, *args, **kwargs)
        if kills.dead:
            raise KilledError
        return result

    return killable


@pytest.fixture(params=["disk", "s3"])
def new_directory(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Give a function that returns a new empty directory, on each kind of store in turn."""
    base = request.getfixturevalue("s3") if request.param == "s3" else f"file:{tmp_path}"
    return lambda: f"{base}/{uuid.uuid4().hex}"
