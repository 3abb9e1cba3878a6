from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from streaming_classroom.errors import JavaNotFound
from streaming_classroom.setup import java


@pytest.fixture
def on_path(no_java: Path, make_java):
    """Put a made-up Java on the PATH, the way Debian does: as a link."""

    def put(version: int, **options: Any) -> Path:
        home = make_java(version, **options)
        (no_java / java.EXECUTABLE).symlink_to(home / "bin" / java.EXECUTABLE)
        return home

    return put


@pytest.fixture
def download(monkeypatch: pytest.MonkeyPatch):
    """Make the download of a Java do something else."""
    import cjdk

    def becomes(function) -> None:
        monkeypatch.setattr(cjdk, "java_home", function)

    return becomes


def no_download(**_arguments: Any) -> Path:
    raise ConnectionError("the network is unplugged")


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


def test_a_java_found_is_not_fetched(on_path, download) -> None:
    home = on_path(17)
    download(no_download)
    assert java.find_or_fetch() == java.Java(home, 17)


def test_where_there_is_none_one_is_fetched_into_the_cache(no_java, cache: Path, make_java, download) -> None:
    def fetch(*, vendor: str, version: str, cache_dir: Path) -> str:
        assert (vendor, version, cache_dir) == ("temurin-jre", "17", cache / "java")
        return str(make_java(17, f"{cache.name}/java/v0/jdks/abc/jdk-17"))

    download(fetch)
    home = cache / "java" / "v0" / "jdks" / "abc" / "jdk-17"
    assert java.find_or_fetch() == java.Java(home, 17)
    download(no_download)
    assert java.find_or_fetch() == java.Java(home, 17)  # the second time it is found


def test_a_half_unpacked_java_is_not_used_and_cleared_away(no_java, cache: Path, make_java, download) -> None:
    half = make_java(17, f"{cache.name}/java/v0/fetching/jdks/abc/jdk-17")
    assert java.find().java is None
    whole = make_java(17, "whole")

    def fetch(**_arguments: Any) -> Path:
        assert not half.exists()
        return whole

    download(fetch)
    assert java.find_or_fetch().home == whole


def test_with_no_java_at_all_and_no_network_one_sentence_says_what_to_install(no_java, download) -> None:
    download(no_download)
    with pytest.raises(JavaNotFound) as caught:
        java.find_or_fetch()
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("There is no Java 17 or later here, and none could be fetched. Install Java 17 or later")
    assert lines[-1] == "ConnectionError: the network is unplugged"


def test_with_java_11_only_and_no_network_the_sentence_names_it(no_java, make_java, monkeypatch, download) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make_java(11)))
    download(no_download)
    with pytest.raises(JavaNotFound, match=r"JAVA_HOME has Java 11, and Spark needs 17 or later\. Install Java"):
        java.find_or_fetch()


@pytest.mark.parametrize(("platform", "program"), [("linux", "apt"), ("darwin", "brew"), ("win32", "winget")])
def test_the_advice_is_for_the_system_at_hand(monkeypatch, platform: str, program: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert program in java.install_advice()
