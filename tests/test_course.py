"""The tests of `course.py`: as a module, and as a program in a small project that needs no network to set up."""

from __future__ import annotations

import ast
import errno
import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).parents[1]
SMALL_PROJECT = Path(__file__).parent / "fixtures" / "small_project"
OTHERWISE = ("PIP_", "CLASSROOM_", "PYTHON")  # settings with which a set-up may go another way
UNREACHABLE = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_CACHE_DIR": "1"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tests send signals that Windows has not")


@pytest.fixture
def course(tmp_path: Path) -> ModuleType:
    """Load course.py, as if it lay in the test's directory."""
    shutil.copy(PROJECT / "course.py", tmp_path)
    spec = importlib.util.spec_from_file_location("course_under_test", tmp_path / "course.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Small:
    """A copy of course.py in a project whose only requirement is itself."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.venv = root / ".venv"
        self.python = self.venv / "bin" / "python"

    def start(
        self, *arguments: str, before: tuple[str, ...] = (), python: str = sys.executable, **environ: str
    ) -> subprocess.Popen[str]:
        """Start a command of the course."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OTHERWISE)}
        return subprocess.Popen(
            [*before, python, str(self.root / "course.py"), *arguments],
            env=kept | environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
        )

    def run(self, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
        """Run a command of the course to its end, which is within a minute."""
        with self.start(*arguments, **options) as process:
            try:
                out, err = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def stall(self) -> subprocess.Popen[str]:
        """Start a set-up and return when pip is in the middle of its work, where it stays."""
        (self.root / "stall").touch()
        process = self.start("lab")
        deadline = time.monotonic() + 40
        while not (self.root / "stalled").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        return process

    def go_on(self) -> None:
        """Let the builds to come not stall."""
        (self.root / "stall").unlink()

    def builds(self) -> int:
        """Return how often the project was built to its end."""
        file = self.root / "builds"
        return len(file.read_text().splitlines()) if file.exists() else 0


def make_small(root: Path) -> Small:
    shutil.copytree(SMALL_PROJECT, root, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "course.py", root)
    (root / "requirements.txt").write_text("# nothing\n", encoding="utf-8")
    return Small(root)


@pytest.fixture
def small(tmp_path: Path) -> Small:
    """Make the small project, in a directory with blanks and umlauts in its name."""
    return make_small(tmp_path / "Übung mit Blank")


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """Make the small project and set it up."""
    project = make_small(tmp_path_factory.mktemp("template") / "Übung mit Blank")
    assert project.run("lab").returncode == 7
    return project


@pytest.fixture
def ready(template: Small, tmp_path: Path) -> Small:
    """Copy the small project that is set up; that its environment says it was made here saves three seconds."""
    project = Small(tmp_path / "Übung mit Blank")
    shutil.copytree(template.root, project.root, symlinks=True)
    (project.root / "builds").unlink()
    stamp = project.venv / "course-requirements.sha256"
    stamp.write_text(stamp.read_text(encoding="utf-8").replace(str(template.root), str(project.root)), encoding="utf-8")
    return project


@pytest.fixture
def outdated(ready: Small) -> Small:
    """Give a project that is set up, but not from its present requirements."""
    (ready.root / "requirements.txt").write_text("# still nothing\n", encoding="utf-8")
    return ready


# --- Which Python ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("minor", [7, 9, 11])
def test_an_old_python_can_read_the_program(minor: int) -> None:
    ast.parse((PROJECT / "course.py").read_text(encoding="utf-8"), feature_version=(3, minor))


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 9, 0), (3, 10, 13)])
def test_an_old_python_is_told_which_one_to_take(course: ModuleType, version: tuple[int, int, int]) -> None:
    named = f"This is Python {version[0]}.{version[1]}, and the course needs 3.11 or later"
    with pytest.raises(course.CannotSetUp, match=f"{named}.*`python3.11 course.py lab`"):
        course.check_python(version)


def test_a_new_python_is_taken(course: ModuleType) -> None:
    course.check_python((3, 11, 0))
    course.check_python((4, 0, 0))


def test_an_old_python_is_refused_with_exit_code_1_and_no_traceback(course: ModuleType, monkeypatch, capsys) -> None:
    monkeypatch.setattr(course.signal, "signal", lambda *_: None)
    monkeypatch.setattr(course, "MINIMUM", (9, 1))
    assert course.main(["lab"]) == 1
    assert capsys.readouterr().err.startswith("\nThis is Python 3.")


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_a_module_it_takes_names_the_package(course: ModuleType, monkeypatch, module: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == module else find(name))
    package = "python{}.{}-venv".format(*sys.version_info)
    with pytest.raises(course.CannotSetUp, match=f"without its module `{module}`.*`sudo apt install {package}`"):
        course.make_environment()


# --- What goes wrong, in a sentence ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "Free 2 GB"),
        ("NewConnectionError('<...>: Failed to establish a new connection')", "Connect to the internet"),
        ("Temporary failure in name resolution", "Connect to the internet"),
        ("ReadTimeoutError: HTTPSConnectionPool", "Connect to the internet"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]", "Set PIP_CERT"),
        ("ERROR: No matching distribution found for pyspark==4.2.0", "Start the command with another Python"),
        ("Error: [Errno 30] Read-only file system: '/x/.venv'", "Clone the course into a folder of your own"),
        ("ERROR: something else", "ERROR: something else"),
    ],
)
def test_a_log_is_explained(course: ModuleType, tmp_path: Path, line: str, advice: str) -> None:
    log = tmp_path / "pip.log"
    log.write_text(f"Collecting x\n{line}\nmore", encoding="utf-8")
    assert advice in course.explain(str(log), "pip failed")


def test_without_a_network_the_network_is_named_and_not_what_pip_made_of_it(course: ModuleType, tmp_path: Path) -> None:
    log = tmp_path / "pip.log"
    log.write_text("NewConnectionError\nERROR: No matching distribution found for x\n", encoding="utf-8")
    assert "Connect to the internet" in course.explain(str(log), "pip failed")


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "The disk is full. Free 2 GB"),
        (errno.EROFS, "/x: Read-only file system. Clone the course into a folder of your own"),
        (errno.EACCES, "/x: Permission denied. Clone the course into a folder of your own"),
        (errno.ENOENT, "No such file or directory: '/x'. Put it right, or clone the course afresh"),
    ],
)
def test_an_error_of_the_system_is_explained(course: ModuleType, monkeypatch, number: int, advice: str) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), "/x")

    monkeypatch.setattr(course.os, "makedirs", refuse)
    with pytest.raises(course.CannotSetUp) as caught:
        course.make_ready()
    assert advice in str(caught.value)


def test_nobody_waits_for_another_set_up_for_ever(course: ModuleType, tmp_path: Path) -> None:
    with (
        course.only_one(str(tmp_path / "lock")),
        (tmp_path / "lock").open("a+") as second,
        pytest.raises(course.CannotSetUp, match="Another set-up has been running"),
    ):
        course.wait_lock(second, minutes=0.005)


# --- A set-up from beginning to end ---------------------------------------------------------------------------


def test_the_first_start_sets_up_and_the_second_does_not(small: Small) -> None:
    first = small.run("run", "07", "--save")
    assert first.returncode == 7, first.stderr
    announced, handed_over = first.stdout.splitlines()
    assert announced == "[1/5] Python environment (a minute or two, once) ..."
    assert handed_over == f"handed over: ['run', '07', '--save'] 1 {small.venv}"
    started = time.monotonic()
    second = small.run("run", "07", "--save")
    assert time.monotonic() - started < 2
    assert (second.returncode, second.stdout.splitlines()) == (7, [handed_over])
    assert small.builds() == 1


def test_another_requirement_is_installed_into_what_is_there(outdated: Small) -> None:
    (outdated.venv / "kept").touch()
    assert outdated.run("lab").returncode == 7
    assert (outdated.builds(), (outdated.venv / "kept").exists()) == (1, True)


def test_in_a_moved_project_the_environment_is_made_anew(ready: Small) -> None:
    moved = Small(ready.root.rename(ready.root.with_name("elsewhere")))
    (moved.venv / "kept").touch()
    assert moved.run("lab").stdout.splitlines()[1].endswith(str(moved.venv))
    assert not (moved.venv / "kept").exists()


def test_what_cannot_be_done_is_refused_before_anything_is_installed(small: Small) -> None:
    done = small.run("unknown")
    assert (done.returncode, done.stderr) == (2, "usage: course.py\n")
    assert not small.venv.exists()


def test_the_help_of_a_fresh_checkout_needs_no_set_up(tmp_path: Path) -> None:
    shutil.copy(PROJECT / "course.py", tmp_path)
    shutil.copytree(PROJECT / "Includes", tmp_path / "Includes", ignore=shutil.ignore_patterns("__pycache__"))
    done = Small(tmp_path).run("--help")
    assert done.returncode == 0
    assert "usage: course.py" in done.stdout
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("how", ["unreachable index", "no network"])
def test_without_a_network_a_sentence_says_so_and_a_later_start_goes_on(outdated: Small, how: str) -> None:
    small = outdated
    requirements = small.root / "requirements.txt"
    requirements.write_text("pyspark==4.2.0\n", encoding="utf-8")
    if how == "no network":
        if shutil.which("unshare") is None or subprocess.run(["unshare", "-rn", "true"]).returncode != 0:
            pytest.skip("a process without a network cannot be made here")
        done = small.run("lab", before=("unshare", "-rn"), PIP_NO_CACHE_DIR="1")
    else:
        done = small.run("lab", **UNREACHABLE)
    assert done.returncode == 1
    assert done.stderr.strip().startswith("The package index could not be reached. Connect to the internet")
    assert "Traceback" not in done.stderr
    requirements.write_text("# nothing\n", encoding="utf-8")
    assert small.run("lab").returncode == 7


def test_two_set_ups_at_once_do_the_work_once(small: Small) -> None:
    both = [small.start("lab"), small.start("lab")]
    outputs = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [7, 7]
    assert small.builds() == 1
    assert sum("Another set-up is running; waiting for it ..." in output for output in outputs) == 1


@pytest.fixture
def stalled(outdated: Small) -> Iterator[subprocess.Popen[str]]:
    """A set-up in the middle of pip's work."""
    with outdated.stall() as process:
        yield process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def test_ctrl_c_during_pip_is_exit_code_130_and_the_next_start_builds_anew(outdated: Small, stalled) -> None:
    stalled.send_signal(signal.SIGINT)
    _out, err = stalled.communicate(timeout=20)  # which ends only when pip and what it started are gone, too
    assert stalled.returncode == 130
    assert err == "\nInterrupted. The same command takes up the set-up again.\n"
    (outdated.venv / "half-made").touch()
    outdated.go_on()
    assert outdated.run("lab").returncode == 7
    assert not (outdated.venv / "half-made").exists()


def test_a_polite_kill_during_pip_leaves_no_process(outdated: Small, stalled) -> None:
    stalled.terminate()
    stalled.communicate(timeout=20)
    assert stalled.returncode == 143
    assert running_in(outdated.root) == []


def test_a_killed_set_up_is_waited_for_until_its_pip_has_ended_then_built_anew(outdated: Small, stalled) -> None:
    stalled.kill()
    stalled.wait()
    outdated.go_on()
    second = outdated.start("lab")
    assert second.stdout is not None
    assert second.stdout.readline() == "Another set-up is running; waiting for it ...\n"
    for process in running_in(outdated.root):
        if "course.py" not in " ".join(process.cmdline()):
            process.kill()
    assert second.communicate(timeout=60)[0].splitlines()[-1].startswith("handed over")
    assert outdated.builds() == 1


def running_in(root: Path) -> list:
    """Return the processes that a project's set-up started and that are still there."""
    import psutil

    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(str(root) in argument for argument in process.info["cmdline"] or ())
    ]


@pytest.mark.parametrize("cache", ["inside", "elsewhere"])
def test_a_read_only_checkout_is_one_sentence(small: Small, tmp_path: Path, cache: str) -> None:
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"]).returncode != 0:
        pytest.skip("a file system cannot be mounted here")
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    environ = {"CLASSROOM_CACHE": str(tmp_path / "cache")} if cache == "elsewhere" else {}
    done = small.run("lab", before=("unshare", "-rm", "sh", "-c", script, str(small.root)), **environ)
    assert done.returncode == 1
    assert "Clone the course into a folder of your own and run the same command again." in done.stderr
    assert "Traceback" not in done.stderr


def test_an_environment_whose_python_is_gone_is_made_anew(ready: Small) -> None:
    ready.python.unlink()
    ready.python.symlink_to("/usr/bin/python-that-was-upgraded-away")
    assert ready.run("lab").returncode == 7


def test_the_environments_own_python_can_make_it_anew(ready: Small) -> None:
    (ready.venv / "course-requirements.sha256").unlink()
    done = ready.run("lab", python=str(ready.python))
    assert done.returncode == 7, done.stderr


# --- What CI runs ---------------------------------------------------------------------------------------------


@pytest.fixture
def programs(tmp_path: Path) -> Callable[[str, str], None]:
    """Make programs in the directory `path`."""
    (tmp_path / "path").mkdir()

    def make(name: str, script: str) -> None:
        file = tmp_path / "path" / name
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)

    return make


def ci(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run .ci/run from another directory, with the made-up programs before all others."""
    environ = os.environ | {"PATH": f"{tmp_path / 'path'}:{os.environ['PATH']}"}
    command = [PROJECT / ".ci" / "run"]
    return subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60)


def test_ci_runs_the_test_command_last_and_gives_its_exit_code(tmp_path: Path, programs) -> None:
    programs("python3", '[ "$1" = -c ] && exit 0\necho "$PWD: $*"\nexit 7')
    programs("apt-get", "echo apt-get $*; exit 1")
    done = ci(tmp_path)
    assert done.returncode == 7
    assert done.stdout.splitlines()[-1] == f"{PROJECT}: course.py test"


def test_ci_takes_a_python_that_is_new_enough(tmp_path: Path, programs) -> None:
    def python(*version: int) -> str:
        """Return a script that is a Python of another version, as far as `-c` goes."""
        code = f"import sys; sys.version_info = {version}; exec(sys.argv[1])"
        return f"""[ "$1" = -c ] && exec {shlex.quote(sys.executable)} -c '{code}' "$2"\necho "{version}: $*\""""

    programs("python3", python(3, 9, 0))
    programs("python", python(3, 11, 0))
    programs("apt-get", "exit 1")
    assert ci(tmp_path).stdout.splitlines()[-1] == "(3, 11, 0): course.py test"


# --- All of it, for real; minutes, and a network ----------------------------------------------------------------


@pytest.mark.skipif(os.environ.get("COURSE_FRESH") != "1", reason="takes minutes and a network: set COURSE_FRESH=1")
def test_a_fresh_clone_sets_itself_up_and_finds_nothing_to_mend(tmp_path: Path) -> None:
    clone = tmp_path / "Kurs mit Ümläuten"
    subprocess.run(["git", "clone", "--quiet", PROJECT, clone], check=True)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CLASSROOM_")}

    def run(command: str) -> subprocess.CompletedProcess[str]:
        arguments = [sys.executable, clone / "course.py", command]
        return subprocess.run(arguments, env=environ, capture_output=True, text=True, timeout=900)

    first = run("doctor")
    assert (first.returncode, first.stderr) == (1, "")
    assert "Run `python course.py setup`" in " ".join(first.stdout.split())
    made = run("setup")
    assert (made.returncode, made.stderr) == (0, "")
    assert [line[:5] for line in made.stdout.splitlines()] == ["[3/5]", "[4/5]", "[5/5]"]
    assert run("doctor").returncode == 0
