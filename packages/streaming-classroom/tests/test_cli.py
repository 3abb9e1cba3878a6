from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest

from declarative_pipelines import commands
from streaming_classroom import cli
from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories, ownership
from streaming_classroom.runner import results, suite
from streaming_classroom.session.spark_session import get_spark
from streaming_classroom.setup import archive, doctor, steps

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


def usage_error(arguments: list[str], capsys) -> str:
    """Return what is said about arguments that cannot be."""
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    return capsys.readouterr().err


def test_without_a_command_the_help_is_shown_and_the_exit_code_is_2(capsys) -> None:
    error = usage_error([], capsys)
    commands = ("lab", "start-over", "run", "lint", "test", "bench", "book", "doctor", "reset", "setup")
    assert all(command in error for command in commands)


def test_an_unknown_command_is_told_the_known_ones(capsys) -> None:
    assert "'lap'" in usage_error(["lap"], capsys)


def test_help_is_quick_and_imports_neither_pyspark_nor_anything_else_to_be_installed() -> None:
    code = (
        "import sys; from streaming_classroom import cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "own = {'__main__', 'streaming_classroom', 'stream_view', 'notebook_dialect'}\n"
        "print(sorted(tops - sys.stdlib_module_names - own), file=sys.stderr)"
    )
    sources = directories.PROJECT.glob("packages/*/src")
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sources))}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, timeout=5, check=True, env=environ
    )
    assert "usage: course.py" in done.stdout
    assert done.stderr.strip() == "[]"


def test_an_error_of_the_courses_own_is_a_sentence_on_stderr_and_exit_code_1(monkeypatch, capsys) -> None:
    def fail(_report, **_options) -> None:
        raise SetupError("No jar.", "Connect.")

    monkeypatch.setattr(steps, "set_up", fail)
    assert cli.main(["setup"]) == 1
    assert capsys.readouterr() == ("", "\nNo jar. Connect.\n")


def test_ctrl_c_is_exit_code_130_and_no_traceback(monkeypatch, capsys) -> None:
    def interrupt(_report, **_options) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(steps, "set_up", interrupt)
    assert cli.main(["setup"]) == 130
    assert capsys.readouterr().err == "\nInterrupted. The same command goes on from here.\n"


def test_a_polite_kill_ends_the_programs_that_were_started(tmp_path: Path) -> None:
    """SIGTERM, as CI sends it: Python's own handling would leave the archive's workload running."""
    # Told by Python: before Popen is back it does not know its child, and nothing could end that.
    code = (
        "import runpy, subprocess, sys\n"
        "from streaming_classroom.setup import steps\n"
        "class Told(subprocess.Popen):\n"
        "    def communicate(self, *args, **kwargs):\n"
        "        print('up', flush=True)\n"
        "        return super().communicate(*args, **kwargs)\n"
        "subprocess.Popen = Told\n"
        "steps.set_up = lambda report, **options: subprocess.run(['sleep', '600'])\n"
        "sys.argv[1:] = ['setup']\n"
        "runpy.run_module('streaming_classroom', run_name='__main__')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
        process.communicate(timeout=60)  # which ends only when nobody is left who could write
        assert process.returncode == 143


def test_lab_opens_jupyterlab_on_the_learners_copy_of_the_first_lesson(delegated, lessons: Path, capsys) -> None:
    (lessons / "02-B.ipynb").touch()
    (lessons / "01-Ä b.ipynb").write_text(LESSON)
    assert cli.main(["lab"]) == 7
    command = delegated[0]
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert f"--ServerApp.root_dir={directories.work()}" in command
    assert "--LabApp.default_url=/lab/tree/notebooks/01-%C3%84%20b.ipynb" in command
    assert (directories.work() / "notebooks" / "01-Ä b.ipynb").is_file()
    [said] = capsys.readouterr().out.splitlines()
    assert said.startswith(f"1 lesson is in {directories.work() / 'notebooks'}")
    assert "02-B.ipynb cannot be read" in said


def test_lab_opens_the_committed_lessons_for_those_who_want_their_outputs(delegated, lessons: Path) -> None:
    (lessons / "01-A.ipynb").write_text(LESSON)
    assert cli.main(["lab", "--with-outputs"]) == 7
    assert f"--ServerApp.root_dir={directories.PROJECT}" in delegated[0]
    assert "--LabApp.default_url=/lab/tree/notebooks/01-A.ipynb" in delegated[0]
    assert not directories.work().exists()


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


def test_start_over_without_a_lesson_is_told_to_name_one(capsys) -> None:
    assert "LESSON" in usage_error(["start-over"], capsys)


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
    assert overrides.get("another") == ({"plugin": 1} if there and "another" in there else None)


def test_lab_for_a_projector_shows_nothing_but_the_lesson_in_large_text(delegated, lessons: Path) -> None:
    (lessons / "01-A.ipynb").touch()
    cli.main(["lab", "--present"])
    [command] = delegated
    assert "--LabApp.default_url=/doc/tree/notebooks/01-A.ipynb" in command
    assert "--LabApp.custom_css=True" in command
    [folder] = [part.partition("static_custom_path=")[2] for part in command if "static_custom_path=" in part]
    assert Path(folder, "custom.css").is_file()
    # The layout of its page, which JupyterLab keeps, is not the user's own and goes with the rest.
    layouts = directories.home() / "jupyterlab"
    assert f"--LabApp.workspaces_dir={layouts}" in command
    layouts.mkdir()
    cli.main(["reset"])
    assert not directories.home().exists()


@pytest.mark.parametrize("options", [[], ["--present"]])
def test_lab_breaks_errors_between_words(delegated, options: list[str]) -> None:
    """JupyterLab's own style breaks every text of an output in the middle of words."""
    cli.main(["lab", *options])
    assert "--LabApp.custom_css=True" in delegated[0]
    [folder] = [part.partition("static_custom_path=")[2] for part in delegated[0] if "static_custom_path=" in part]
    style = Path(folder, "custom.css").read_text(encoding="utf-8")
    assert ".jp-OutputArea-output pre { word-break: normal; overflow-wrap: anywhere; }" in style


def test_lab_leaves_a_persons_own_style_in_its_place(delegated, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config" / "custom").mkdir(parents=True)
    (tmp_path / "config" / "custom" / "custom.css").write_text("body {}")
    cli.main(["lab"])
    assert not [part for part in delegated[0] if "custom" in part.partition("=")[0]]


def test_lab_opens_without_any_lesson(delegated, lessons: Path) -> None:
    assert cli.main(["lab"]) == 7
    assert "--LabApp.default_url=/lab" in delegated[0]


@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_lab_starts_for_root_too_as_in_a_container(delegated, monkeypatch, user: int, allowed: bool) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    cli.main(["lab"])
    assert ("--allow-root" in delegated[0]) == allowed


def test_lab_passes_on_the_port_and_what_else_jupyterlab_takes(delegated) -> None:
    cli.main(["lab", "--port", "9999", "--", "--no-browser"])
    assert delegated[0][-2:] == ["--port=9999", "--no-browser"]


def test_lab_leaves_it_to_jupyterlab_to_pass_over_a_busy_port(delegated) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert cli.main(["lab", "--port", str(port)]) == 7
    assert f"--port={port}" in delegated[0]
    assert not [option for option in delegated[0] if "port_retries" in option]
    from jupyter_server.serverapp import ServerApp

    assert ServerApp().port_retries > 0


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http"])
def test_lab_refuses_what_is_no_port(capsys, port: str) -> None:
    assert "--port" in usage_error(["lab", f"--port={port}"], capsys)


@pytest.mark.parametrize(
    ("typed", "given"),
    [([], list(cli.SIDE_BY_SIDE)), (["--", "-q", "-k", "foo"], ["-q", "-k", "foo"]), (["tests/x.py"], ["tests/x.py"])],
)
def test_test_runs_pytest_in_the_project_with_what_follows(
    delegated, monkeypatch, typed: list[str], given: list[str]
) -> None:
    monkeypatch.delenv("CI", raising=False)
    assert cli.main(["test", *typed]) == 7
    assert delegated == [[sys.executable, "-m", "pytest", *given]]
    assert Path.cwd() == directories.PROJECT


def test_what_fails_is_tried_once_more_on_ci_alone(delegated, monkeypatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert cli.main(["test"]) == 7
    assert delegated[0][3:] == [*cli.SIDE_BY_SIDE, *cli.ONCE_MORE]


def test_bench_runs_the_module_of_that_name(delegated) -> None:
    assert cli.main(["bench", "startup"]) == 7
    assert delegated == [[sys.executable, "-m", "benchmarks.startup"]]


def test_book_runs_the_tool_of_that_name(delegated) -> None:
    assert cli.main(["book"]) == 7
    assert delegated == [[sys.executable, "-m", "book"]]


def test_lint_alone_checks_the_code_as_well(delegated) -> None:
    assert cli.main(["lint"]) == 7
    assert delegated == [[sys.executable, "-m", "code_checks"]]


def test_lint_checks_the_lessons_that_follow_and_their_exercises(delegated) -> None:
    assert cli.main(["lint", "07", "x.ipynb"]) == 7
    assert delegated == [[sys.executable, "-m", "code_checks", "07", "x.ipynb"]]


def test_the_tools_are_found_before_what_is_set_already(monkeypatch) -> None:
    tools = str(directories.PROJECT / "tools")
    monkeypatch.setenv("PYTHONPATH", "mine")
    assert cli._with_tools() == {"PYTHONPATH": os.pathsep.join([tools, "mine"])}
    monkeypatch.delenv("PYTHONPATH")
    assert cli._with_tools() == {"PYTHONPATH": tools}


def test_an_unknown_benchmark_is_told_the_known_ones(monkeypatch, capsys) -> None:
    monkeypatch.setattr(cli, "_benchmarks", lambda: ["autoloader", "startup"])
    error = usage_error(["bench", "speed"], capsys)
    assert "speed" in error
    assert "startup" in error


def test_run_of_an_unknown_lesson_is_refused_before_any_set_up(lessons: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(steps, "set_up", pytest.fail)
    (lessons / "01-A.ipynb").touch()
    assert cli.main(["run", "99"]) == 1
    assert f"There is no lesson '99' in {lessons}; there are 01." in capsys.readouterr().err


def test_run_without_any_lesson_is_an_error(lessons: Path, capsys) -> None:
    assert cli.main(["run"]) == 1
    assert str(lessons) in capsys.readouterr().err


def test_a_strict_run_hands_on_what_the_linter_finds(lessons: Path, tmp_path: Path, monkeypatch) -> None:
    calls = []
    monkeypatch.setattr(
        "streaming_classroom.runner.run_lessons",
        lambda found, **options: calls.append(options) or results.SuiteResult((), 0.0, tmp_path, interrupted=True),
    )
    guest = tmp_path / "theirs.ipynb"
    cells = [nbformat.v4.new_code_cell("import time\ntime.sleep(99)"), nbformat.v4.new_code_cell("path = '/home/ada'")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), guest)
    cli.main(["run", str(guest), "--strict", "--github", "--without", "machine-paths"])
    [options] = calls
    assert options["strict"] and options["github"]
    [failure] = options["known"]
    assert (failure.notebook, failure.cell, failure.line, failure.rule) == (guest, 1, 2, "sleeps")


def test_a_linter_that_cannot_run_is_an_error_and_no_success(lessons: Path, tmp_path: Path, capsys) -> None:
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "theirs.ipynb")
    assert cli.main(["run", str(tmp_path / "theirs.ipynb"), "--strict", "--without", "no-such-rule"]) == 1
    assert "The linter could not check the notebooks" in capsys.readouterr().err


def test_run_hands_the_lessons_and_the_options_to_the_runner(lessons: Path, tmp_path: Path, monkeypatch) -> None:
    calls = []

    def run(found, **options):
        calls.append((found, options))
        return results.SuiteResult((), 0.0, tmp_path, interrupted=True)

    monkeypatch.setattr("streaming_classroom.runner.run_lessons", run)
    (lessons / "01-A.ipynb").touch()
    (lessons / "02-B.ipynb").touch()
    assert cli.main(["run", "2", "--save", "--jobs", "3", "--cell-timeout", "5"]) == 130
    ((found, options),) = calls
    assert found == [lessons / "02-B.ipynb"]
    assert options == {
        "jobs": 3,
        "save": True,
        "cell_timeout": 5.0,
        "lesson_timeout": 600.0,
        "junit": None,
        "home": directories.home(),
        "course": lessons,
        "parameters": {},
        "compare": False,
        "ansi": None,
        "solved": False,
        "strict": False,
        "known": (),
        "github": False,
    }
    assert options.keys() <= suite.run_lessons.__kwdefaults__.keys() | {"home"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{guest}", "--save"], "--save is for the course's lessons"),
        (["1", "--save", "-p", "n=1"], "--save would keep outputs that come from parameters"),
        (["1", "--save", "--solved"], "--solved runs other cells than the file has"),
        (["1", "--compare", "--solved"], "--solved runs other cells than the file has"),
    ],
)
def test_run_saves_only_the_courses_lessons_as_they_are(
    lessons: Path, tmp_path: Path, monkeypatch, capsys, arguments: list[str], says: str
) -> None:
    monkeypatch.setattr(cli, "_set_up", lambda: pytest.fail("set up for nothing"))
    (lessons / "01-A.ipynb").touch()
    (tmp_path / "guest.py").touch()
    assert cli.main(["run", *(word.format(guest=tmp_path / "guest.py") for word in arguments)]) == 1
    assert says in capsys.readouterr().err


def test_progress_tells_what_is_done_and_makes_nothing(capsys) -> None:
    assert cli.main(["progress"]) == 0
    assert "Next: 00.1" in capsys.readouterr().out
    assert not directories.home().exists()


def test_run_changes_the_ansi_mode_of_guests_only(lessons: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    calls = []

    def run(_found, **options):
        calls.append(options["ansi"])
        return results.SuiteResult((), 0.0, tmp_path, interrupted=True)

    monkeypatch.setattr("streaming_classroom.runner.run_lessons", run)
    (lessons / "01-A.ipynb").touch()
    (tmp_path / "guest.py").touch()
    cli.main(["run", str(tmp_path / "guest.py"), "--ansi", "off"])
    assert calls == ["off"]
    monkeypatch.setattr(cli, "_set_up", lambda: pytest.fail("set up for nothing"))
    for named in ([], ["1"], [str(tmp_path / "guest.py"), "1"]):
        assert cli.main(["run", *named, "--ansi", "off"]) == 1
        assert (
            "--ansi is for notebooks of your own, and 01-A.ipynb is a lesson of the course." in capsys.readouterr().err
        )


@pytest.mark.parametrize("parameter", ["n", "=1", "a b=1", ""])
def test_run_refuses_what_is_no_parameter(capsys, parameter: str) -> None:
    with pytest.raises(SystemExit):
        cli.main(["run", "-p", parameter])
    assert "is not NAME=VALUE" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_run_refuses_less_than_one_lesson_at_a_time(capsys, jobs: str) -> None:
    assert "--jobs" in usage_error(["run", f"--jobs={jobs}"], capsys)


def test_reset_removes_the_home_only_and_says_so(apart: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(steps, "set_up", pytest.fail)
    (ownership.claim(directories.home()) / "dbfs" / "user").mkdir(parents=True)
    directories.cache().mkdir()
    assert cli.main(["reset"]) == 0
    assert sorted(path.name for path in apart.iterdir()) == ["cache"]
    expected = f"Removed what the lessons created in {directories.home()}. What set-up made is kept.\n"
    assert capsys.readouterr().out == expected


def test_reset_with_nothing_to_remove_says_that(capsys) -> None:
    assert cli.main(["reset"]) == 0
    assert capsys.readouterr().out == f"There is nothing to remove: no lesson has created {directories.home()}.\n"


def test_setup_tries_an_archive_again_that_could_not_be_made() -> None:
    archive.remember_failure()
    assert cli.main(["setup"]) == 0
    assert not archive.has_failed()


def test_doctor_gives_the_exit_code_of_its_checks_and_sets_nothing_up(monkeypatch) -> None:
    monkeypatch.setattr(steps, "set_up", pytest.fail)
    fixes = []
    monkeypatch.setattr(doctor, "main", lambda fix: fixes.append(fix) or 1)
    assert [cli.main(["doctor"]), cli.main(["doctor", "--fix"])] == [1, 1]
    assert fixes == [False, True]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such call")
def test_a_program_that_takes_over_does_so_in_place_and_in_utf_8(monkeypatch) -> None:
    calls = []
    monkeypatch.setattr(os, "execve", lambda *call: calls.append(call))
    monkeypatch.setattr(cli.subprocess, "Popen", lambda *_a, **_k: pytest.skip("execve would not have come back"))
    with pytest.raises(pytest.skip.Exception):
        cli._delegate(["/bin/x", "-a"])
    program, command, environ = calls[0]
    assert (program, command, environ["PYTHONUTF8"]) == ("/bin/x", ["/bin/x", "-a"], "1")


def test_pipeline_hands_on_what_follows_and_the_classrooms_session(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(steps, "set_up", lambda *_, **__: asked.append("set up"))
    monkeypatch.setattr(commands, "main", lambda arguments, session: asked.append((arguments, session)) or 1)
    assert cli.main(["pipeline", "dry-run", "a.sql", "--refresh", "x"]) == 1
    assert asked == ["set up", (["dry-run", "a.sql", "--refresh", "x"], get_spark)]


def test_setup_says_what_is_not_fetched_yet_and_all_fetches_it(monkeypatch, capsys) -> None:
    asked = []
    monkeypatch.setattr(steps, "set_up", lambda _report, **options: asked.append(options["everything"]))
    monkeypatch.setattr(steps, "left_for_later", lambda: [] if True in asked else ["Not fetched yet: a broker."])
    assert cli.main(["setup"]) == 0
    assert capsys.readouterr().out == "Not fetched yet: a broker.\n"
    assert cli.main(["setup", "--all"]) == 0
    assert capsys.readouterr().out == ""
    assert asked == [False, True]


def test_a_first_start_says_once_what_is_not_fetched_yet(monkeypatch, capsys, lessons, delegated) -> None:
    monkeypatch.setattr(steps, "set_up", lambda _report, **_options: True)
    monkeypatch.setattr(steps, "left_for_later", lambda: ["Not fetched yet: a broker."])
    cli.main(["lab"])
    assert capsys.readouterr().out.count("Not fetched yet") == 1


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
    *_, said = capsys.readouterr().out.splitlines()
    assert said == f"JupyterLab is running on these files already, and is opened: {opened[0]}"


@pytest.mark.parametrize("is_it", [True, False])
def test_a_port_that_the_lab_that_runs_does_not_have_is_not_passed_over(
    delegated, opened, server, capsys, is_it
) -> None:
    server.note(directories.work())
    port = urlsplit(server.url).port if is_it else 9123
    assert cli.main(["lab", "--port", str(port)]) == 0
    said = "To have it on port 9123, stop that one with Ctrl+C first." in capsys.readouterr().out
    assert said == (not is_it)


def test_a_second_lab_without_a_browser_says_where_the_first_one_is(delegated, opened, server, lessons, capsys) -> None:
    server.note(directories.work())
    assert cli.main(["lab", "--", "--no-browser"]) == 0
    assert (delegated, opened) == ([], [])
    assert f"{server.url}lab?token=s3cret" in capsys.readouterr().out


def test_a_second_lab_for_a_projector_says_how_to_make_the_text_large(delegated, opened, server, capsys) -> None:
    server.note(directories.work())
    assert cli.main(["lab", "--present"]) == 0
    assert "`DA.present()`" in capsys.readouterr().out


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
