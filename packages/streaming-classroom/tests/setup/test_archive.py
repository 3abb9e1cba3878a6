from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from streaming_classroom.setup import archive


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


def is_interrupted(partial: Path) -> None:
    partial.write_bytes(b"half of the classes")
    raise KeyboardInterrupt


def in_directory() -> list[str]:
    return sorted(path.name for path in archive.path().parent.iterdir() if path != archive.log())


@pytest.mark.parametrize("failure", [runs_out_of_disk, is_interrupted])
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
