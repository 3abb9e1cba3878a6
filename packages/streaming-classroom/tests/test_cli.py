from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from streaming_classroom import cli
from streaming_classroom.files import directories
from streaming_classroom.runner import results, suite
from streaming_classroom.runner.lesson_files import unknown_parameter
from streaming_classroom.setup import steps

LESSON = '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}'


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep every command away from the learner's own files, and let set-up do nothing."""
    monkeypatch.setenv("CLASSROOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / "ä home"))
    monkeypatch.setenv("CLASSROOM_WORK", str(tmp_path / "work"))
    monkeypatch.setattr(steps, "set_up", lambda _report, **_options: False)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def delegated(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Collect the programs that would take this one's place, instead of letting them."""
    commands: list[list[str]] = []

    def collect(command: Sequence[str], _environ: Mapping[str, str] | None = None) -> int:
        commands.append(list(command))
        return 7

    monkeypatch.setattr(cli, "_delegate", collect)
    return commands


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the course to a directory of lessons that has none yet."""
    directory = tmp_path / "notebooks"
    directory.mkdir()
    monkeypatch.setattr(directories, "notebooks", lambda: directory)
    return directory


def test_help_imports_nothing_that_set_up_has_to_install() -> None:
    code = (
        "import sys; from streaming_classroom import cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "own = {'__main__', 'streaming_classroom', 'stream_view', 'notebook_dialect', 'streaming_base'}\n"
        "print(sorted(tops - sys.stdlib_module_names - own), file=sys.stderr)"
    )
    sources = directories.PROJECT.glob("packages/*/src")
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sources))}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, timeout=120, check=True, env=environ
    )
    assert "usage: course.py" in done.stdout
    assert done.stderr.strip() == "[]"


def test_ctrl_c_is_exit_code_130_and_no_traceback(monkeypatch, capsys) -> None:
    def interrupt(_report, **_options) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(steps, "set_up", interrupt)
    assert cli.main(["setup"]) == 130
    assert capsys.readouterr().err == "\nInterrupted. Run the same command again to resume.\n"


def test_lab_opens_jupyterlab_on_the_learners_copy_of_the_first_lesson(delegated, lessons: Path, capsys) -> None:
    (lessons / "02-B.ipynb").touch()
    (lessons / "01-Ä b.ipynb").write_text(LESSON)
    assert cli.main(["lab"]) == 7
    command = delegated[0]
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert f"--ServerApp.root_dir={directories.work()}" in command
    assert "--LabApp.default_url=/lab/tree/notebooks/01-%C3%84%20b.ipynb" in command
    assert (directories.work() / "notebooks" / "01-Ä b.ipynb").is_file()
    said, how_to_stop = capsys.readouterr().out.splitlines()
    assert "Ctrl+C in this terminal stops it" in how_to_stop
    assert said.startswith(f"1 lesson is in {directories.work() / 'notebooks'}")
    assert "02-B.ipynb cannot be read" in said


def test_start_over_says_where_the_old_one_is_and_sets_nothing_up(lessons: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(steps, "set_up", pytest.fail)
    (lessons / "05-A.ipynb").write_text(LESSON)
    assert cli.main(["start-over", "05"]) == 0
    (directories.work() / "notebooks" / "05-A.ipynb").write_text("{}")
    assert cli.main(["start-over", "5"]) == 0
    nothing, kept = capsys.readouterr().out.splitlines()
    assert nothing.startswith("05-A is fresh. There was no work in it")
    assert kept.startswith("05-A is fresh. What you had is 05-A (until ")
    # JupyterLab's own question, at the next save of a tab that has the lesson open, has "Overwrite" as its answer.
    assert all("File > Reload Notebook from Disk" in line for line in (nothing, kept))


@pytest.mark.parametrize(
    "there", [None, "half {", '{"another": {"plugin": 1}, "@jupyterlab/docmanager-extension:plugin": 2}']
)
def test_lab_asks_nothing_about_news_and_saves_often(delegated, tmp_path: Path, monkeypatch, there: str | None) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    settings = tmp_path / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    if there:
        settings.parent.mkdir(parents=True)
        settings.write_text(there, encoding="utf-8")
    cli.main(["lab"])
    overrides = json.loads(settings.read_text(encoding="utf-8"))
    assert overrides["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    assert overrides["@jupyterlab/docmanager-extension:plugin"]["autosaveInterval"] == 10
    assert overrides["@jupyterlab/notebook-extension:tracker"]["autoStartDefaultKernel"] is True
    assert overrides.get("another") == ({"plugin": 1} if there and "another" in there else None)


@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        (["test", "--", "-k", "foo"], ["pytest", "-k", "foo"]),
        (["bench", "startup"], ["benchmarks.startup"]),
        (["book"], ["book"]),
        (["lint", "07"], ["code_checks", "07"]),
    ],
)
def test_a_tools_command_starts_its_module(delegated, arguments: list[str], module: list[str]) -> None:
    assert cli.main(arguments) == 7
    assert delegated[0][:2] == [sys.executable, "-m"]
    assert (delegated[0][2], delegated[0][len(delegated[0]) - len(module) + 1 :]) == (module[0], module[1:])


def test_run_passes_the_lessons_and_the_options_to_the_runner(lessons: Path, tmp_path: Path, monkeypatch) -> None:
    calls = []
    monkeypatch.setattr(
        suite,
        "run_lessons",
        lambda found, **options: calls.append((found, options)) or results.SuiteResult((), 0.0, True),
    )
    (lessons / "01-A.ipynb").touch()
    (lessons / "02-B.ipynb").touch()
    assert cli.main(["run", "2", "--save", "--jobs", "3", "--cell-timeout", "5"]) == 130
    [(found, options)] = calls
    assert found == [lessons / "02-B.ipynb"]
    assert (options["jobs"], options["save"], options["cell_timeout"]) == (3, True, 5.0)


def test_run_of_an_unknown_lesson_is_refused_before_any_set_up(lessons: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(steps, "set_up", pytest.fail)
    (lessons / "01-A.ipynb").touch()
    assert cli.main(["run", "99"]) == 1
    assert "There is no lesson '99'. `python course.py list` shows all 1." in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{guest}", "--save"], "--save is for the course's lessons, run as they are. Leave out {guest}."),
        (["1", "--save", "-p", "n=1"], "--save is for the course's lessons, run as they are. Leave out -p."),
        (["1", "--save", "--compare"], "--save is for the course's lessons, run as they are. Leave out --compare."),
        (["1", "--compare", "--solved"], "--compare is for the course's lessons, run as they are. Leave out --solved."),
    ],
)
def test_run_saves_only_the_courses_lessons_as_they_are(
    lessons: Path, tmp_path: Path, monkeypatch, capsys, arguments: list[str], says: str
) -> None:
    monkeypatch.setattr(cli, "_set_up", lambda: pytest.fail("set up for nothing"))
    (lessons / "01-A.ipynb").touch()
    (tmp_path / "guest.py").touch()
    assert cli.main(["run", *(word.format(guest=tmp_path / "guest.py") for word in arguments)]) == 1
    assert says.format(guest=tmp_path / "guest.py") in capsys.readouterr().err


def test_a_parameter_that_no_notebook_names_is_refused(lessons: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(cli, "_set_up", lambda: pytest.fail("set up for nothing"))
    (tmp_path / "guest.py").write_text("# Databricks notebook source\n# MAGIC %run ./Included\n")
    (tmp_path / "Included.py").write_text("# Databricks notebook source\nmode = dbutils.widgets.get('mode')\n")
    assert cli.main(["run", str(tmp_path / "guest.py"), "-p", "mood=full"]) == 1
    assert "No notebook here has a widget or a variable `mood`." in capsys.readouterr().err
    assert unknown_parameter(["mode"], [tmp_path / "guest.py"]) is None


def test_reset_removes_the_home_only_and_says_so(apart: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(steps, "set_up", pytest.fail)
    (directories.claim(directories.home()) / "dbfs" / "user").mkdir(parents=True)
    directories.cache().mkdir()
    assert cli.main(["reset"]) == 0
    assert sorted(path.name for path in apart.iterdir()) == ["cache"]
    expected = f"Removed what the lessons created in {directories.home()}. What set-up made is kept.\n"
    assert capsys.readouterr().out == expected


class Server:
    """What answers as a Jupyter server does when it is asked for its version."""

    def __init__(self, folder: Path) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200 if self.path == "/base/api" else 404)
                self.end_headers()
                self.wfile.write(b'{"version": "2.21.1"}')

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/base/"
        self.folder = folder
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def note(self, root: Path, pid: int | None = None) -> None:
        """Leave the file by which Jupyter's servers are found."""
        self.folder.mkdir(exist_ok=True)
        facts = {"url": self.url, "token": "s3cret", "root_dir": str(root), "pid": pid or os.getpid()}
        (self.folder / f"jpserver-{pid or os.getpid()}.json").write_text(json.dumps(facts))


@pytest.fixture
def server(apart: Path, request: pytest.FixtureRequest) -> Server:
    server = Server(apart / "runtime")
    request.addfinalizer(server.http.server_close)
    request.addfinalizer(server.http.shutdown)
    return server


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the addresses that a browser would open."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    return addresses


def test_a_second_lab_opens_the_first_one(delegated, opened, server: Server, lessons: Path, capsys) -> None:
    (lessons / "01-A.ipynb").write_text(LESSON)
    server.note(directories.work())
    assert cli.main(["lab"]) == 0
    assert delegated == []
    assert opened == [f"{server.url}lab/tree/notebooks/01-A.ipynb?token=s3cret"]
    *_, said, address = capsys.readouterr().out.splitlines()
    assert (said, address) == ("JupyterLab is running on these files already, and is opened:", opened[0])


@pytest.mark.parametrize("other", ["other files", "no answer", "ended"])
def test_a_server_that_is_another_one_is_left_alone(delegated, server: Server, other: str) -> None:
    server.note(
        directories.work() / "elsewhere" if other == "other files" else directories.work(),
        pid=2**22 - 3 if other == "ended" else None,
    )
    if other == "no answer":
        server.http.shutdown()
        server.http.server_close()
    assert cli.main(["lab"]) == 7
    assert delegated
