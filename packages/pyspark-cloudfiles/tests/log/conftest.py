"""Stores for the tests of the file log: one whose writes are torn when a process is killed, and S3."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fsspec import register_implementation
from fsspec.implementations.memory import MemoryFile, MemoryFileSystem

from pyspark_cloudfiles.filesystems import filesystem

OPERATIONS = ("names", "read_bytes", "write_atomically", "delete", "replace")


class KilledError(BaseException):
    """The process is gone: nothing catches it, and whatever it still tries does nothing."""


class Kills:
    """Kills a process at one of its operations on a store, before or after it, or in the middle of a write."""

    def __init__(self) -> None:
        self.countdown: float = float("inf")
        self.kept = 0.5  # which part of a torn write is kept
        self.dead = False
        self.happened: list[str] = []

    def at(self, operation: int, kept: float) -> None:
        """Kill at this operation from now, and let a write that it hits keep a part."""
        self.countdown, self.kept, self.dead = operation, kept, False

    def restart(self) -> None:
        """Let a new process begin, which nothing kills."""
        self.countdown, self.dead = float("inf"), False

    def step(self, what: str) -> bool:
        """Count an operation; say whether it is the last one of this process."""
        if self.dead:
            raise KilledError
        self.countdown -= 1
        if self.countdown <= 0:
            self.dead = True
            self.happened.append(what)
        return self.dead


class TornFile(MemoryFile):
    """A file whose content is in the store while it is written; of a torn one a prefix stays."""

    def close(self) -> None:
        fs = self.fs
        if self.closed or not self.writes:
            return
        data = self.getvalue()
        if KILLS.step(f"write {self.path}"):
            fs.store[self.path] = MemoryFile(fs, self.path, data[: int(len(data) * KILLS.kept)])
            raise KilledError
        fs.store[self.path] = MemoryFile(fs, self.path, data)
        super().close()


class TornStore(MemoryFileSystem):
    """Memory that is written in place; it has no rename but copying, as object stores."""

    protocol = "torn"
    store: dict[str, Any] = {}  # noqa: RUF012 - as in fsspec: one for the process
    pseudo_dirs = [""]  # noqa: RUF012

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> Any:
        path = self._strip_protocol(path)
        if mode != "wb":
            return super()._open(path, mode, **kwargs)
        file = TornFile(self, path)
        file.writes = True
        self.store[path] = MemoryFile(self, path, b"")
        return file

    def cp_file(self, path1: str, path2: str, **kwargs: Any) -> None:
        torn = KILLS.step(f"copy {path2}")
        data = self.store[self._strip_protocol(path1)].getvalue()
        target = self._strip_protocol(path2)
        self.store[target] = MemoryFile(self, target, data[: int(len(data) * KILLS.kept)] if torn else data)
        if torn:
            raise KilledError

    def rm_file(self, path: str) -> None:
        if KILLS.step(f"delete {path}") and KILLS.kept < 0.5:
            raise KilledError
        self.store.pop(self._strip_protocol(path))
        if KILLS.dead:
            raise KilledError

    def rm(self, path: str, recursive: bool = False, maxdepth: int | None = None) -> None:
        self.rm_file(path)


class RenamingStore(TornStore):
    """The same with a rename that is done or not, as file systems have it."""

    protocol = "renaming"
    store: dict[str, Any] = {}  # noqa: RUF012
    pseudo_dirs = [""]  # noqa: RUF012

    def mv(self, path1: str, path2: str, **kwargs: Any) -> None:
        if KILLS.step(f"rename {path2}") and KILLS.kept < 0.5:
            raise KilledError
        source, target = self._strip_protocol(path1), self._strip_protocol(path2)
        self.store[target] = MemoryFile(self, target, self.store.pop(source).getvalue())
        if KILLS.dead:
            raise KilledError


KILLS = Kills()
for _kind in (TornStore, RenamingStore):
    register_implementation(_kind.protocol, _kind, clobber=True)


@pytest.fixture
def kills() -> Iterator[Kills]:
    KILLS.restart()
    KILLS.happened.clear()
    yield KILLS
    KILLS.restart()


@pytest.fixture
def killed_between_operations(kills: Kills, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a process be killed also before or after what it asks a store, whichever store it is."""
    for name in OPERATIONS:
        if hasattr(filesystem, name):
            monkeypatch.setattr(filesystem, name, _killable(name, getattr(filesystem, name), kills))


def _killable(name: str, operation: Callable[..., Any], kills: Kills) -> Callable[..., Any]:
    def killable(url: str, *args: Any, **kwargs: Any) -> Any:
        if kills.step(f"{name} {url}") and kills.kept < 0.5:
            raise KilledError
        result = operation(url, *args, **kwargs)
        if kills.dead:
            raise KilledError
        return result

    return killable


@pytest.fixture(params=["torn", "renaming", "s3", "s3 without obstore"])
def remote_directory(request: pytest.FixtureRequest) -> Callable[[], str]:
    """Give a function that returns a new empty directory, on each kind of store in turn."""
    base = f"{request.param}://logs"
    if request.param.startswith("s3"):
        base = request.getfixturevalue("s3")
        if request.param != "s3":
            request.getfixturevalue("without_obstore")
    return lambda: f"{base}/{uuid.uuid4().hex}"
