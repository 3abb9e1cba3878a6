from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from streaming_classroom.errors import JarsUnavailable
from streaming_classroom.files import directories, ownership
from streaming_classroom.setup import jars

FETCH = "from streaming_classroom.setup import steps; steps.ensure_session_needs()"


def two_jars() -> list[jars.Jar]:
    return list(jars.locked()[:2])


KEPT = ("jars", "setup.lock", ownership.MARKER)


def left_over() -> list[str]:
    """What a fetch leaves in the cache beside the jars."""
    return sorted(path.name for path in directories.cache().iterdir() if path.name not in KEPT)


@pytest.mark.parametrize("which", [jars.SPARK, jars.KAFKA_BROKER], ids=lambda which: which.folder)
def test_a_lock_file_names_each_jar_once_with_a_sha256(which: jars.JarSet) -> None:
    names = [jar.file_name for jar in jars.locked(which)]
    assert names
    assert len(set(names)) == len(names)
    assert all(len(jar.sha256) == 64 for jar in jars.locked(which))


def test_all_jars_are_fetched_and_nothing_else_is_left(maven) -> None:
    jars.fetch()
    assert jars.missing_or_damaged() == []
    assert left_over() == []


def test_each_set_of_jars_has_a_list_and_a_folder_of_its_own(maven, tmp_path: Path) -> None:
    one = two_jars()[0]
    line = f"{one.organisation}:{one.module}:{one.revision} {one.sha256}  # why\n"
    (tmp_path / "other.lock").write_text(line, encoding="utf-8")
    other = jars.JarSet(tmp_path / "other.lock", "other")
    jars.fetch(of=other)
    assert jars.paths(other) == list((directories.cache() / "other").iterdir())
    assert jars.missing_or_damaged(other) == []
    assert jars.missing_or_damaged() == list(jars.locked())


def test_what_is_sound_is_not_fetched_again(maven) -> None:
    jars.fetch(two_jars()[:1])
    maven.requests.clear()
    jars.fetch([jar for jar in jars.missing_or_damaged() if jar in two_jars()])
    assert maven.jar_requests() == [two_jars()[1].file_name]


@pytest.mark.parametrize("harm", [b"not a jar", b"", None], ids=["damaged", "empty", "half"])
def test_a_damaged_or_partial_jar_is_noticed_and_mended(maven, harm: bytes | None) -> None:
    wanted = two_jars()
    jars.fetch(wanted)
    victim = jars.directory() / wanted[0].file_name
    content = victim.read_bytes()
    victim.write_bytes(content[: len(content) // 2] if harm is None else harm)
    assert wanted[0] in jars.missing_or_damaged()
    assert wanted[1] not in jars.missing_or_damaged()
    jars.fetch([jar for jar in jars.missing_or_damaged() if jar in wanted])
    assert victim.read_bytes() == content


def test_a_jar_with_another_checksum_is_refused_and_the_good_ones_are_kept(maven) -> None:
    good, bad = two_jars()
    maven.damaged.add(bad.file_name)
    with pytest.raises(JarsUnavailable, match=f"another file as {bad.file_name}.* Check the repository"):
        jars.fetch([good, bad])
    assert good not in jars.missing_or_damaged()
    assert not (jars.directory() / bad.file_name).exists()
    assert left_over() == []


def test_after_a_refused_jar_the_right_one_is_fetched(maven) -> None:
    good, bad = two_jars()
    maven.damaged.add(bad.file_name)
    with pytest.raises(JarsUnavailable):
        jars.fetch([good, bad])
    maven.damaged.clear()
    jars.fetch([bad])
    assert bad not in jars.missing_or_damaged()


def test_without_a_network_a_sentence_says_to_connect(cache: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLASSROOM_MAVEN_REPOSITORY", "http://127.0.0.1:9/")
    with pytest.raises(JarsUnavailable) as caught:
        jars.fetch(two_jars())
    assert "could not be fetched. Connect to the internet and run the same command again" in str(caught.value)
    assert "refused" in caught.value.detail


def test_a_jar_that_the_repository_has_not_is_named(maven) -> None:
    unknown = replace(two_jars()[0], revision="0")
    with pytest.raises(JarsUnavailable, match=rf"{unknown.file_name} could not be fetched\.") as caught:
        jars.fetch([unknown])
    assert "HTTP 404" in caught.value.detail


@pytest.mark.parametrize("setting", [None, ""])
def test_without_a_setting_jars_come_from_maven_central(monkeypatch, setting: str | None) -> None:
    monkeypatch.delenv("CLASSROOM_MAVEN_REPOSITORY", raising=False)
    if setting is not None:
        monkeypatch.setenv("CLASSROOM_MAVEN_REPOSITORY", setting)
    jar = jars.Jar("org.example", "some-module", "1.0", "00")
    assert jars._url(jar) == f"{jars.default_repository()}org/example/some-module/1.0/some-module-1.0.jar"


@pytest.mark.parametrize("end", ["", "/"])
def test_a_repository_is_named_with_or_without_its_last_slash(monkeypatch, end: str) -> None:
    monkeypatch.setenv("CLASSROOM_MAVEN_REPOSITORY", f"https://repository.example/maven{end}")
    assert jars._url(jars.Jar("a", "b", "1", "00")) == "https://repository.example/maven/a/b/1/b-1.jar"


def test_two_set_ups_at_once_fetch_each_jar_once(maven) -> None:
    both = [subprocess.Popen([sys.executable, "-c", FETCH], stderr=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate(timeout=60)[1] for process in both] == [b"", b""]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(maven.jar_requests()) == sorted(jar.file_name for jar in jars.locked())


def test_the_default_repository_is_the_one_of_sparks_own_resolver() -> None:
    assert re.fullmatch(r"https://\S+/maven2/", jars.default_repository())


def test_without_pyspark_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jars, "spark_jars", lambda: tmp_path)
    with pytest.raises(JarsUnavailable, match=r"Run `python course\.py setup`"):
        jars.default_repository.__wrapped__()


def test_a_fetch_that_was_killed_is_taken_up_where_it_was(maven) -> None:
    last = jars.locked()[-1]
    maven.stalled.add(last.file_name)
    with subprocess.Popen([sys.executable, "-c", FETCH], start_new_session=True) as first:
        deadline = time.monotonic() + 60
        while jars.missing_or_damaged() != [last]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.killpg(first.pid, signal.SIGKILL)
    maven.open.set()
    maven.requests.clear()
    subprocess.run([sys.executable, "-c", FETCH], check=True, timeout=60)
    assert maven.jar_requests() == [last.file_name]
    assert jars.missing_or_damaged() == []
    assert left_over() == []
