"""``course.py doctor``: a table of the faults that people have, each with its fix; ``--fix`` repairs.

Repairs make or fetch again the files that set-up makes.  Variables, the disk and files of other programs are the
user's, so the table only names their fix.
"""

from __future__ import annotations

import csv
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from streaming_classroom import environment
from streaming_classroom.errors import ClassroomError, SetupError
from streaming_classroom.files import directories
from streaming_classroom.setup import jars, java, steps

if TYPE_CHECKING:
    from rich.table import Table

NEEDED_MB = 1500  # jars, archive and datasets are 0.3 GB, a course's worth of lessons less than 1 GB
MEMORY_MB = 2500  # a JVM with a heap of 2 GB and a kernel
LITTLE_MB = 1000  # with less, no session starts
PORTS = {8888: "JupyterLab", 4040: "Spark's web page"}
CONNECT_TIMEOUT = 3.0  # seconds
DAMAGED = "course-damaged"  # `course.py` reinstalls the packages that this file names
NOT_SET = "not set"
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_PROXIES = ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
_MOST_NAMED = 4  # packages in a line of the table

Report = Callable[[str], None]


@dataclass(frozen=True)
class Finding:
    """The result of a check.

    ``found`` is the state and ``fix`` how to fix it; ``matters`` whether a failure keeps lessons from running;
    ``repair`` fixes the fault for `doctor --fix`, removing only files that set-up made, and reports in lines.
    """

    ok: bool
    found: str
    fix: str = ""
    matters: bool = True
    repair: Callable[[Report], None] | None = None


Check = Callable[[], Finding]


def main(fix: bool = False) -> int:
    """Print a table of the checks, with `fix` repair the faults; return 1 if one keeps lessons from running, else 0."""
    from rich.console import Console

    console = Console()
    every = checks()
    findings = {name: find(check) for name, check in every.items()}
    console.print(_table(findings))
    if fix:
        findings |= repair(every, findings)
    return 0 if all(finding.ok or not finding.matters for finding in findings.values()) else 1


def checks() -> dict[str, Check]:
    """Return the checks by name."""
    found: dict[str, Check] = {
        "Python": check_python,
        "disk": check_disk,
        "memory": check_memory,
        "write access": check_write_access,
        "packages": check_packages,
        "Java": check_java,
        "jars": check_jars,
        "Kafka's broker": check_broker,
        "datasets": check_datasets,
        "SPARK_HOME": check_spark_home,
        "proxy": check_proxy,
        **{f"port {port}": partial(check_port, port, user) for port, user in PORTS.items()},
    }
    return found | ({"cluster": check_cluster} if environment.spark_place() == "on a cluster" else {})


def find(check: Check) -> Finding:
    """Return the finding of a check; an error of the operating system is a finding as well."""
    try:
        return check()
    except OSError as error:
        return Finding(False, str(error), steps.explain(error).fix)


def repair(every: Mapping[str, Check], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Repair the faults that have a repair, and report in lines; return the findings afterwards."""
    wrong = {name: finding for name, finding in findings.items() if not finding.ok}
    after = {}
    for name, finding in wrong.items():
        if finding.repair is None:
            continue
        try:
            with steps.setup_errors():
                finding.repair(lambda line, name=name: print(f"{name}: {line}", flush=True))  # type: ignore[misc]
        except ClassroomError as error:
            print(f"{name}: not repaired. {error}")
            continue
        after[name] = find(every[name])
        print(f"{name}: {'repaired, ' if after[name].ok else 'still '}{after[name].found}", flush=True)
    left = [name for name, finding in wrong.items() if finding.matters and not after.get(name, finding).ok]
    print(
        f"For you to do, as the table says: {', '.join(left)}." if left else "Nothing is left that stands in the way."
    )
    return after


def _table(findings: Mapping[str, Finding]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in ("check", "", "found", "what to do"):
        table.add_column(column, overflow="fold")
    for name, finding in findings.items():
        if finding.ok and finding.found == NOT_SET:
            continue
        word, style = ("ok", "green") if finding.ok else ("fix", "red") if finding.matters else ("note", "yellow")
        # Text, because rich would read brackets in a path as markup.
        table.add_row(name, Text(word, style), Text(finding.found), Text("" if finding.ok else finding.fix))
    return table


def check_python() -> Finding:
    """Check Python's version."""
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(sys.version_info >= (3, 11), version, "Install Python 3.11 or later.")


def check_disk() -> Finding:
    """Check the free space on the disk of the cache, and say what the course takes."""
    folder = next(path for path in (directories.cache(), *directories.cache().parents) if path.exists())
    free = shutil.disk_usage(folder).free // 2**20
    fix = f"Free {NEEDED_MB - free:,} MB on the disk of {directories.cache()}."
    taken = {"environment": Path(sys.prefix), "cache": directories.cache(), "lessons' files": directories.home()}
    sizes = ", ".join(f"{name} {_megabytes(folder):,} MB" for name, folder in taken.items() if folder.is_dir())
    return Finding(free >= NEEDED_MB, f"{free:,} MB free; {sizes}", fix)


def _megabytes(folder: Path) -> int:
    """Return the size of the files below a folder; a file that goes away meanwhile has none."""
    total = 0
    for root, _folders, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(root, name).lstat().st_size
    return total // 2**20


def check_memory() -> Finding:
    """Check the free memory, of the container if it has a limit."""
    import psutil

    limits = [Path(file).read_text(encoding="ascii").strip() for file in _CGROUPS if Path(file).is_file()]
    free = min([psutil.virtual_memory().available, *(int(text) for text in limits if text.isdigit())]) // 2**20
    fix = f"Close other programs, or give the container more: lessons need {MEMORY_MB:,} MB."
    return Finding(free >= MEMORY_MB, f"{free:,} MB free", fix, matters=free < LITTLE_MB)


def check_write_access() -> Finding:
    """Check that cache and home are the course's own and writable."""
    claims = {
        directories.cache(): directories.claim_cache,
        directories.home(): lambda: directories.claim(directories.home()),
    }
    for folder, claim in claims.items():
        try:
            claim()
            with tempfile.TemporaryFile(dir=folder):
                pass
        except SetupError as error:
            return Finding(False, error.problem, error.fix)
        except OSError as error:
            fix = f"Make {folder} writable, or set CLASSROOM_CACHE and CLASSROOM_HOME to folders that are."
            return Finding(False, f"{folder}: {error.strerror}", fix)
    return Finding(True, "cache and home can be written")


def check_packages() -> Finding:
    """Check that the course's environment has the packages of the lock, with all their files."""
    if not Path(sys.prefix, steps.COURSE_ENVIRONMENT).is_file():
        return Finding(True, "an environment that the course did not make")
    bad = damaged_packages(directories.PROJECT / "requirements.lock")
    if not bad:
        return Finding(True, "as the lock lists them")
    named = ", ".join(f"{name} {problem}" for name, problem in list(bad.items())[:_MOST_NAMED])
    more = f" and {len(bad) - _MOST_NAMED} more" if len(bad) > _MOST_NAMED else ""
    fix = "Run `python course.py doctor --fix`, which reinstalls them."
    return Finding(False, named + more, fix, repair=partial(_reinstall, list(bad)))


def damaged_packages(lock: Path) -> dict[str, str]:
    """Return the problem of each package of a lock that is missing, of another version, or lacks files."""
    from packaging.requirements import Requirement

    problems = {}
    for line in lock.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith(("#", " ")):
            continue
        wanted = Requirement(line.rstrip(" \\"))
        if wanted.marker is not None and not wanted.marker.evaluate():
            continue
        try:
            found = metadata.distribution(wanted.name)
        except metadata.PackageNotFoundError:
            problems[wanted.name] = "is missing"
            continue
        # Not `files`, which leaves out missing files from Python 3.12 on.
        listed = [row[0] for row in csv.reader((found.read_text("RECORD") or "").splitlines()) if row]
        if f"=={found.version}" != str(wanted.specifier):
            problems[wanted.name] = f"is {found.version}"
        elif not all(Path(str(found.locate_file(file))).exists() for file in listed if not file.endswith(".pyc")):
            problems[wanted.name] = "lacks files"
    return problems


def _reinstall(names: list[str], report: Report) -> None:
    """Reinstall packages from their lock by `course.py`, which made the environment."""
    report(f"reinstalls {', '.join(names)}")
    Path(sys.prefix, DAMAGED).write_text("\n".join(names), encoding="utf-8")
    command = [sys.executable, str(directories.PROJECT / "course.py"), "setup"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SetupError(f"The packages could not be installed: {last}", "Run `python course.py setup`.")


def check_java() -> Finding:
    """Check for a Java that Spark supports."""
    search = java.find()
    if search.java is None:
        found = " ".join(search.passed_over) or "none"
        return Finding(False, found, java.install_advice(), repair=partial(_fetch, "a Java", java.find_or_fetch))
    remarks = f" ({' '.join(search.passed_over)})" if search.passed_over else ""
    return Finding(True, f"{search.java.version} in {search.java.home}{remarks}")


def check_jars() -> Finding:
    """Check the jars of Delta and Kafka against their checksums."""
    bad = jars.missing_or_damaged()
    found = f"{len(jars.locked()) - len(bad)} of {len(jars.locked())} sound"
    fix = "Run `python course.py setup` with a network; it fetches the rest."
    return Finding(not bad, found, fix, repair=partial(_fetch, "the jars", jars.fetch))


def check_broker() -> Finding:
    """Check whether Kafka's broker is in the cache."""
    missing = jars.missing_or_damaged(jars.KAFKA_BROKER)
    fix = "Run `python course.py setup --all` with a network, or the first lesson with Kafka fetches it."
    return Finding(not missing, "not fetched yet" if missing else "fetched", fix, matters=False)


def check_datasets() -> Finding:
    """Check whether the datasets are in the cache."""
    made = steps.datasets_made()
    repair = partial(_fetch, "the datasets", steps.make_datasets)
    return Finding(made, "made" if made else "missing", "Run `python course.py setup`.", repair=repair)


def _fetch(name: str, fetch: Callable[[], object], report: Report) -> None:
    report(f"makes or fetches {name}")
    with steps.setup_lock(report):
        fetch()


def check_spark_home() -> Finding:
    """Check whether SPARK_HOME names another Spark, which lessons do not use."""
    value = os.environ.get("SPARK_HOME")
    if not value:
        return Finding(True, NOT_SET)
    same = (Path(value) / "jars").is_dir() and Path(value).resolve() == jars.spark_jars().parent.resolve()
    return Finding(same, value, "Nothing: lessons use the Spark of the course. Unset it to avoid surprises.", False)


def check_proxy() -> Finding:
    """Check that the proxies of the environment answer."""
    given = {name: os.environ[name] for name in _PROXIES if os.environ.get(name)}
    dead = {name: value for name, value in given.items() if not _answers(value)}
    if not dead:
        return Finding(True, ", ".join(given.values()) or NOT_SET)
    found = f"no answer from {', '.join(f'{name}={value}' for name, value in dead.items())}"
    needed = bool(jars.missing_or_damaged()) or java.find().java is None
    fix = f"Correct or unset {' and '.join(dead)}" + (": set-up cannot fetch what it needs." if needed else ".")
    return Finding(False, found, fix if needed else f"Nothing now: all is fetched. {fix}", matters=needed)


def _answers(proxy: str) -> bool:
    try:
        address = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        port = address.port or {"https": 443, "socks5": 1080, "socks5h": 1080}.get(address.scheme, 80)
        socket.create_connection((address.hostname or "", port), timeout=CONNECT_TIMEOUT).close()
    except (OSError, ValueError):
        return False
    return True


def check_port(port: int, user: str) -> Finding:
    """Check whether a port is free."""
    with socket.socket() as probe:
        free = probe.connect_ex(("127.0.0.1", port)) != 0
    return Finding(free, "free" if free else "busy", f"Nothing: {user} takes the next free one.", matters=False)


def check_cluster() -> Finding:
    """Check that the cluster of ``SPARK_MASTER`` gives a lesson's session cores, the right Python and the home."""
    from streaming_classroom.session import cluster, spark_session  # with PySpark

    try:
        return Finding(True, cluster.summary(spark_session.get_spark()))
    except SetupError as error:
        return Finding(False, error.problem, error.fix)
