"""The tests of `course.py`: as a module, and as a program in a small project that needs no network to set up."""

from __future__ import annotations

import ast
import errno
import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).parents[1]
SMALL_PROJECT = Path(__file__).parent / "small_project"
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
    """A copy of course.py in a project whose only requirement, at first, is itself."""

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
    for lock in ("requirements.lock", "requirements-dev.lock", "requirements-lint.lock"):
        (root / lock).write_text("# nothing\n", encoding="utf-8")
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
    (ready.root / "requirements.lock").write_text("# still nothing\n", encoding="utf-8")
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
    assert announced == "[1/5] Python environment (a minute, once) ..."
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


def test_an_environment_that_somebody_else_has_made_is_left_alone(small: Small) -> None:
    small.venv.mkdir()
    (small.venv / "pyvenv.cfg").write_text("theirs")
    done = small.run("lab")
    assert done.returncode == 1 and "is an environment that the course did not make" in done.stderr
    assert [path.name for path in small.venv.iterdir()] == ["pyvenv.cfg"]


def test_a_cache_that_somebody_else_has_filled_is_not_written_into(small: Small, tmp_path: Path) -> None:
    (tmp_path / "theirs" / "archive").mkdir(parents=True)
    done = small.run("lab", CLASSROOM_CACHE=str(tmp_path / "theirs"))
    assert done.returncode == 1 and "is not empty, and it was not made by the course" in done.stderr
    assert [path.name for path in (tmp_path / "theirs").rglob("*")] == ["archive"]


def test_what_cannot_be_done_is_refused_before_anything_is_installed(small: Small) -> None:
    done = small.run("unknown")
    assert (done.returncode, done.stderr) == (2, "usage: course.py\n")
    assert not small.venv.exists()


def test_the_help_of_a_fresh_checkout_needs_no_set_up(tmp_path: Path) -> None:
    shutil.copy(PROJECT / "course.py", tmp_path)
    shutil.copytree(PROJECT / "packages", tmp_path / "packages", ignore=shutil.ignore_patterns("__pycache__"))
    done = Small(tmp_path).run("--help")
    assert done.returncode == 0
    assert "usage: course.py" in done.stdout
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("how", ["unreachable index", "no network"])
def test_without_a_network_a_sentence_says_so_and_a_later_start_goes_on(outdated: Small, how: str) -> None:
    small = outdated
    requirements = small.root / "requirements.lock"
    requirements.write_text(f"pyspark==4.2.0 --hash=sha256:{'0' * 64}\n", encoding="utf-8")
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


# --- Which packages, and who installs them --------------------------------------------------------------------------

PIP_DOES = "      uv could not do it (its log is {log}); pip does, which takes a minute or two longer."
# A uv that says what it was told, and leaves the work to pip; or says why it cannot.
MADE_UP_UV = """
import json, os, pathlib, subprocess, sys
told = {name: value for name, value in os.environ.items() if name.startswith(("UV_", "SSL_", "HTTP"))}
with pathlib.Path("uv-calls").open("a") as calls:
    calls.write(json.dumps([sys.argv[1:], told]) + "\\n")
if pathlib.Path("uv-says").exists():
    print(pathlib.Path("uv-says").read_text())
    sys.exit(2)
own = ("pip", "install", "--python", sys.executable)
rest = [word for word in sys.argv[1:] if word not in own and not word.startswith("--config-settings-package")]
rest = ["--ignore-installed" if word.startswith("--reinstall") else word for word in rest]
sys.exit(subprocess.call([sys.executable, "-m", "pip", "install", *rest]))
"""


class Index:
    """A folder of wheels that pip finds instead of an index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.environ = {"PIP_FIND_LINKS": str(folder), "PIP_NO_INDEX": "1", "PIP_NO_CACHE_DIR": "1"}

    def add(self, name: str, files: dict[str, str] | None = None) -> str:
        """Put a package there; return its lines of a lock."""
        info = f"{name}-1.dist-info"
        files = (files or {f"{name}.py": "VERSION = 1\n"}) | {
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
        wheel = self.folder / f"{name}-1-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for file, content in files.items():
                archive.writestr(zipfile.ZipInfo(file), content)  # of no time: the same files have the same hash
        return f"{name}==1 \\\n    --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"

    def add_uv(self, program: str = MADE_UP_UV) -> str:
        """Put a made-up uv there; return its lines of a lock."""
        return self.add("uv", {"uv/__init__.py": "", "uv/__main__.py": program})


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "wheels")


def lock(small: Small, *lines: str, group: str = "") -> None:
    """Make that the lock of the learners' packages, or of a group."""
    name = f"requirements-{group}.lock" if group else "requirements.lock"
    (small.root / name).write_text("# made by hand\n" + "".join(lines), encoding="utf-8")


def installed(small: Small, *names: str) -> list[str]:
    """Return which of these packages the environment has."""
    found = {path.name.split("-")[0] for path in small.venv.glob("lib/*/site-packages/*.dist-info")}
    return [name for name in names if name in found]


def uv_calls(small: Small) -> list[tuple[list[str], dict[str, str]]]:
    file = small.root / "uv-calls"
    return [tuple(json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []


def test_uv_installs_what_the_lock_lists_and_pip_fetches_uv(ready: Small, index: Index) -> None:
    lock(ready, index.add_uv(), index.add("tiny"))
    done = ready.run("lab", **index.environ)
    assert (done.returncode, len(done.stdout.splitlines())) == (7, 2), done.stdout
    assert installed(ready, "uv", "tiny") == ["uv", "tiny"]
    packages, project = [call for call, _environ in uv_calls(ready)]
    assert "--require-hashes" in packages
    assert packages[-2:] == ["-r", str(ready.root / "requirements.lock")]
    assert project[-2:] == ["-e", str(ready.root / "packages" / "streaming-classroom")]
    assert all({"--no-deps", "--no-build-isolation"} <= set(call) for call in (packages, project))


@pytest.mark.parametrize("who", ["uv", "the real uv", "pip"])
def test_a_package_with_another_hash_is_refused_in_a_sentence(ready: Small, index: Index, who: str, tmp_path) -> None:
    uv = {"uv": index.add_uv, "the real uv": lambda: real_uv(index), "pip": str}[who]()
    tiny = index.add("tiny")
    lock(ready, uv, tiny)
    index.add("tiny", {"tiny.py": "VERSION = 'another'\n"})
    done = ready.run("lab", UV_CACHE_DIR=str(tmp_path / "uv"), **index.environ)
    assert (done.returncode, done.stdout.splitlines()[1:]) == (1, [])
    assert done.stderr.startswith("\nThe package index sent another file than the course was tested with.")
    assert installed(ready, "tiny") == []
    index.add("tiny")
    assert ready.run("lab", UV_CACHE_DIR=str(tmp_path / "uv"), **index.environ).returncode == 7


def real_uv(index: Index) -> str:
    """Put a package there that starts the uv of the environment that the tests run in."""
    uv = pytest.importorskip("uv").find_uv_bin()
    return index.add_uv(f"import os, sys; os.execv({uv!r}, [{uv!r}, *sys.argv[1:]])")


def test_the_real_uv_understands_what_it_is_told(ready: Small, index: Index, tmp_path: Path) -> None:
    lock(ready, real_uv(index), index.add("tiny"))
    lock(ready, index.add("testing"), group="dev")
    done = ready.run("test", UV_CACHE_DIR=str(tmp_path / "uv"), **index.environ)
    assert done.returncode == 7, done.stderr
    assert "pip does" not in done.stdout
    assert installed(ready, "tiny", "testing") == ["tiny", "testing"]


def test_where_uv_fails_pip_installs_from_the_same_lock_and_a_line_says_so(ready: Small, index: Index) -> None:
    lock(ready, index.add_uv(), index.add("tiny"))
    (ready.root / "uv-says").write_text("error: something that only happens to uv")
    done = ready.run("lab", **index.environ)
    assert done.returncode == 7, done.stderr
    assert done.stdout.splitlines()[1:-1] == [PIP_DOES.format(log=ready.root / ".cache" / "logs" / "uv.log")]
    assert installed(ready, "tiny") == ["tiny"]


def test_where_uv_cannot_be_had_pip_installs_the_rest(ready: Small, index: Index) -> None:
    lock(ready, "uv==1 --hash=sha256:" + "0" * 64 + "\n", index.add("tiny"))
    done = ready.run("lab", **index.environ)
    assert done.returncode == 7, done.stderr
    assert done.stdout.splitlines()[1:-1] == [PIP_DOES.format(log=ready.root / ".cache" / "logs" / "pip.log")]
    assert installed(ready, "tiny") == ["tiny"]


@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        ("error: No space left on device (os error 28)", "The disk is full."),
        ("error: Failed to fetch\n  cause: dns error", "The package index could not be reached."),
        ("error: Hash mismatch for `tiny==1`", "The package index sent another file"),
    ],
)
def test_pip_is_not_tried_for_what_it_cannot_mend(ready: Small, index: Index, says: str, sentence: str) -> None:
    lock(ready, index.add_uv(), index.add("tiny"))
    (ready.root / "uv-says").write_text(says)
    done = ready.run("lab", **index.environ)
    assert (done.returncode, installed(ready, "tiny")) == (1, [])
    assert done.stderr.strip().startswith(sentence)
    assert len(done.stdout.splitlines()) == 1


@pytest.fixture
def pip_conf(course: ModuleType, monkeypatch, tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """Make pip's file of settings; return what uv's environment becomes by it."""
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_")) or "proxy" in name.lower()]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setattr(course, "PYTHON", sys.executable)

    def environment(text: str) -> dict[str, str]:
        (tmp_path / "pip.conf").write_text(text, encoding="utf-8")
        # Without a text, not even the machine's own files are read.
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf") if text else os.devnull)
        return course.uv_environment(course.pip_settings())

    return environment


@pytest.mark.parametrize(
    ("setting", "name", "value"),
    [
        ("index-url = https://a.example/simple", "UV_DEFAULT_INDEX", "https://a.example/simple"),
        ("extra-index-url = https://a.example\n  https://b.example", "UV_INDEX", "https://a.example https://b.example"),
        ("extra-index-url = https://a.example", "UV_INDEX_STRATEGY", "unsafe-best-match"),
        ("find-links = https://a.example/x\n  {tmp}\n  {tmp}/gone", "UV_FIND_LINKS", "https://a.example/x,{tmp}"),
        ("trusted-host = a.example\n  b.example:8080", "UV_INSECURE_HOST", "a.example b.example:8080"),
        ("cert = /etc/a.pem", "SSL_CERT_FILE", "/etc/a.pem"),
        ("client-cert = /etc/a.pem", "SSL_CLIENT_CERT", "/etc/a.pem"),
        ("proxy = a.example:3128", "HTTPS_PROXY", "http://a.example:3128"),
        ("proxy = http://a.example:3128", "HTTP_PROXY", "http://a.example:3128"),
        ("timeout = 60", "UV_HTTP_TIMEOUT", "60"),
        ("retries = 9", "UV_HTTP_RETRIES", "9"),
        ("no-cache-dir = true", "UV_NO_CACHE", "1"),
        ("", "UV_SYSTEM_CERTS", "1"),
    ],
)
def test_uv_is_told_what_pip_is_set_to(pip_conf, tmp_path: Path, setting: str, name: str, value: str) -> None:
    environment = pip_conf("[global]\n" + setting.format(tmp=tmp_path))
    assert environment.get(name) == value.format(tmp=tmp_path)


def test_of_pips_settings_the_more_special_one_counts(pip_conf, monkeypatch) -> None:
    text = "[global]\nindex-url = https://a.example\ntimeout = 1\n[install]\nindex-url = https://b.example\n"
    monkeypatch.setenv("PIP_TIMEOUT", "2")
    environment = pip_conf(text)
    assert (environment["UV_DEFAULT_INDEX"], environment["UV_HTTP_TIMEOUT"]) == ("https://b.example", "2")


@pytest.mark.parametrize(("own", "not_set"), [("UV_DEFAULT_INDEX", ""), ("UV_INDEX_URL", "UV_DEFAULT_INDEX")])
def test_what_is_set_for_uv_itself_stays(pip_conf, monkeypatch, own: str, not_set: str) -> None:
    monkeypatch.setenv(own, "https://own.example")
    environment = pip_conf("[global]\nindex-url = https://a.example")
    assert environment[own] == "https://own.example"
    assert not_set not in environment


def test_without_any_setting_uv_is_told_nothing_but_to_trust_the_system(pip_conf) -> None:
    assert {name for name in pip_conf("") if name not in os.environ} == {"UV_SYSTEM_CERTS"}


def test_no_index_is_handed_on_as_an_option(ready: Small, index: Index) -> None:
    lock(ready, index.add_uv())
    ready.run("lab", **index.environ)
    calls = uv_calls(ready)
    assert all("--no-index" in call for call, _environ in calls)
    assert calls[0][1]["UV_FIND_LINKS"] == str(index.folder)


# --- What only some commands need -------------------------------------------------------------------------------------


def test_a_group_is_added_the_first_time_that_a_command_needs_it(ready: Small, index: Index) -> None:
    lock(ready, index.add("testing"), group="dev")
    assert ready.run("lab").returncode == 7
    assert installed(ready, "testing") == []
    first = ready.run("test", **index.environ)
    assert first.returncode == 7, first.stderr
    assert first.stdout.splitlines()[0] == "[1/5] What only `test` needs (once) ..."
    assert installed(ready, "testing") == ["testing"]
    assert len(ready.run("test").stdout.splitlines()) == 1
    assert len(ready.run("lab").stdout.splitlines()) == 1
    assert ready.builds() == 0


def test_a_strict_run_needs_the_linter_and_a_plain_run_does_not(course: ModuleType) -> None:
    wanted = [course.group_for(words.split()) for words in ("run --strict x", "run x", "lint", "lab -- --strict", "")]
    assert wanted == ["lint", None, "lint", None, None]


def test_a_group_whose_lock_has_changed_is_brought_up_to_date(ready: Small, index: Index) -> None:
    ready.run("test")
    lock(ready, index.add("testing"), group="dev")
    assert ready.run("lab").stdout.splitlines()[0].startswith("handed over")
    assert ready.run("test", **index.environ).returncode == 7
    assert installed(ready, "testing") == ["testing"]
    stamp = (ready.venv / "course-requirements.sha256").read_text(encoding="utf-8")
    assert stamp.count("dev ") == 1  # else going back to the former lock would go unnoticed


def test_two_groups_stay_side_by_side(ready: Small) -> None:
    for command in ("test", "lint", "test", "lint", "lab"):
        last = ready.run(command)
    assert [len(ready.run(command).stdout.splitlines()) for command in ("test", "lint")] == [1, 1]
    assert last.returncode == 7


def test_a_group_that_cannot_be_had_leaves_the_lessons_running(ready: Small, index: Index) -> None:
    lock(ready, f"testing==1 --hash=sha256:{'0' * 64}\n", group="dev")
    assert ready.run("test", **UNREACHABLE).returncode == 1
    done = ready.run("lab", **UNREACHABLE)
    assert (done.returncode, len(done.stdout.splitlines())) == (7, 1)
    lock(ready, index.add("testing"), group="dev")
    assert ready.run("test", **index.environ).returncode == 7


def test_what_an_interrupted_addition_left_half_is_installed_again(ready: Small, index: Index) -> None:
    lock(ready, index.add("testing"), group="dev")
    ready.run("test", **index.environ)
    (module,) = ready.venv.glob("lib/*/site-packages/testing.py")
    module.unlink()
    next(ready.venv.glob("lib/*/site-packages/testing-1.dist-info/RECORD")).unlink()
    stamp = ready.venv / "course-requirements.sha256"
    stamp.write_text("".join(stamp.read_text(encoding="utf-8").splitlines(True)[:2]), encoding="utf-8")
    (ready.venv / "course-adding").touch()
    done = ready.run("test", **index.environ)
    assert done.returncode == 7, done.stderr
    assert module.exists()
    assert not (ready.venv / "course-adding").exists()


# --- What the doctor finds broken -------------------------------------------------------------------------------------


def test_what_the_doctor_names_is_installed_anew_and_the_groups_stay(ready: Small, index: Index) -> None:
    lock(ready, index.add_uv(), index.add("tiny"), index.add("whole"))
    lock(ready, index.add("testing"), group="dev")
    ready.run("test", **index.environ)
    (module,) = ready.venv.glob("lib/*/site-packages/tiny.py")
    module.unlink()
    (ready.venv / "course-damaged").write_text("tiny")
    (ready.root / "uv-calls").unlink()
    done = ready.run("lab", **index.environ)
    assert done.returncode == 7, done.stderr
    packages = uv_calls(ready)[0][0]
    assert [word for word in packages if word.startswith("--reinstall")] == ["--reinstall-package=tiny"]
    assert not (ready.venv / "course-damaged").exists()
    assert (len(ready.run("lab").stdout.splitlines()), len(ready.run("test").stdout.splitlines())) == (1, 1)


def test_a_doctor_that_does_not_start_says_so_and_fix_installs_its_packages_anew(ready: Small) -> None:
    """The stand-in of the package has no doctor at all."""
    plain = ready.run("doctor")
    assert plain.returncode == 1
    assert "is damaged (ModuleNotFoundError: No module named 'streaming_classroom.setup'" in plain.stderr
    assert "`python course.py doctor --fix` installs its packages anew." in plain.stderr
    assert ready.builds() == 0
    fixed = ready.run("doctor", "--fix")
    assert "its packages are installed anew" in fixed.stdout
    assert (fixed.returncode, ready.builds()) == (7, 1)
    assert not (ready.venv / "course-damaged").exists()


def test_a_fresh_checkout_gets_both_for_the_tests(small: Small, index: Index) -> None:
    lock(small, index.add("tiny"))
    lock(small, index.add("testing"), group="dev")
    done = small.run("test", **index.environ)
    assert [line[:5] for line in done.stdout.splitlines()] == ["[1/5]", "[1/5]", "hande"]
    assert installed(small, "tiny", "testing") == ["tiny", "testing"]


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
    assert [line[:5] for line in made.stdout.splitlines()] == ["[2/5]", "[3/5]", "[4/5]", "[5/5]"]
    assert run("doctor").returncode == 0
