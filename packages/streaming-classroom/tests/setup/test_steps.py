from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from traitlets.config import PyFileConfigLoader

from streaming_classroom import kernel_start
from streaming_classroom.errors import SetupError
from streaming_classroom.setup import archive, jars, java, steps


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
    monkeypatch.setattr(steps, "setup_lock", pytest.fail)
    steps.set_up(pytest.fail)
    assert steps.ensure_session_needs().version >= java.MINIMUM


def test_a_kernel_started_without_course_py_fetches_what_it_needs(maven) -> None:
    found = steps.ensure_session_needs()
    assert found == java.find().java
    assert jars.missing_or_damaged() == []
    before = len(maven.requests)
    steps.ensure_session_needs()
    assert len(maven.requests) == before


@pytest.mark.parametrize(
    ("number", "problem", "fix"),
    [
        (errno.ENOSPC, "The disk of /x/y is full.", "Free 1 GB there"),
        (errno.EDQUOT, "The disk of /x/y is full.", "Free 1 GB there"),
        (errno.EROFS, "/x/y cannot be written: Read-only file system.", "Make it writable, or set CLASSROOM_CACHE"),
        (errno.EACCES, "/x/y cannot be written: Permission denied.", "Make it writable, or set CLASSROOM_CACHE"),
        (errno.EIO, "Input/output error: '/x/y'.", "Fix its cause, or set CLASSROOM_CACHE"),
    ],
)
def test_an_error_of_the_system_says_what_to_do(number: int, problem: str, fix: str) -> None:
    error = OSError(number, os.strerror(number), "/x/y")
    with pytest.raises(SetupError) as caught, steps.setup_errors():
        raise error
    assert caught.value.problem.endswith(problem)
    assert caught.value.fix.startswith(fix)


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an environment that the course has made."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / steps.COURSE_ENVIRONMENT).touch()
    return tmp_path


@pytest.mark.parametrize("there", [None, "something older"])
def test_ipython_finds_the_extension_there(environment: Path, there: str | None) -> None:
    if there:
        steps.kernel_config().parent.mkdir(parents=True)
        steps.kernel_config().write_text(there, encoding="utf-8")
    steps.write_kernel_config()
    config = PyFileConfigLoader("ipython_kernel_config.py", str(environment / "etc" / "ipython")).load_config()
    assert config.InteractiveShellApp.extensions.get_value([]) == [kernel_start.__name__]


def test_somebody_elses_environment_is_left_alone(environment: Path) -> None:
    (environment / steps.COURSE_ENVIRONMENT).unlink()
    steps.write_kernel_config()
    assert list(environment.iterdir()) == []
