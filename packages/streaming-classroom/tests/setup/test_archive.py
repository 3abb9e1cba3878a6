from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from streaming_classroom.setup import archive, jars, java

pytestmark = pytest.mark.kernel


@pytest.fixture
def workload(monkeypatch: pytest.MonkeyPatch):
    """Make the workload a function of the path that the archive is to be written to."""

    def becomes(function) -> None:
        def run(command: list[str], env: dict[str, str], **_options: object) -> None:
            Path(env["CLASSROOM_HOME"], "dbfs").mkdir(parents=True)
            function(Path(command[-1]))

        monkeypatch.setattr(subprocess, "run", run)

    return becomes


def writes(partial: Path) -> None:
    partial.write_bytes(b"classes")


def runs_out_of_disk(partial: Path) -> None:
    partial.write_bytes(b"half of the classes")
    raise OSError(28, "No space left on device")


def fails(partial: Path) -> None:
    partial.write_bytes(b"half of the classes")
    raise subprocess.CalledProcessError(1, "workload")


def takes_for_ever(_partial: Path) -> None:
    raise subprocess.TimeoutExpired("workload", archive.TIMEOUT)


def is_interrupted(partial: Path) -> None:
    partial.write_bytes(b"half of the classes")
    raise KeyboardInterrupt


def writes_nothing(_partial: Path) -> None:
    """A JVM that could not write the archive removes it, and the workload does not notice."""


FAILURES = [runs_out_of_disk, fails, takes_for_ever, is_interrupted, writes_nothing]


def in_directory() -> list[str]:
    return sorted(path.name for path in archive.path().parent.iterdir() if path != archive.log())


def put(content: bytes) -> None:
    """Put an archive in place as if it had been made."""
    archive.path().parent.mkdir(parents=True, exist_ok=True)
    archive.path().unlink(missing_ok=True)
    archive.path().write_bytes(content)
    archive.path().with_suffix(".size").write_text(str(len(content)), encoding="utf-8")


def test_a_made_archive_is_all_that_is_left(cache: Path, workload) -> None:
    workload(writes)
    archive.make()
    assert in_directory() == [archive.path().name, archive.path().stem + ".size"]
    assert archive.path().read_bytes() == b"classes"
    assert archive.is_made()


@pytest.mark.parametrize("failure", FAILURES)
def test_an_archive_that_cannot_be_made_leaves_nothing(cache: Path, workload, failure) -> None:
    workload(failure)
    with pytest.raises((OSError, subprocess.SubprocessError, KeyboardInterrupt)):
        archive.make()
    assert in_directory() == []


def test_what_a_killed_workload_left_is_removed_by_the_next(cache: Path, workload) -> None:
    archive.path().parent.mkdir(parents=True)
    archive.path().with_suffix(".4711.part").write_bytes(b"half")
    (archive.path().parent / "home" / "dbfs").mkdir(parents=True)  # tables in the way of the next ones
    workload(writes)
    archive.make()
    assert not list(archive.path().parent.glob("*.part"))


def test_only_the_newest_archives_are_kept(cache: Path, workload) -> None:
    archive.path().parent.mkdir(parents=True)
    for age, name in enumerate(["new", "old", "older"], start=1):
        other = archive.path().with_name(f"{name}.jsa")
        other.touch()
        os.utime(other, (1_700_000_000 - age, 1_700_000_000 - age))
    workload(writes)
    archive.make()
    assert sorted(path.name for path in archive.path().parent.glob("*.jsa")) == sorted([archive.path().name, "new.jsa"])


def test_a_failure_is_remembered_until_it_is_forgotten(cache: Path) -> None:
    assert not archive.is_settled()
    archive.remember_failure()  # its directory does not exist yet
    assert archive.is_settled()
    assert archive.has_failed()
    archive.forget_failure()
    assert not archive.is_settled()


def test_a_failure_with_another_java_is_no_reason_not_to_try(cache: Path, monkeypatch, make_java) -> None:
    archive.remember_failure()
    monkeypatch.setenv("JAVA_HOME", str(make_java(21)))
    assert not archive.is_settled()


def test_the_path_changes_with_the_java(cache: Path, monkeypatch, make_java) -> None:
    before = archive.path()
    monkeypatch.setenv("JAVA_HOME", str(make_java(21)))
    assert archive.path() != before


def test_the_path_changes_with_a_jar(cache: Path) -> None:
    before = archive.path()
    jars.directory().mkdir(parents=True)
    jars.paths()[0].write_bytes(b"another jar")
    assert archive.path() != before


def test_the_path_is_the_same_the_next_time(cache: Path) -> None:
    assert archive.path() == archive.path()


def test_an_archive_is_used_once_it_is_made(cache: Path, workload) -> None:
    assert "SharedArchiveFile" not in archive.java_options()
    workload(writes)
    archive.make()
    assert f'"-XX:SharedArchiveFile={archive.path()}"' in archive.java_options()  # quoted: it has a blank


def test_an_archive_that_was_cut_off_is_not_used_and_made_again(cache: Path, workload) -> None:
    workload(writes)
    archive.make()
    archive.path().write_bytes(b"clas")
    assert "SharedArchiveFile" not in archive.java_options()
    assert not archive.is_settled()
    archive.make()
    assert archive.is_settled()


def test_a_session_that_computes_long_gets_no_quick_options(cache: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLASSROOM_FAST_START", "0")
    assert archive.java_options() == ""
    assert archive.is_settled()


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000], ids=["empty", "garbage"])
def test_a_java_starts_silently_with_a_corrupt_archive(cache: Path, content: bytes) -> None:
    put(content)
    done = start_java(archive.java_options())
    assert (done.returncode, done.stdout) == (0, "")


def test_a_java_starts_silently_with_an_archive_made_for_other_jars(cache: Path) -> None:
    archive.path().parent.mkdir(parents=True)
    (ivy,) = jars.spark_jars().glob("ivy-*.jar")  # a program that ends by itself
    made = start_java(archive.dump_options(archive.path()), "-cp", str(ivy), "org.apache.ivy.Main", "-?")
    assert made.returncode == 0
    put(archive.path().read_bytes())
    done = start_java(archive.java_options())
    assert (done.returncode, done.stdout) == (0, "")


def test_a_java_that_runs_out_of_disk_leaves_no_archive(cache: Path, tiny_disk) -> None:
    target = tiny_disk(500) / "a b.jsa"
    # The classes of the JDK's own compiler are a good deal more than what fits.
    start_java(archive.dump_options(target), "-m", "jdk.compiler/com.sun.tools.javac.Main", "--version")
    assert not target.exists() or target.stat().st_size == 0


def start_java(options: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Start the real Java with options as spark-submit splits them."""
    command = [java.find().java.executable, *shlex.split(options), *(arguments or ["-version"])]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)
