"""The JVM's class-data archive: Spark's classes, parsed once and mapped by every later JVM.

It halves the time to a first result.  A JVM uses it only with the very class path and Java that made it, so its
name is derived from both; where it does not fit, the JVM starts without it, only slower.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from streaming_classroom import environment
from streaming_classroom.files import directories
from streaming_classroom.setup import catalog_jar, jars, java

TIMEOUT = 300  # seconds for the workload that fills it; 20 s on two cores
KEPT = 2  # archives, each of 190 MB: two checkouts or two Javas that share a cache do not undo each other's work

# Right for lessons, wrong for throughput: see environment.fast_start. Serial collection spares the threads
# that a small heap does not need. With one tier only, the JVM would reserve 48 MB for compiled code, which
# three streams fill; it then stops compiling and everything crawls.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=240m")


def path() -> Path:
    """Return the path of the archive for this Java, these jars and this Spark."""
    search = java.find()
    identity = [str(search.java), *QUICK, *(_stamp(jar) for jar in class_path()), _stamp(jars.spark_jars())]
    digest = hashlib.sha256("\n".join(identity).encode()).hexdigest()[:16]
    return directories.cache() / "archive" / f"{digest}.jsa"


def class_path() -> list[Path]:
    """Return the jars on the class path of a session, in order."""
    return [*jars.paths(), *catalog_jar.present()]


def java_options() -> str:
    """Return the options of a JVM that starts quickly: the quick compiler and, if it exists, the archive."""
    if not environment.fast_start():
        return ""
    options = list(QUICK)
    if (archive := path()).is_file():
        # A stale archive is ignored by the JVM, which would otherwise say so on stdout.
        options += [_quoted(f"-XX:SharedArchiveFile={archive}"), "-Xlog:disable"]
    return " ".join(options)


def make() -> None:
    """Run a representative workload once and archive the classes it loaded; the archive appears complete or not at all.

    A failure raises SubprocessError or OSError; lessons start without the archive, only slower.
    """
    target = path()
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep(target.parent)
    partial = target.with_suffix(f".{os.getpid()}.part")
    # On this machine, wherever lessons run: the classes are the driver's.
    environ = os.environ | {"CLASSROOM_HOME": str(target.parent / "home"), "SPARK_MASTER": ""}
    command = [sys.executable, "-m", "streaming_classroom.session.archive_workload", str(partial)]
    try:
        with log().open("wb") as output:
            subprocess.run(command, env=environ, stdout=output, stderr=output, timeout=TIMEOUT, check=True)
        with partial.open("rb") as file:
            os.fsync(file.fileno())  # a JVM crashes with a truncated archive
        partial.replace(target)
    finally:
        _sweep(target.parent)
    archives = sorted(target.parent.glob("*.jsa"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in archives[KEPT:]:
        with suppress(OSError):  # on Windows, while a JVM has it open
            old.unlink()


def is_settled() -> bool:
    """Whether the archive exists, has failed before, or does not apply to this kind of session."""
    return not environment.fast_start() or path().is_file() or _failure_mark().exists()


def remember_failure() -> None:
    """Record the failure, so that later starts do not try again."""
    with suppress(OSError):  # a full disk, say; then they try again
        _failure_mark().parent.mkdir(parents=True, exist_ok=True)
        _failure_mark().touch()


def forget_failure() -> None:
    """Delete the record of a failure, so that the next set-up tries again."""
    with suppress(OSError):
        _failure_mark().unlink(missing_ok=True)


def log() -> Path:
    """Return the log of the workload."""
    return directories.cache() / "archive" / "archive.log"


def dump_options(target: Path) -> str:
    """Return the options of the JVM that writes the archive when it ends."""
    return " ".join([*QUICK, _quoted(f"-XX:ArchiveClassesAtExit={target}"), "-Xlog:disable"])


def _failure_mark() -> Path:
    return path().with_suffix(".failed")


def _sweep(directory: Path) -> None:
    """Remove the files of workloads, whose JVMs may have written after they were killed."""
    shutil.rmtree(directory / "home", ignore_errors=True)
    for partial in directory.glob("*.part"):
        with suppress(OSError):
            partial.unlink()


def _stamp(path: Path) -> str:
    """Return path, size and time of a file, by which the JVM itself recognizes a change."""
    try:
        status = path.stat()
    except OSError:
        return f"{path} absent"
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def _quoted(option: str) -> str:
    """Return an option with quotes if it has blanks, as spark-submit needs it."""
    return f'"{option}"' if " " in option else option
