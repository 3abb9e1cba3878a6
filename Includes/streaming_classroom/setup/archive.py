"""The class-data archive: Spark's classes, parsed and verified once, mapped into every later JVM.

It halves the time to a first result.  A JVM uses it only with the very class path and Java that made it, so its
name is derived from both; where it does not fit, the JVM starts without it, only slower.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from streaming_classroom import environment, places
from streaming_classroom.setup import jars, java

TIMEOUT = 300  # seconds for the workload that fills it; 20 s on two cores

# Right for lessons, wrong for throughput: see environment.fast_start. Serial collection spares the threads
# that a small heap does not need. With one tier only, the JVM would reserve 48 MB for compiled code, which
# three streams fill; it then stops compiling and everything crawls.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=240m")


def path() -> Path:
    """Return where the archive for this Java, these jars and this Spark is, or would be."""
    search = java.find()
    identity = [str(search.java), *QUICK, *(_stamp(jar) for jar in jars.paths()), _stamp(jars.spark_jars())]
    digest = hashlib.sha256("\n".join(identity).encode()).hexdigest()[:16]
    return places.cache() / "archive" / f"{digest}.jsa"


def java_options() -> str:
    """Return the options of a JVM that starts quickly: the quick compiler and, where it is made, the archive."""
    if not environment.fast_start():
        return ""
    options = list(QUICK)
    if path().exists():
        # A stale archive is ignored by the JVM, which would otherwise say so on stdout.
        options += [_quoted(f"-XX:SharedArchiveFile={path()}"), "-Xlog:disable"]
    return " ".join(options)


def make() -> None:
    """Run a representative workload once and keep the classes it loaded.

    The archive appears whole or not at all.  A failure is no error: lessons start without it, only slower.
    """
    target = path()
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(f".{os.getpid()}.part")
    log = target.parent / "archive.log"
    environ = os.environ | {"CLASSROOM_HOME": str(target.parent / "home")}
    command = [sys.executable, "-m", "streaming_classroom.setup.archive_workload", str(partial)]
    try:
        with log.open("wb") as output:
            subprocess.run(command, env=environ, stdout=output, stderr=output, timeout=TIMEOUT, check=True)
        _remove_others(target)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def dump_options(target: Path) -> str:
    """Return the options of the JVM that writes the archive when it ends."""
    return " ".join([*QUICK, _quoted(f"-XX:ArchiveClassesAtExit={target}"), "-Xlog:disable"])


def _remove_others(target: Path) -> None:
    """Remove the archives of other Javas and jars: each has 190 MB."""
    for other in target.parent.glob("*.jsa"):
        if other != target:
            other.unlink(missing_ok=True)


def _stamp(path: Path) -> str:
    """Return what changes when a file does; the JVM itself looks at the same facts."""
    try:
        status = path.stat()
    except OSError:
        return f"{path} absent"
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def _quoted(option: str) -> str:
    """Return an option as spark-submit splits it: a path may have blanks."""
    return f'"{option}"' if " " in option else option
