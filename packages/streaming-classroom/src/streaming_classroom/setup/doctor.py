"""``course.py doctor``: checks what the course needs, and names the fix of each failing check."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from streaming_classroom import environment
from streaming_classroom.files import directories, ownership
from streaming_classroom.setup import archive, cluster_checks, guard, jars, java, steps
from streaming_classroom.setup.finding import Finding

if TYPE_CHECKING:
    from rich.table import Table

NEEDED_MB = 1500  # jars, archive and datasets are 0.3 GB, a course's worth of lessons less than 1 GB
PORTS = {8888: "JupyterLab", 4040: "Spark's web page"}

_OK = ("ok", "green")
_MARKS = {(True, True): _OK, (True, False): _OK, (False, True): ("fix", "red"), (False, False): ("note", "yellow")}


def main() -> int:
    """Print a table of the checks; return 0 if nothing stands in the way, else 1."""
    from rich.console import Console

    findings = {name: _find(check) for name, check in checks().items()}
    Console().print(_table(findings))
    return 0 if all(finding.ok or not finding.matters for finding in findings.values()) else 1


def _find(check: Callable[[], Finding]) -> Finding:
    """Return what a check finds; one that the system keeps from looking has found something as well."""
    try:
        return check()
    except OSError as error:
        return Finding(False, str(error), guard.explained(error).fix)


def _table(findings: Mapping[str, Finding]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in ("check", "", "found", "what to do"):
        table.add_column(column, overflow="fold")
    for name, finding in findings.items():
        word, style = _MARKS[(finding.ok, finding.matters)]
        # Text, because a path with brackets in it is no markup.
        table.add_row(name, Text(word, style), Text(finding.found), Text("" if finding.ok else finding.fix))
    return table


def checks() -> dict[str, Callable[[], Finding]]:
    """Return the checks by name, in the order in which set-up meets them."""
    return {
        "Python": _python,
        "write access": _write_access,
        "disk": _disk,
        "Java": _java,
        "SPARK_HOME": _spark_home,
        "jars": _jars,
        "Kafka's broker": _broker,
        "datasets": _datasets,
        "archive": _archive,
        **{f"port {port}": _port_check(port, user) for port, user in PORTS.items()},
        **cluster_checks.checks(),
    }


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(sys.version_info >= (3, 11), version, "Install Python 3.11 or later.")


def _write_access() -> Finding:
    claims = {
        directories.cache(): ownership.claim_cache,
        directories.home(): lambda: ownership.claim(directories.home()),
    }
    for folder, claim in claims.items():
        try:
            claim()
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            fix = f"Make {folder} writable, or set CLASSROOM_CACHE and CLASSROOM_HOME to folders that are."
            return Finding(False, f"{folder}: {error.strerror}", fix)
    return Finding(True, "cache and home can be written")


def _disk() -> Finding:
    folder = next(path for path in (directories.cache(), *directories.cache().parents) if path.exists())
    free = shutil.disk_usage(folder).free // 2**20
    fix = f"Free {NEEDED_MB - free:,} MB on the disk of {directories.cache()}."
    return Finding(free >= NEEDED_MB, f"{free:,} MB free", fix)


def _java() -> Finding:
    search = java.find()
    if search.java is None:
        return Finding(False, " ".join(search.passed_over) or "none", java.install_advice())
    remarks = f" ({' '.join(search.passed_over)})" if search.passed_over else ""
    return Finding(True, f"{search.java.version} in {search.java.home}{remarks}")


def _spark_home() -> Finding:
    value = os.environ.get("SPARK_HOME")
    if not value:
        return Finding(True, "not set")
    same = (Path(value) / "jars").is_dir() and Path(value).resolve() == jars.spark_jars().parent.resolve()
    return Finding(same, value, "Nothing: lessons use the Spark of the course. Unset it to avoid surprises.", False)


def _jars() -> Finding:
    bad = jars.missing_or_damaged()
    found = f"{len(jars.locked()) - len(bad)} of {len(jars.locked())} sound"
    return Finding(not bad, found, "Run `python course.py setup` with a network; it repairs the rest.")


def _broker() -> Finding:
    missing = jars.missing_or_damaged(jars.KAFKA_BROKER)
    fix = "Run `python course.py setup --all` with a network, or the first lesson with Kafka fetches it."
    return Finding(not missing, "not fetched yet" if missing else "fetched", fix, matters=False)


def _datasets() -> Finding:
    made = steps.datasets_made()
    return Finding(made, "made" if made else "missing", "Run `python course.py setup`.")


def _archive() -> Finding:
    if not environment.fast_start():
        return Finding(True, "not used in this kind of session")
    if archive.is_made():
        return Finding(True, "made")
    if archive.has_failed():
        fix = f"See {archive.log()}, then run `python course.py setup`, which tries again."
        return Finding(False, "could not be made: starts take twice as long", fix, matters=False)
    return Finding(False, "missing: starts take twice as long", "Run `python course.py setup`.", matters=False)


def _port_check(port: int, user: str) -> Callable[[], Finding]:
    def check() -> Finding:
        with socket.socket() as probe:
            free = probe.connect_ex(("127.0.0.1", port)) != 0
        return Finding(free, "free" if free else "busy", f"Nothing: {user} takes the next free one.", matters=False)

    return check
