from __future__ import annotations

import io
import itertools
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from rich.console import Console

from streaming_classroom.errors import SetupError
from streaming_classroom.runner import suite
from streaming_classroom.runner.kernel import HOME_VARIABLE
from streaming_classroom.runner.results import SuiteResult
from streaming_classroom.runner.suite import KEPT, Estimate, new_run, run_lessons


@pytest.mark.slow
def test_two_runs_at_once_do_not_meet(lesson: Callable[..., Path], tmp_path: Path) -> None:
    path, results = lesson("passing"), []

    def run() -> None:
        results.append(run_lessons([path], console=Console(file=io.StringIO()), home=tmp_path / "home"))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.passed for result in results] == [True, True]
    first, second = (result.lessons[0].executed for result in results)
    assert first != second
    assert first.is_file() and second.is_file()


@pytest.mark.slow
def test_lessons_of_one_name_get_homes_of_their_own(
    lesson: Callable[..., Path], run: Callable[..., SuiteResult]
) -> None:
    result = run(lesson("passing", "a/01-X.ipynb"), lesson("passing", "b/01-x.ipynb"), jobs=2)
    assert result.passed
    assert [entry.lesson for entry in result.lessons] == ["01-X", "01-x-2"]


@pytest.mark.slow
def test_saving_twice_gives_the_same_bytes(lesson: Callable[..., Path], run: Callable[..., SuiteResult]) -> None:
    path = lesson("passing")
    before = path.read_bytes()
    assert run(path, save=True).passed
    first = path.read_bytes()
    assert run(path, save=True).passed
    assert path.read_bytes() == first != before
    assert b"/classroom" in first and b"papermill" not in first and str(path.parent).encode() not in first


@pytest.mark.slow
def test_a_lesson_edited_while_it_ran_fails_and_keeps_the_edit(
    lesson: Callable[..., Path], run: Callable[..., SuiteResult]
) -> None:
    path = lesson("edits-itself")
    (result,) = run(path, save=True).lessons
    assert [failure.kind for failure in result.failures] == ["save"]
    assert "edited meanwhile" in path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process on Windows")
def test_ctrl_c_reports_what_is_known_and_leaves_no_kernel(lesson: Callable[..., Path], tmp_path: Path) -> None:
    lessons = [
        lesson("passing", "n/01-A.ipynb"),
        lesson("endless-child", "n/02-B.ipynb"),
        lesson("passing", "n/03-C.ipynb"),
    ]
    home, junit = tmp_path / "home", tmp_path / "out" / "junit.xml"
    code = (
        "import sys; from pathlib import Path; from streaming_classroom.runner.suite import run_lessons\n"
        "paths = [Path(name) for name in sys.argv[3:]]\n"
        "sys.exit(run_lessons(paths, home=Path(sys.argv[1]), junit=Path(sys.argv[2])).exit_code)"
    )
    command = [sys.executable, "-c", code, str(home), str(junit), *map(str, lessons)]
    runner = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    try:
        _wait_for(lambda: list(home.glob("runs/*/02-B/child.pid")))
        assert _processes_below(home)
        runner.send_signal(signal.SIGINT)
        out, err = runner.communicate(timeout=120)
    finally:
        runner.kill()
    assert runner.returncode == 130, err
    assert err == ""
    assert _processes_below(home) == []
    assert "1 of 3 lessons passed" in out and "interrupted 02-B" in out and "not run" in out
    assert junit.is_file()


@pytest.fixture
def each_begins_a_second_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs that begin one after the other have names in this order."""
    seconds = itertools.count(10)
    monkeypatch.setattr(suite.time, "strftime", lambda _format: f"20250101-0000{next(seconds)}")


def test_a_run_that_is_still_going_is_not_removed_by_the_many_that_follow(
    tmp_path: Path, each_begins_a_second_later: None
) -> None:
    with new_run(tmp_path / "home") as going:
        (going / "07").mkdir()
        for _run in range(KEPT + 3):
            with new_run(tmp_path / "home") as directory:
                assert directory.is_dir()
        assert (going / "07").is_dir()
        assert len(list(going.parent.iterdir())) == KEPT + 1
    with new_run(tmp_path / "home"):
        assert not going.exists()


def test_what_is_not_a_runs_stays(tmp_path: Path, each_begins_a_second_later: None) -> None:
    with new_run(tmp_path / "home") as first:
        (first.parent / "0-notes").mkdir()
        (tmp_path / "elsewhere").mkdir()
        (first.parent / "20200101-000000-abcdef").symlink_to(tmp_path / "elsewhere")
    for _run in range(KEPT + 2):
        with new_run(tmp_path / "home"):
            pass
    assert (first.parent / "0-notes").is_dir() and (tmp_path / "elsewhere").is_dir()
    assert (first.parent / "20200101-000000-abcdef").is_symlink()


def test_a_strangers_folder_is_no_place_for_runs(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(SetupError), new_run(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_rest_of_a_run_takes_as_long_as_what_has_ended() -> None:
    estimate = Estimate(3, started=100.0)
    assert estimate.after(160.0) == "; 1 of 3, about 2 min left"
    assert estimate.after(190.0) == "; 2 of 3, about 1 min left"
    assert estimate.after(260.0) == ""


def _wait_for(condition: Callable[[], object], timeout: float = 120.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "the lesson did not come so far"
        time.sleep(0.05)


def _processes_below(home: Path) -> list[int]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(HOME_VARIABLE, "").startswith(str(home)):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


@pytest.mark.slow
def test_neither_installed_kernels_nor_the_users_profile_count(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lesson: Callable[..., Path],
    run: Callable[..., SuiteResult],
) -> None:
    spec = tmp_path / "jupyter" / "kernels" / "python3"
    spec.mkdir(parents=True)
    argv = ["no-such-interpreter", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "broken", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("import sys; print('hello', file=sys.stderr); open = None")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    result = run(lesson("interpreter"))
    assert result.passed
    assert json.dumps(sys.executable, ensure_ascii=False)[1:-1] in result.lessons[0].executed.read_text(
        encoding="utf-8"
    )  # type: ignore[union-attr]
