"""`course.py` as users meet it: a program in a small project whose set-up needs no network."""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from uv import find_uv_bin

PROJECT = Path(__file__).parents[1]
SMALL_PROJECT = Path(__file__).parent / "small_project"
TIMEOUT = 120  # seconds
UNREACHABLE = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_INDEX": "0", "UV_CONFIG_FILE": "/dev/null"}
HANDED_OVER = 7  # the exit code of the small project's stand-in for the package
# Starts a program as if by an old Python.
OLD_PYTHON = """
import runpy, sys
sys.version_info = (3, 9, 0, "final", 0)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tests send signals that Windows does not have")


# In place of uv's wheel: it starts the uv of the tests' environment.
UV = f"import os, sys\nos.execv({find_uv_bin()!r}, ['uv', *sys.argv[1:]])\n"


class Small:
    """A copy of course.py in a project whose only requirements, at first, are itself and uv."""

    def __init__(self, root: Path, index: Index) -> None:
        self.root = root
        self.venv = root / ".venv"
        self.index = index

    def start(self, *arguments: str, before: tuple[str, ...] = (), **environ: str) -> subprocess.Popen[str]:
        """Start a command of the course."""
        others = ("PIP_", "UV_", "CLASSROOM_", "PYTHON")  # settings that change a set-up
        kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
        return subprocess.Popen(
            [*before, sys.executable, str(self.root / "course.py"), *arguments],
            env=kept | self.index.environ | environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
        )

    def run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command of the course to its end."""
        with self.start(*arguments, **options) as process:
            try:
                out, err = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def builds(self) -> int:
        """Return how often the project was built to its end."""
        file = self.root / "builds"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def lock(self, *lines: str, name: str = "requirements.lock") -> None:
        """Write a lock; the learners' one has uv as well."""
        installers = self.index.add("uv", {"uv/__main__.py": UV}) if name == "requirements.lock" else ""
        (self.root / name).write_text("# made by hand\n" + installers + "".join(lines), encoding="utf-8")

    def installed(self, *names: str) -> list[str]:
        """Return which of these packages the environment has."""
        found = {path.name.split("-")[0] for path in self.venv.glob("lib/*/site-packages/*.dist-info")}
        return [name for name in names if name in found]

    def processes(self) -> list[psutil.Process]:
        """Return the running processes that a set-up of this project started, without course.py itself."""
        every = [(each, each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"])]
        ours = [(each, words) for each, words in every if any(str(self.root) in word for word in words)]
        return [each for each, words in ours if not any(word.endswith("course.py") for word in words)]


class Index:
    """A folder of wheels that pip and uv take instead of an index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        settings = folder / "uv.toml"
        settings.write_text(f"no-index = true\nfind-links = ['{folder}']\n", encoding="utf-8")
        pip = {"PIP_FIND_LINKS": str(folder), "PIP_NO_INDEX": "1", "PIP_NO_CACHE_DIR": "1"}
        self.environ = pip | {"UV_CONFIG_FILE": str(settings), "UV_NO_CACHE": "1"}

    def add(self, name: str, files: dict[str, str]) -> str:
        """Add a package; return its lines of a lock."""
        info = f"{name}-1.dist-info"
        files = files | {
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
        wheel = self.folder / f"{name}-1-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for file, content in files.items():
                archive.writestr(zipfile.ZipInfo(file), content, zipfile.ZIP_DEFLATED)  # no time: the hash stays
        return f"{name}==1 \\\n    --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "wheels")


@pytest.fixture
def small(tmp_path: Path, index: Index) -> Small:
    """Make the small project, in a directory with blanks and umlauts in its name."""
    root = tmp_path / "Übung mit Blank"
    shutil.copytree(SMALL_PROJECT, root, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "course.py", root)
    small = Small(root, index)
    small.lock()
    small.lock(name="requirements-dev.lock")
    return small


@pytest.fixture
def ready(small: Small) -> Small:
    """Set the small project up."""
    assert small.run("lab").returncode == HANDED_OVER
    (small.root / "builds").unlink()
    return small


@pytest.fixture
def stalled(ready: Small) -> Iterator[subprocess.Popen[str]]:
    """A set-up in the middle of uv's work, where it stays as long as there is a file `stall`."""
    ready.lock("\n")
    (ready.root / "stall").touch()
    with ready.start("lab") as process:
        deadline = time.monotonic() + TIMEOUT
        while not (ready.root / "stalled").exists():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        (ready.root / "stall").unlink()
        yield process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def test_an_old_python_is_told_which_one_to_take(small: Small) -> None:
    ast.parse((PROJECT / "course.py").read_text(encoding="utf-8"), feature_version=(3, 8))

    command = [sys.executable, "-c", OLD_PYTHON, str(small.root / "course.py"), "lab"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)

    assert done.returncode == 1
    assert done.stderr.startswith("\nThis is Python 3.9, and the course needs 3.11 or later.")
    assert "`python3.11 course.py lab`" in done.stderr
    assert not small.venv.exists()


@pytest.mark.parametrize("link", [False, True])
def test_an_environment_that_the_course_did_not_make_is_left_alone(small: Small, tmp_path: Path, link: bool) -> None:
    theirs = tmp_path / "theirs" if link else small.venv
    theirs.mkdir()
    (theirs / "pyvenv.cfg").write_text("theirs")
    if link:
        small.venv.symlink_to(theirs, target_is_directory=True)

    done = small.run("lab")

    assert done.returncode == 1
    assert "is an environment that the course did not make" in done.stderr
    assert [path.name for path in theirs.iterdir()] == ["pyvenv.cfg"]


def test_the_first_start_sets_up_and_the_second_does_nothing_again(small: Small) -> None:
    first = small.run("run", "07", "--save")
    second = small.run("run", "07", "--save")

    handed_over = f"handed over: ['run', '07', '--save'] 1 {small.venv}"
    assert (first.returncode, first.stdout.splitlines()[-1]) == (HANDED_OVER, handed_over), first.stderr
    assert first.stdout.startswith("[1/6] ")
    assert (second.returncode, second.stdout) == (HANDED_OVER, f"{handed_over}\n")
    assert small.builds() == 1


@pytest.mark.slow
def test_without_a_network_a_sentence_says_so_and_a_later_start_continues(ready: Small, index: Index) -> None:
    ready.lock(index.add("tiny", {"tiny.py": ""}))

    failed = ready.run("lab", **UNREACHABLE)
    continued = ready.run("lab")

    assert failed.returncode == 1
    assert failed.stderr.strip().startswith("The package index could not be reached. Connect to the internet")
    assert "Traceback" not in failed.stderr
    assert (continued.returncode, ready.installed("tiny")) == (HANDED_OVER, ["tiny"])


@pytest.mark.slow
def test_a_package_with_another_hash_is_not_installed(ready: Small, index: Index) -> None:
    ready.lock(index.add("tiny", {"tiny.py": "VERSION = 1\n"}))
    index.add("tiny", {"tiny.py": "VERSION = 'another'\n"})

    done = ready.run("lab")

    assert (done.returncode, ready.installed("tiny")) == (1, [])


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_set_up_leaves_no_process_and_the_next_start_repairs_it(
    ready: Small, stalled: subprocess.Popen[str], number: int, code: int
) -> None:
    stalled.send_signal(number)
    stalled.communicate(timeout=TIMEOUT)
    left = ready.processes()
    repaired = ready.run("lab")

    assert (stalled.returncode, left) == (code, [])
    assert (repaired.returncode, ready.builds()) == (HANDED_OVER, 1)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["moved", "without a Python", "half-made"])
def test_an_environment_that_cannot_be_used_is_made_again(ready: Small, fault: str) -> None:
    if fault == "moved":
        ready = Small(ready.root.rename(ready.root.with_name("elsewhere")), ready.index)
    elif fault == "without a Python":
        (ready.venv / "bin" / "python").unlink()
    else:
        (ready.venv / "course-requirements.sha256").unlink()
    (ready.venv / "left").touch()

    done = ready.run("lab")

    assert (done.returncode, ready.builds()) == (HANDED_OVER, 1)
    assert not (ready.venv / "left").exists()


@pytest.mark.slow
def test_the_packages_for_development_are_added_the_first_time_that_a_command_needs_them(
    ready: Small, index: Index
) -> None:
    ready.lock(index.add("testing", {"testing.py": ""}), name="requirements-dev.lock")

    before = (ready.run("lab").returncode, ready.installed("testing"))
    failed = ready.run("test", **UNREACHABLE)
    lessons = ready.run("lab", **UNREACHABLE)
    first = ready.run("test")
    second = ready.run("test")

    assert before == (HANDED_OVER, [])
    assert (failed.returncode, lessons.returncode) == (1, HANDED_OVER)
    assert (first.returncode, ready.installed("testing")) == (HANDED_OVER, ["testing"])
    assert len(second.stdout.splitlines()) == 1
