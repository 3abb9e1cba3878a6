from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories
from streaming_classroom.setup import jars

FETCH = "from streaming_classroom.setup import steps; steps.ensure_session_needs()"


def two_jars() -> list[jars.Jar]:
    return list(jars.locked()[:2])


KEPT = ("jars", "setup.lock", directories.MARKER)


def left_over() -> list[str]:
    """What a fetch leaves in the cache beside the jars."""
    return sorted(path.name for path in directories.cache().iterdir() if path.name not in KEPT)


def test_a_jar_with_another_checksum_is_refused_and_the_good_ones_are_kept(maven) -> None:
    good, bad = two_jars()
    maven.damaged.add(bad.file_name)
    with pytest.raises(SetupError, match=f"{bad.file_name} sent another file .* Check the repository"):
        jars.fetch([good, bad])
    assert good not in jars.missing_or_damaged()
    assert not (jars.directory() / bad.file_name).exists()
    assert left_over() == []


def test_without_a_network_a_sentence_says_to_connect(cache: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLASSROOM_MAVEN_REPOSITORY", "http://127.0.0.1:9/")
    with pytest.raises(SetupError) as caught:
        jars.fetch(two_jars())
    assert "could not be fetched. Connect to the internet and run the same command again" in str(caught.value)
    assert "refused" in caught.value.detail


@pytest.mark.slow
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


@pytest.fixture
def wanted(maven, tmp_path: Path) -> jars.Download:
    """One file of the repository, which ends half-way the first time it is asked for."""
    path = next(path for path, file in maven.files.items() if file.stat().st_size > 200_000)
    name = path.rpartition("/")[2]
    maven.breaking.add(name)
    url = os.environ["CLASSROOM_MAVEN_REPOSITORY"].rstrip("/") + path
    return jars.Download(url, hashlib.sha256(maven.files[path].read_bytes()).hexdigest(), tmp_path / "there" / name)


def test_a_file_whose_connection_breaks_is_fetched_again(maven, wanted: jars.Download) -> None:
    jars.download([wanted])
    assert jars.is_sound(wanted.target, wanted.sha256)
    assert maven.jar_requests() == [wanted.target.name] * 2
