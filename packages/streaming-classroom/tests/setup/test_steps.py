from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from streaming_classroom.errors import SetupError
from streaming_classroom.setup import archive, guard, jars, java, steps


@pytest.fixture
def todo(cache: Path, monkeypatch: pytest.MonkeyPatch):
    """Replace the steps by made-up ones; each is done once it was done."""

    def become(*works) -> list[str]:
        done: list[str] = []

        def step(title: str, work) -> steps.Step:
            def do(report: steps.Report) -> None:
                work(report)
                done.append(title)

            return steps.Step(title, lambda: title in done, do)

        made = [step(work.__name__, work) for work in works]
        monkeypatch.setattr(steps, "steps", lambda _everything=False: made)
        return done

    return become


def fetch(_report) -> None:
    pass


def build(_report) -> None:
    pass


def test_an_interrupted_set_up_goes_on_where_it_was(todo) -> None:
    interrupts = [KeyboardInterrupt]

    def build(_report) -> None:
        if interrupts:
            raise interrupts.pop()

    done = todo(fetch, build)
    with pytest.raises(KeyboardInterrupt):
        steps.set_up(lambda _line: None)
    lines: list[str] = []
    steps.set_up(lines.append)
    assert done == ["fetch", "build"]
    assert lines == ["[1/2] fetch: there already.", "[2/2] build ..."]


def test_a_full_disk_is_one_sentence(maven, tiny_disk, monkeypatch) -> None:
    cache = tiny_disk(1024)
    monkeypatch.setenv("CLASSROOM_CACHE", str(cache))
    with pytest.raises(SetupError, match=r"The disk of .*tiny disk.* is full\. Free 1 GB there"):
        steps.set_up(lambda _line: None)
    half = {jar.file_name for jar in jars.missing_or_damaged()}
    assert half
    assert not half & {path.name for path in jars.directory().glob("*")}


def test_an_archive_without_room_is_reported_in_a_line_and_breaks_nothing(cache: Path, monkeypatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "make", full)
    monkeypatch.setattr(steps, "steps", lambda _everything=False, real=steps.steps: real()[-1:])
    lines: list[str] = []
    steps.set_up(lines.append)
    assert len(lines) == 2
    assert lines[1].strip().startswith("It could not be made; lessons start more slowly without it.")
    steps.set_up(pytest.fail)  # and is not tried at every start


def test_a_second_start_does_nothing_and_says_nothing(monkeypatch) -> None:
    """This one looks at the real cache, which the set-up before the tests has filled."""
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    monkeypatch.setattr(guard, "setup_lock", pytest.fail)
    steps.set_up(pytest.fail)
    assert steps.ensure_session_needs().version >= java.MINIMUM


def test_a_kernel_started_without_course_py_fetches_what_it_needs(maven) -> None:
    found = steps.ensure_session_needs()
    assert found == java.find().java
    assert jars.missing_or_damaged() == []
    before = len(maven.requests)
    steps.ensure_session_needs()
    assert len(maven.requests) == before
