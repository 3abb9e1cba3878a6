"""The pipeline's small files are whole, whoever looks and whenever a writer ends."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.engine.storage import Storage


@pytest.fixture(params=["file", "dbfs"])
def storage(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Storage:
    """A folder of the machine, and one of the course's file system, which Hadoop reaches in another way."""
    return Storage(spark, tmp_path.as_uri() if request.param == "file" else f"dbfs:/tmp/{tmp_path.parent.name}-storage")


def test_a_reader_finds_the_old_text_or_the_new_one_while_a_file_is_replaced(storage: Storage, caplog) -> None:
    storage.write("0", "a", "text")
    over, seen, errors = threading.Event(), set(), []

    def read() -> None:
        while not over.is_set():
            try:
                seen.add(storage.read("a", "text"))
            except Exception as error:
                errors.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    deadline, number = time.monotonic() + 120, 0
    while len(seen) < 20 and time.monotonic() < deadline:
        number += 1
        storage.write(str(number), "a", "text")
    over.set()
    reader.join(60)
    assert [str(getattr(error, "java_exception", error))[:200] for error in errors] == [] and len(seen) >= 20
    assert storage.read("a", "text") == str(number) and storage.names("a")[-1:] == ["text"]
    assert caplog.text == ""


def test_a_file_that_hadoop_has_written_with_a_checksum_is_replaced(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Storage, "local", None)
    storage.write("of Hadoop", "c", "text")
    monkeypatch.undo()
    storage.write("new", "c", "text")
    assert storage.read("c", "text") == "new"
    storage.remove("c")


def test_what_hadoop_alone_reaches_is_written_by_it(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Storage, "local", None)
    for text in ("old", "new"):
        storage.write(text, "d", "text")
        assert storage.read("d", "text") == text
    assert storage.names("d") == ["text"]
    storage.remove("d")


class Refusing:
    """A file system that renames nothing over what is there, or nothing at all."""

    def __init__(self, files, renames: list[bool]) -> None:
        self._files, self._renames = files, renames

    def __getattr__(self, name: str):
        return getattr(self._files, name)

    def rename(self, old, new) -> bool:
        return self._renames.pop(0) and self._files.rename(old, new)


@pytest.fixture
def refusing(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    opened = Storage._open

    def make(renames: list[bool]) -> Storage:
        def refuse(self: Storage, *parts: str):
            path, files = opened(self, *parts)
            return path, Refusing(files, renames)

        monkeypatch.setattr(Storage, "local", None)
        monkeypatch.setattr(Storage, "_open", refuse)
        monkeypatch.setattr(Storage, "_replace", lambda _self, hidden, path, files: files.rename(hidden, path))
        return Storage(spark, tmp_path.as_uri())

    return make


def test_where_a_file_cannot_be_replaced_in_one_step_it_is_replaced_in_two_and_that_is_said(refusing, caplog) -> None:
    refusing([True]).write("old", "text")
    storage = refusing([False, True])
    storage.write("new", "text")
    assert storage.read("text") == "new"
    assert "cannot replace a file in one step" in caplog.text


def test_a_rename_that_does_not_happen_is_an_error_that_says_where_the_text_is(refusing) -> None:
    with pytest.raises(OSError, match=r"could not be written\. What it was to have is in .*\.text\..*\.new"):
        refusing([False, False]).write("new", "text")
