"""Mounts are a source's value: they hold in its calls, in their thread, and nowhere else."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.filesystem import MOUNTS_VARIABLE, iterate_mounted, mounted

A, B = (json.dumps({"dbfs:/": directory}) for directory in ("/a", "/b"))


@pytest.fixture(autouse=True)
def no_mounts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MOUNTS_VARIABLE, raising=False)


def where() -> str | None:
    return filesystem.local_path("dbfs:/x")


def test_mounts_hold_until_the_block_ends():
    with mounted(A):
        with mounted(B):
            assert where() == "/b/x"
        assert where() == "/a/x"
    assert where() is None and MOUNTS_VARIABLE not in os.environ


def test_a_source_without_mounts_has_those_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(MOUNTS_VARIABLE, A)
    with mounted(None):
        assert where() == "/a/x"
    with mounted(B):
        assert where() == "/b/x"


def test_another_thread_has_none_of_them():
    with mounted(A), ThreadPoolExecutor(1) as threads:
        assert threads.submit(where).result(10) is None


def test_two_iterators_that_take_turns_have_their_own():
    def places() -> Iterator[str | None]:
        for _ in range(2):
            yield where()

    pairs = zip(iterate_mounted(A, places()), iterate_mounted(B, places()), strict=True)
    assert [(*pair, where()) for pair in pairs] == [("/a/x", "/b/x", None)] * 2
