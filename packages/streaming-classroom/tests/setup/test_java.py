from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from streaming_classroom.errors import JavaNotFound
from streaming_classroom.setup import download, java
from streaming_classroom.setup.download import Download, NotFetched


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
        monkeypatch.setattr(download, "fetch", lambda wanted: function(*wanted))

    return becomes


def no_download(wanted: Download) -> None:
    raise NotFetched(wanted, "the network is unplugged")


def test_java_home_comes_first(on_path, make_java, monkeypatch) -> None:
    on_path(17)
    home = make_java(21, "ä jdk")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.find().java == java.Java(home, 21)


def test_without_java_home_the_path_is_asked(on_path) -> None:
    home = on_path(17)
    assert java.find() == java.Search(java.Java(home, 17), ())


@pytest.mark.parametrize("nowhere", ["gone", "a-file"])
def test_a_java_home_that_points_nowhere_falls_through_with_a_remark(
    on_path, tmp_path: Path, monkeypatch, nowhere: str
) -> None:
    home = on_path(17)
    (tmp_path / "a-file").touch()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / nowhere))
    search = java.find()
    assert search.java == java.Java(home, 17)
    assert search.passed_over == (f"JAVA_HOME points to {tmp_path / nowhere}, where no Java is that runs.",)


def test_a_java_11_is_passed_over_with_a_remark(on_path, make_java, monkeypatch) -> None:
    home = on_path(17)
    monkeypatch.setenv("JAVA_HOME", str(make_java("11.0.22")))
    assert java.find() == java.Search(java.Java(home, 17), ("JAVA_HOME has Java 11, and Spark needs 17 or later.",))


def test_an_8_that_calls_itself_1_8_is_too_old(no_java, make_java, monkeypatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make_java("1.8.0_392")))
    assert java.find() == java.Search(None, ("JAVA_HOME has Java 8, and Spark needs 17 or later.",))


def test_a_java_without_a_release_file_is_asked_for_its_version(no_java, make_java, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("JAVA_HOME", str(make_java(17, release=False, prints="    java.version = 21.0.1")))
    assert java.find().java.version == 21


def test_a_java_that_cannot_be_executed_is_none(no_java, make_java, monkeypatch) -> None:
    home = make_java(17)
    (home / "bin" / "java").chmod(0o644)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.find().java is None


def test_a_launcher_on_the_path_that_is_in_no_java_home_is_asked(no_java, make_java, monkeypatch) -> None:
    real = make_java(17)
    launcher = no_java / "java"
    launcher.write_text(f"#!/bin/sh\necho '    java.home = {real}'\n", encoding="utf-8")
    launcher.chmod(0o755)
    assert java.find().java == java.Java(real, 17)


def test_the_usual_places_are_searched_newest_first(no_java, make_java, tmp_path: Path, monkeypatch) -> None:
    for version in (11, 17, 21):
        make_java(version, f"jvm/java-{version}")
    monkeypatch.setattr(java, "_USUAL_PLACES", {sys.platform: (f"{tmp_path}/jvm/*",)})
    assert java.find().java.version == 21


def test_a_java_found_is_not_fetched(on_path, network) -> None:
    home = on_path(17)
    network(no_download)
    assert java.find_or_fetch() == java.Java(home, 17)


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
    with pytest.raises(JavaNotFound, match="Its SHA-256 is another one"):
        java.find_or_fetch()
    assert java.find().java is None
    assert not list(cache.glob("**/java*/*"))


def test_a_half_unpacked_java_is_not_used_and_cleared_away(no_java, cache: Path, make_java, archive: Path) -> None:
    half = make_java(17, f"{cache.name}/java/fetching/jdk-17")
    assert java.find().java is None
    assert java.find_or_fetch().home != half
    assert len(list(cache.glob("**/bin/" + java.EXECUTABLE))) == 1


@pytest.mark.parametrize(
    ("system", "machine", "listed"),
    [
        ("linux", "x86_64", "x64_linux"),
        ("linux", "aarch64", "aarch64_linux"),
        ("darwin", "x86_64", "x64_mac"),
        ("darwin", "arm64", "aarch64_mac"),
        ("win32", "AMD64", "x64_windows"),
    ],
)
def test_each_usual_system_has_an_archive_of_its_own(monkeypatch, system: str, machine: str, listed: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(java.platform, "machine", lambda: machine)
    archive = java._archive_for_here()
    assert f"-jre_{listed}_hotspot_17" in archive.url
    assert archive.url.startswith("https://")
    assert len(archive.sha256) == 64


def test_a_system_without_an_archive_is_told_what_to_install(no_java, monkeypatch) -> None:
    monkeypatch.setattr(java.platform, "machine", lambda: "riscv64")
    with pytest.raises(JavaNotFound, match=r"Install Java 17 or later(.|\n)*no Java to be fetched for .* on riscv64"):
        java.find_or_fetch()


def test_a_zip_is_unpacked_as_well(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("jdk-17/bin/java.exe", "x")
    java._unpack(tmp_path / "a.zip", tmp_path / "out")
    assert (tmp_path / "out" / "jdk-17" / "bin" / "java.exe").exists()


def test_with_no_java_at_all_and_no_network_one_sentence_says_what_to_install(no_java, network) -> None:
    network(no_download)
    with pytest.raises(JavaNotFound) as caught:
        java.find_or_fetch()
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("There is no Java 17 or later here, and none could be fetched. Install Java 17 or later")
    assert lines[-1].endswith(": the network is unplugged")


def test_with_java_11_only_and_no_network_the_sentence_names_it(no_java, make_java, monkeypatch, network) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make_java(11)))
    network(no_download)
    with pytest.raises(JavaNotFound, match=r"JAVA_HOME has Java 11, and Spark needs 17 or later\. Install Java"):
        java.find_or_fetch()


@pytest.mark.parametrize(("platform", "program"), [("linux", "apt"), ("darwin", "brew"), ("win32", "winget")])
def test_the_advice_is_for_the_system_at_hand(monkeypatch, platform: str, program: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert program in java.install_advice()
