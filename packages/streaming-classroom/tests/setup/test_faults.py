"""What stops people, made on purpose: each fault is named by the check that it is for, and repaired where it can be.

`tools/set_up_faults.py` lists the faults, and writes them into the page for readers.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from filelock import FileLock

import set_up_faults
from set_up_faults import FAULTS, Fault
from streaming_classroom.data import datasets
from streaming_classroom.files import directories, ownership
from streaming_classroom.setup import archive, doctor, guard, jars, java, locales
from streaming_classroom.setup.checks import installation, machine, variables
from streaming_classroom.setup.finding import Finding

PROJECT = directories.PROJECT
# What this machine has set, of which a check might speak.
_SET = (*variables._PROXIES, *variables._PYTHONS, *variables._OPTIONS, "PYSPARK_SUBMIT_ARGS", "PYTHONPATH")
_SET += ("SPARK_HOME", "SPARK_CONF_DIR", "SPARK_LOCAL_IP", "SPARK_REMOTE", "SPARK_MASTER", "DATABRICKS_RUNTIME_VERSION")
INJECTED: dict[str, Callable[..., Any]] = {}


class World:
    """What an injection may use: fixtures by their names, and a few short cuts."""

    def __init__(self, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.get = request.getfixturevalue
        self.at_end = request.addfinalizer
        self.tmp = tmp_path
        self.patch = monkeypatch

    @property
    def cache(self) -> Path:
        """An empty cache of the test's own."""
        return self.get("cache")

    def set(self, name: str, value: object) -> None:
        """Set a variable."""
        self.patch.setenv(name, str(value))


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Give a machine without any of the variables that a check might speak of."""
    for name in _SET:
        monkeypatch.delenv(name, raising=False)
    return World(request, tmp_path, monkeypatch)


def makes(fault: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say which fault of the list a function makes."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        INJECTED[fault] = function
        return function

    return register


# --- The machine ------------------------------------------------------------------------------------------------------


@makes("Python is too old for the course")
def _(world: World) -> str:
    world.patch.setattr(machine, "sys", SimpleNamespace(version_info=(3, 9, 0)))
    return "3.9.0"


@makes("the disk is full")
def _(world: World) -> str:
    world.patch.setattr(machine.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=5 * 2**20))
    return "5 MB free"


@makes("less than 1 GB of memory is free")
def _(world: World) -> str:
    limit = world.tmp / "memory.max"
    limit.write_text(f"{500 * 2**20}\n")
    world.patch.setattr(machine, "_CGROUPS", (str(limit),))
    return "500 MB free"


def _limit(world: World, kind: str, limit: int) -> None:
    """Give every later look at a limit what a process with this limit sees."""
    import resource

    number = getattr(resource, kind)
    code = f"import resource; resource.setrlimit({number}, ({limit}, {limit})); print(*resource.getrlimit({number}))"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    real = resource.getrlimit
    pair = tuple(map(int, seen))
    world.patch.setattr(resource, "getrlimit", lambda which: pair if which == number else real(which))


@makes("the limit of open files is low")
def _(world: World) -> str:
    _limit(world, "RLIMIT_NOFILE", 256)
    return "256 open files at most"


@makes("the limit of memory (`ulimit -v`) is low")
def _(world: World) -> str:
    _limit(world, "RLIMIT_AS", 2**31)
    return "2,147,483,648 bytes of memory at most"


@makes("the clock is wrong (behind)")
def _(world: World) -> str:
    then = (PROJECT / "course.py").stat().st_mtime - 400 * machine.DAY
    world.patch.setattr(machine, "time", SimpleNamespace(time=lambda: then))
    return "400 days behind"


def _resolve(world: World, unknown: str) -> None:
    real = socket.getaddrinfo

    def look_up(host: str, *arguments: object) -> object:
        if host == unknown:
            raise socket.gaierror(-2, "Name or service not known")
        return real(host, *arguments)  # type: ignore[arg-type]

    world.patch.setattr(machine.socket, "getaddrinfo", look_up)


@makes("`localhost` does not resolve")
def _(world: World) -> str:
    _resolve(world, "localhost")
    return "localhost is not this machine"


@makes("the machine's own name does not resolve")
def _(world: World) -> str:
    world.patch.setattr(machine.socket, "gethostname", lambda: "nowhere.invalid")
    _resolve(world, "nowhere.invalid")
    return "nowhere.invalid does not resolve"


@makes("`TMPDIR` names a folder that cannot be used")
def _(world: World) -> str:
    world.patch.setattr(tempfile, "tempdir", str(world.tmp / "gone"))  # what `tempfile` has found at its first use
    return "none can be made"


@makes("a port is taken")
def _(world: World) -> str:
    taken = socket.socket()
    world.at_end(taken.close)
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    world.patch.setattr(machine, "PORTS", {taken.getsockname()[1]: "JupyterLab"})
    return "busy"


# --- What set-up has installed ----------------------------------------------------------------------------------------


@makes("the cache cannot be written")
def _(world: World) -> str:
    world.cache.touch()
    return "File exists"


@makes("the cache is on a read-only disk")
def _(world: World) -> str:
    world.cache.mkdir()
    world.get("read_only")(world.cache)
    return "Read-only file system"


@makes("the folder for the cache has somebody else's files")
def _(world: World) -> str:
    world.cache.mkdir()
    (world.cache / "letter.txt").write_text("dear Ada")
    return "was not made by the course"


def _environment(world: World, lock: str) -> None:
    """Make this environment one of the course's, with a lock; what repairs it installs the package `tiny`."""
    site = world.tmp / "site"
    (site / "tiny-1.dist-info").mkdir(parents=True)
    (site / "tiny.py").touch()
    (site / "tiny-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
    (site / "tiny-1.dist-info" / "RECORD").write_text("tiny.py,,\ntiny-1.dist-info/METADATA,,\n")
    world.patch.syspath_prepend(str(site))
    prefix = world.tmp / "venv"
    prefix.mkdir()
    (prefix / installation.kernel_settings.MARKER).touch()
    (world.tmp / "requirements.lock").write_text(lock)
    program = (
        "import pathlib, sys\n"
        "assert sys.argv[1:] == ['setup']\n"
        f"assert pathlib.Path({str(prefix / installation.DAMAGED)!r}).read_text() == 'tiny'\n"
        f"site = pathlib.Path({str(site)!r})\n"
        "info = site / 'tiny-1.dist-info'; info.mkdir(exist_ok=True); (site / 'tiny.py').touch()\n"
        "(info / 'METADATA').write_text('Metadata-Version: 2.1\\nName: tiny\\nVersion: 2\\n')\n"
        "(info / 'RECORD').write_text('tiny.py,,\\n')\n"
    )
    (world.tmp / "course.py").write_text(program)
    world.patch.setattr(directories, "PROJECT", world.tmp)
    world.patch.setattr(installation, "sys", SimpleNamespace(prefix=str(prefix), executable=sys.executable))


@makes("a package is missing")
def _(world: World) -> str:
    _environment(
        world, "# a lock\ntiny==2 ; python_version >= '3' \\\n    --hash=sha256:0\nother==1 ; python_version < '3'\n"
    )
    shutil.rmtree(world.tmp / "site" / "tiny-1.dist-info")
    return "tiny is missing"


@makes("a package is of another version")
def _(world: World) -> str:
    _environment(world, "tiny==2 \\\n    --hash=sha256:0\n")
    return "tiny is 1"


@makes("a package lacks a file")
def _(world: World) -> str:
    _environment(world, "tiny==2\n")
    (world.tmp / "site" / "tiny-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 2\n")
    (world.tmp / "site" / "tiny.py").unlink()
    return "tiny lacks files"


@makes("no Java")
def _(world: World) -> str:
    world.get("no_java")
    world.get("archive")
    return "none"


@makes("only a Java that is too old")
def _(world: World) -> str:
    world.get("no_java")
    world.get("archive")
    world.set("JAVA_HOME", world.get("make_java")(11))
    return "JAVA_HOME has Java 11"


@makes("`JAVA_HOME` names a folder without a Java, and there is another")
def _(world: World) -> str:
    world.set("JAVA_HOME", world.tmp / "gone")
    return f"JAVA_HOME points to {world.tmp / 'gone'}, where no Java is that runs."


@makes("a Java that does not run, for another processor for instance")
def _(world: World) -> str:
    home = world.get("make_java")(17)
    (home / "bin" / java.EXECUTABLE).write_bytes(b"\x7fELF of another processor")
    world.set("JAVA_HOME", home)
    return "does not run: Exec format error"


@makes("a jar is missing")
def _(world: World) -> str:
    world.get("maven")
    return f"0 of {len(jars.locked())} sound"


@makes("a jar was downloaded in part")
def _(world: World) -> str:
    world.get("maven")
    ownership.claim(world.cache)
    jars.fetch()
    jar, path = jars.locked()[0], jars.paths()[0]
    (directories.cache() / "downloads").mkdir(exist_ok=True)
    (directories.cache() / "downloads" / jar.sha256).write_bytes(path.read_bytes()[:999])
    path.unlink()
    return f"{len(jars.locked()) - 1} of {len(jars.locked())} sound"


@makes("a jar was changed")
def _(world: World) -> str:
    world.get("maven")
    ownership.claim(world.cache)
    jars.fetch()
    with jars.paths()[-1].open("ab") as file:
        file.write(b"!")
    return f"{len(jars.locked()) - 1} of {len(jars.locked())} sound"


@makes("a dataset is missing")
def _(world: World) -> str:
    ownership.claim(world.cache)
    one = datasets.names()[0]
    world.patch.setattr(datasets, "names", lambda: (one,))
    return "missing"


def _made_archive() -> None:
    archive.path().parent.mkdir(parents=True, exist_ok=True)
    archive.path().write_text("classes")
    archive._size_note(archive.path()).write_text("7")


@makes("the class-data archive is missing")
def _(world: World) -> str:
    ownership.claim(world.cache)
    world.patch.setattr(archive, "make", _made_archive)
    return "missing: starts take twice as long"


@makes("the class-data archive could not be made before")
def _(world: World) -> str:
    ownership.claim(world.cache)
    world.patch.setattr(archive, "make", _made_archive)
    archive.remember_failure()
    return "could not be made"


@makes("Kafka's broker is not there")
def _(world: World) -> str:
    assert not world.cache.exists()
    return "not fetched yet"


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give an environment with a kernelspec of its own; Jupyter looks there, and where JUPYTER_PATH says."""
    prefix = tmp_path / "venv"
    monkeypatch.setattr(installation, "sys", SimpleNamespace(**vars(sys) | {"prefix": str(prefix)}))
    monkeypatch.setattr("jupyter_core.paths.ENV_JUPYTER_PATH", [str(prefix / "share" / "jupyter")])
    monkeypatch.setattr("jupyter_client.kernelspec.KernelSpecManager.ensure_native_kernel", False)
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
    yield kernel(prefix / "share" / "jupyter", "python")


def kernel(root: Path, program: str) -> Path:
    folder = root / "kernels" / "python3"
    folder.mkdir(parents=True)
    argv = [program, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (folder / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "x", "language": "python"}))
    return folder


@makes("the environment's kernelspec is damaged")
def _(world: World) -> str:
    (world.get("kernels") / "kernel.json").write_text("{")
    return "kernel.json cannot be read"


@makes("another kernelspec `python3` goes before the course's")
def _(world: World) -> str:
    world.get("kernels")
    kernel(world.tmp / "conda", "/opt/conda/bin/python-gone")
    world.set("JUPYTER_PATH", world.tmp / "conda")
    return "which is not the course's Python"


@makes("the home is read-only, so Jupyter cannot write there")
def _(world: World) -> str:
    (world.tmp / "home").mkdir()
    world.get("read_only")(world.tmp / "home")
    world.patch.delenv("JUPYTER_RUNTIME_DIR", raising=False)
    world.set("JUPYTER_DATA_DIR", world.tmp / "home" / "jupyter")
    return "Read-only file system"


@makes("an old JupyterLab comes first on the `PATH`")
def _(world: World) -> str:
    program = world.tmp / "bin" / "jupyter-lab"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    world.set("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return str(program)


# --- Variables --------------------------------------------------------------------------------------------------------


@makes("the locale knows ASCII only, and a path has other letters")
def _(world: World) -> str:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        world.patch.delenv(name, raising=False)
    return "Spark's JVM is started with LC_CTYPE=C.UTF-8"


@makes("`SPARK_HOME` names another Spark")
def _(world: World) -> str:
    world.set("SPARK_HOME", world.tmp / "spark-3")
    return "spark-3"


@makes("`SPARK_CONF_DIR` has another project's `spark-defaults.conf`")
def _(world: World) -> str:
    (world.tmp / "spark-defaults.conf").write_text("# theirs\nspark.master yarn\nspark.sql.shuffle.partitions=7\n\n")
    world.set("SPARK_CONF_DIR", world.tmp)
    return "wins over the course's settings: spark.master, spark.sql.shuffle.partitions"


@makes("`SPARK_LOCAL_IP` is no address of this machine")
def _(world: World) -> str:
    world.set("SPARK_LOCAL_IP", "192.0.2.1")
    return "192.0.2.1 is no address"


@makes("`SPARK_REMOTE` names a server that does not answer")
def _(world: World) -> str:
    world.set("SPARK_REMOTE", f"sc://127.0.0.1:{_closed_port()}/;user_id=ada")
    return "nobody answers at 127.0.0.1:"


def _closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@makes("`PYSPARK_PYTHON` names a Python that is gone")
def _(world: World) -> str:
    world.set("PYSPARK_PYTHON", "/opt/python-gone/bin/python3")
    return "there is no such program"


@makes("`PYSPARK_PYTHON` names a Python without this PySpark")
def _(world: World) -> str:
    program = world.tmp / "python"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    world.set("PYSPARK_PYTHON", program)
    return "No module named 'pyspark'"


@makes("`PYSPARK_SUBMIT_ARGS` does not end in `pyspark-shell`")
def _(world: World) -> str:
    world.set("PYSPARK_SUBMIT_ARGS", "--packages io.delta:delta-core_2.12:2.0.0")
    return "does not end in pyspark-shell"


@makes("`PYTHONPATH` hides a module, by another Spark's for instance")
def _(world: World) -> str:
    (world.tmp / "python" / "pyspark").mkdir(parents=True)
    (world.tmp / "python" / "pyspark" / "__init__.py").touch()
    world.set("PYTHONPATH", world.tmp / "python")
    return "pyspark of "


@makes("`_JAVA_OPTIONS` gives every JVM little memory")
def _(world: World) -> str:
    world.set("_JAVA_OPTIONS", "-Xms32m -Xmx256m")
    return "too little memory"


@makes("`DATABRICKS_RUNTIME_VERSION` is set on another machine")
def _(world: World) -> str:
    world.set("DATABRICKS_RUNTIME_VERSION", "16.4")
    return "this is no Databricks machine"


def _dead_proxy(world: World) -> str:
    world.set("https_proxy", f"http://127.0.0.1:{_closed_port()}")
    return "nobody answers at https_proxy=http://127.0.0.1:"


@makes("a proxy is set that does not answer, and set-up is not done")
def _(world: World) -> str:
    assert not world.cache.exists()
    return _dead_proxy(world)


@makes("a proxy is set that does not answer, and set-up is done")
def _(world: World) -> str:
    return _dead_proxy(world)


# --- What is held of each ---------------------------------------------------------------------------------------------

MADE_HERE = [fault for fault in FAULTS if fault.fault in INJECTED]
BY_FIX = [fault for fault in MADE_HERE if fault.repaired == "doctor --fix"]


def look(fault: Fault) -> Finding:
    """Return what the check for a fault finds; the number of a port is another one each time."""
    names = [
        name for name in doctor.checks() if name == fault.named or name.startswith(fault.named.split(" 8")[0] + " ")
    ]
    return doctor.find(doctor.checks()[names[0]])


@pytest.mark.parametrize("fault", MADE_HERE, ids=lambda fault: fault.fault)
def test_a_fault_is_named_with_what_to_do(fault: Fault, world: World) -> None:
    says = INJECTED[fault.fault](world)
    finding = look(fault)
    assert says in finding.found
    stops = not finding.ok and finding.matters
    if fault.repaired == "no need: lessons run":
        assert not stops
        assert finding.ok or finding.fix.startswith(("Nothing", "Run `python course.py setup --all`"))
    else:
        assert not finding.ok and finding.fix
        assert (finding.repair is not None) is (fault.repaired == "doctor --fix")


@pytest.mark.parametrize("fault", BY_FIX, ids=lambda fault: fault.fault)
def test_a_fault_is_repaired_and_the_repair_says_what_it_does(fault: Fault, world: World) -> None:
    INJECTED[fault.fault](world)
    repair = look(fault).repair
    assert repair is not None
    lines: list[str] = []
    repair(lines.append)
    assert lines
    after = look(fault)
    assert after.ok, after.found


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.is_the_doctors], ids=lambda fault: fault.fault)
def test_a_fault_that_is_not_there_is_not_named(fault: Fault, world: World) -> None:
    if fault.named == "no check":
        return
    if fault.named == "memory":
        world.patch.setattr(machine, "LITTLE_MB", 100)  # what others use of this machine is no fault of it
    finding = look(fault)
    assert finding.ok or not finding.matters, finding.found


def test_every_check_has_a_fault_that_fails_it() -> None:
    named = {fault.named for fault in FAULTS}
    ours = {**machine.checks(), **installation.checks(), **variables.checks()}
    assert {name for name in ours if name not in named and not name.startswith("port ")} == set()


def test_every_fault_of_the_list_is_made_here_or_by_the_test_that_it_names() -> None:
    made = INJECTED.keys() | OTHERWISE.keys()
    assert [fault.fault for fault in FAULTS if fault.shown is None and fault.fault not in made] == []
    assert made <= {fault.fault for fault in FAULTS}
    for fault in FAULTS:
        if fault.shown is not None:
            file, _, name = fault.shown.partition("::")
            assert f"def {name}" in (PROJECT / file).read_text(encoding="utf-8"), fault.shown


def test_the_page_has_the_table() -> None:
    assert set_up_faults.page() == set_up_faults.PAGE.read_text(encoding="utf-8"), "run tools/set_up_faults.py"
    assert set_up_faults.table() in set_up_faults.page()
    assert len(FAULTS) >= 30


# --- Faults that no check is for --------------------------------------------------------------------------------------


def test_a_lock_that_a_killed_set_up_left_keeps_nobody_out(cache: Path) -> None:
    ownership.claim(cache)
    (cache / "setup.lock").write_text("4711")
    code = (
        f"import os, signal, filelock; filelock.FileLock({str(cache / 'setup.lock')!r}).acquire();"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    said: list[str] = []
    with guard.only_one(said.append):
        pass
    assert said == []


def test_no_two_files_of_the_course_differ_in_upper_and_lower_case_only() -> None:
    done = subprocess.run(["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("no checkout of git")
    files = done.stdout.splitlines()
    assert len({file.casefold() for file in files}) == len(set(files)) > 100


def test_paths_with_blanks_and_other_letters_are_no_fault(cache: Path, world: World) -> None:
    assert re.search(r"ä ", str(cache))
    assert look(next(fault for fault in FAULTS if fault.named == "write access")).ok


def test_a_project_on_the_search_path_that_hides_nothing_is_no_fault(world: World) -> None:
    for module in ("mine", "test"):
        (world.tmp / "project" / module).mkdir(parents=True)
        (world.tmp / "project" / module / "__init__.py").touch()
    world.set("PYTHONPATH", world.tmp / "project")
    assert variables.checks()["PYTHONPATH"]().ok
    (world.tmp / "project" / "random.py").touch()
    assert "random of " in variables.checks()["PYTHONPATH"]().found


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({}, {"LC_CTYPE": "C.UTF-8"}),
        ({"LANG": "C"}, {"LC_CTYPE": "C.UTF-8"}),
        ({"LANG": "de_DE.utf8", "LC_ALL": "POSIX"}, {"LC_ALL": "C.UTF-8"}),
        ({"LANG": "de_DE.UTF-8"}, {}),
        ({"LANG": "C", "LC_ALL": "en_US.UTF-8"}, {}),
    ],
)
def test_a_jvm_is_told_a_locale_that_knows_all_letters_where_none_does(monkeypatch, variables, told) -> None:
    monkeypatch.setattr(locales.sys, "platform", "linux")
    assert locales.for_java(variables) == told


@pytest.mark.kernel
def test_a_session_in_a_home_with_other_letters_starts_under_the_locale_c(tmp_path: Path, run_python) -> None:
    code = (
        "from streaming_classroom import get_spark\nspark = get_spark()\n"
        "spark.range(3).write.parquet('dbfs:/ü')\nprint(spark.read.parquet('dbfs:/ü').count())"
    )
    done = run_python(code, CLASSROOM_HOME=str(tmp_path / "ü home"), LC_ALL="C")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "3"


# Made by the tests above and in tests/test_course.py, not by a check of the doctor.
OTHERWISE: dict[str, Callable[..., Any]] = {
    "a lock is left over from a set-up that was killed": test_a_lock_that_a_killed_set_up_left_keeps_nobody_out,
    "two files differ in upper and lower case only, on a disk that ignores it": (
        test_no_two_files_of_the_course_differ_in_upper_and_lower_case_only
    ),
}


def test_fix_removes_nothing_that_set_up_did_not_make(world: World, capsys) -> None:
    """A cache with everything broken, and files of somebody else's in each of its folders."""
    world.get("maven")
    world.get("archive")
    ownership.claim(world.cache)
    theirs = [world.cache / folder / "mine.txt" for folder in ("jars", "datasets", "archive", "java", ".")]
    for file in theirs:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")
    one = datasets.names()[0]
    world.patch.setattr(datasets, "names", lambda: (one,))
    world.patch.setattr(archive, "make", _made_archive)
    doctor.main(fix=True)
    assert "jars: repaired" in capsys.readouterr().out
    assert [file.read_text() for file in theirs] == ["mine"] * 5


def test_a_set_up_that_runs_is_waited_for_by_a_repair(world: World, monkeypatch) -> None:
    world.get("maven")
    ownership.claim(world.cache)
    monkeypatch.setattr(guard, "LOCK_TIMEOUT", 0.1)
    with FileLock(world.cache / "setup.lock"), pytest.raises(doctor.ClassroomError, match="Another set-up has been"):
        installation._fetch_jars(lambda _line: None)
