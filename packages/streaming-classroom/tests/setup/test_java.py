from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from streaming_classroom.errors import SetupError
from streaming_classroom.setup import jars, java
from streaming_classroom.setup.jars import Download


@pytest.fixture
def on_path(no_java: Path, make_java):
    """Put a made-up Java on the PATH, the way Debian does: as a link."""

    def put(version: int, **options: Any) -> Path:
        home = make_java(version, **options)
        (no_java / java.EXECUTABLE).symlink_to(home / "bin" / java.EXECUTABLE)
        return home

    return put


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch):
    """Make the download of an archive do something else."""

    def becomes(function) -> None:
        monkeypatch.setattr(jars, "download", lambda wanted: function(*wanted))

    return becomes


def no_download(wanted: Download) -> None:
    raise SetupError(f"{wanted.url} could not be fetched.", "Connect.", "the network is unplugged")


def test_java_home_comes_first(on_path, make_java, monkeypatch) -> None:
    on_path(17)
    home = make_java(21, "ä jdk")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.find().java == java.Java(home, 21)


def test_where_there_is_none_one_is_fetched_into_the_cache(no_java, cache: Path, archive: Path, network) -> None:
    home = cache / "java" / "OpenJDK17U-jre_17" / "jdk-17-jre" / "Contents" / "Home"
    assert java.find_or_fetch() == java.Java(home, 17)
    assert os.access(java.Java(home, 17).executable, os.X_OK)
    assert sorted(path.name for path in cache.glob("**/*") if path.parent.name in (cache.name, "java")) == [
        "OpenJDK17U-jre_17",
        "java",
    ]
    network(no_download)
    assert java.find_or_fetch() == java.Java(home, 17)  # the second time it is found


def test_an_archive_with_another_checksum_is_not_unpacked(no_java, cache: Path, archive: Path) -> None:
    archive.write_bytes(archive.read_bytes() + b"and something more")
    with pytest.raises(SetupError, match="sent another file"):
        java.find_or_fetch()
    assert java.find().java is None
    assert not list(cache.glob("**/java*/*"))


def test_with_no_java_at_all_and_no_network_one_sentence_says_what_to_install(no_java, network) -> None:
    network(no_download)
    with pytest.raises(SetupError) as caught:
        java.find_or_fetch()
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("There is no Java 17 or later here, and none could be fetched. Install Java 17 or later")
    assert lines[-1] == "the network is unplugged"
