"""Jars: resolved once, verified by checksum, kept in the cache.

``spark.jars.packages`` asks the network at every session start and hides the jars from the class-data archive.
Here Ivy, which PySpark ships, fetches exactly the modules listed in a lock file into one directory, and a jar
counts as present only when its SHA-256 is the listed one.  There are two such lists: what Spark needs beside what
PySpark ships, and Kafka's broker, which is a program of its own.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as remember
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import quoteattr

from streaming_classroom import places
from streaming_classroom.errors import JarsUnavailable, JavaNotFound
from streaming_classroom.setup.java import Java, install_advice

CONF = Path(__file__).parents[1] / "conf"
FETCH_TIMEOUT = 900  # seconds; 45 MB over a slow line
_SCRATCH = "jars-"


@dataclass(frozen=True)
class Jar:
    """One module: Maven coordinates and the SHA-256 of its jar, lower-case hexadecimal."""

    organisation: str
    module: str
    revision: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The name of the jar in the cache."""
        return f"{self.module}-{self.revision}.jar"


@dataclass(frozen=True)
class JarSet:
    """Jars that belong together: the file that lists them, and the folder of the cache that they are in."""

    lock_file: Path
    folder: str


SPARK = JarSet(CONF / "jars.lock", "jars")
KAFKA_BROKER = JarSet(CONF / "kafka-broker.lock", "kafka-broker")


def directory(of: JarSet = SPARK) -> Path:
    """Where the jars are."""
    return places.cache() / of.folder


@remember
def locked(of: JarSet = SPARK) -> tuple[Jar, ...]:
    """Return the jars of the lock file, in class-path order."""
    lines = (line.split("#")[0].split() for line in of.lock_file.read_text(encoding="utf-8").splitlines())
    return tuple(Jar(*coordinates.split(":"), sha256) for coordinates, sha256 in filter(None, lines))


def paths(of: JarSet = SPARK) -> list[Path]:
    """Return the paths of the locked jars, whether they are there or not, in class-path order."""
    return [directory(of) / jar.file_name for jar in locked(of)]


def missing_or_damaged(of: JarSet = SPARK) -> list[Jar]:
    """Return the locked jars that are not in the cache with the listed checksum."""
    return [jar for jar in locked(of) if not _is_sound(directory(of) / jar.file_name, jar.sha256)]


def fetch(java: Java, wanted: Sequence[Jar] | None = None, of: JarSet = SPARK) -> None:
    """Bring the wanted jars into the cache; each appears there whole or not at all.

    Call it under the lock of the set-up, which is what makes it safe to clear away an interrupted one's files.

    Parameters
    ----------
    java : Java
        What runs Ivy.
    wanted : sequence of Jar, optional
        By default, the missing and damaged ones.
    of : JarSet, optional
        What they belong to, which decides on the folder they go to.

    Raises
    ------
    JarsUnavailable
        Ivy could not fetch one, or what it fetched has another checksum.
    JavaNotFound
        The Java that was found does not run.
    """
    wanted = missing_or_damaged(of) if wanted is None else wanted
    if not wanted:
        return
    directory(of).mkdir(parents=True, exist_ok=True)
    for left_over in places.cache().glob(_SCRATCH + "*"):
        shutil.rmtree(left_over, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=places.cache(), prefix=_SCRATCH) as scratch:
        log = _run_ivy(java, wanted, Path(scratch))
        _keep_sound(wanted, Path(scratch) / "out", directory(of), log)
    # Kept only while something is missing: then the next try takes up what this one downloaded.
    shutil.rmtree(_downloads(), ignore_errors=True)


def _keep_sound(wanted: Sequence[Jar], out: Path, place: Path, log: str) -> None:
    """Move the sound ones of the fetched jars to ``place``; raise JarsUnavailable about the others."""
    bad = []
    for jar in wanted:
        if _is_sound(out / jar.file_name, jar.sha256):
            (out / jar.file_name).replace(place / jar.file_name)
        else:
            bad.append(jar)
    damaged = [jar for jar in bad if (out / jar.file_name).exists()]
    if damaged:
        shutil.rmtree(_downloads(), ignore_errors=True)
    if bad:
        raise _unavailable((damaged or bad)[0], bool(damaged), log)


def _run_ivy(java: Java, wanted: Sequence[Jar], scratch: Path) -> str:
    """Let Ivy retrieve the wanted modules below ``scratch/out``; return what it printed."""
    (scratch / "settings.xml").write_text(_settings(), encoding="utf-8")
    (scratch / "ivy.xml").write_text(_module_descriptor(wanted), encoding="utf-8")
    pattern = scratch.as_posix() + "/out/[artifact]-[revision].[ext]"
    command = [java.executable, "-cp", _ivy_jar(), "org.apache.ivy.Main"]
    command += ["-settings", scratch / "settings.xml", "-ivy", scratch / "ivy.xml"]
    command += ["-retrieve", pattern, "-types", "jar", "bundle"]
    try:
        # Ivy ends with 0 or 1 by its mood; the checksums below are the judge.
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=FETCH_TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"Ivy timed out: it had not finished after {FETCH_TIMEOUT} s."
    except OSError as error:
        raise JavaNotFound(f"{java.executable} does not run: {error.strerror}.", install_advice()) from error
    return done.stdout + done.stderr


def _downloads() -> Path:
    return places.cache() / "ivy"


def _settings() -> str:
    """Return Ivy's settings: a cache of its own, so that nobody's ``~/.ivy2`` can break or be broken.

    A resolver without a root takes the default Maven repository; an organisation's mirror is set in
    ``CLASSROOM_MAVEN_REPOSITORY``.  Without its own limits Ivy would wait minutes for each jar where a firewall
    swallows what it sends.
    """
    mirror = os.environ.get("CLASSROOM_MAVEN_REPOSITORY")
    root = f" root={quoteattr(mirror)}" if mirror else ""
    return (
        '<ivysettings><settings defaultResolver="maven"/>'
        '<timeout-constraints><timeout-constraint name="limits" connectionTimeout="5000" readTimeout="20000"/>'
        f"</timeout-constraints><caches defaultCacheDir={quoteattr(str(_downloads()))}/>"
        f'<resolvers><ibiblio name="maven" m2compatible="true" timeoutConstraint="limits"{root}/></resolvers>'
        "</ivysettings>"
    )


def _module_descriptor(wanted: Sequence[Jar]) -> str:
    """Return an Ivy file that asks for the wanted modules alone: what else they need is listed or in PySpark."""
    dependencies = "".join(
        f'<dependency org="{jar.organisation}" name="{jar.module}" rev="{jar.revision}" '
        'transitive="false" conf="default->default,master"/>'
        for jar in wanted
    )
    return (
        '<ivy-module version="2.0"><info organisation="course" module="jars"/>'
        '<configurations><conf name="default"/></configurations>'
        f"<dependencies>{dependencies}</dependencies></ivy-module>"
    )


def _unavailable(jar: Jar, damaged: bool, log: str) -> JarsUnavailable:
    """Return the error that says why a jar is not to be had."""
    if "No space left" in log:
        return JarsUnavailable(
            f"The disk of {places.cache()} is full.", "Free 1 GB there, and run the same command again."
        )
    if damaged:
        return JarsUnavailable(
            problem=f"The repository sent another file as {jar.file_name} than the course was tested with.",
            fix="Check the repository or proxy between here and Maven Central, then run the same command again.",
        )
    words = [line.strip() for line in log.splitlines() if re.search(r"Exception|Host .* not found|timed out", line)]
    return JarsUnavailable(
        problem=f"{jar.file_name} could not be fetched.",
        fix="Connect to the internet and run the same command again; what was fetched is kept.",
        detail="\n".join(words[:3]),
    )


def _is_sound(path: Path, sha256: str) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False


def _ivy_jar() -> Path:
    """Return Ivy's jar, which PySpark ships."""
    found = sorted(spark_jars().glob("ivy-*.jar"))
    if not found:
        raise JarsUnavailable("PySpark is not installed here.", "Start with `python course.py` instead.")
    return found[0]


def spark_jars() -> Path:
    """Return the directory of PySpark's own jars, found without importing PySpark (0.1 s)."""
    spec = find_spec("pyspark")
    return Path(spec.origin).parent / "jars" if spec and spec.origin else Path("no-pyspark")
