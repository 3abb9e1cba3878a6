"""Finds a Java that Spark can run on, or downloads one.

The order is ``JAVA_HOME``, the ``PATH``, the folders of usual installers, the cache.  A missing or old candidate is
skipped with a remark, because a stale ``JAVA_HOME`` must not keep a learner from a lesson.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories
from streaming_classroom.setup import jars
from streaming_classroom.setup.jars import Download

MINIMUM = 17  # Spark 4 runs on Java 17 and later
ARCHIVES = Path(__file__).parents[1] / "conf" / "java.lock"
EXECUTABLE = "java.exe" if sys.platform == "win32" else "java"

_USUAL_PLACES = {
    "linux": ("/usr/lib/jvm/*", "/usr/java/*", "/opt/java/*", "/opt/jdk*"),
    "darwin": (
        "/Library/Java/JavaVirtualMachines/*/Contents/Home",
        "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
        "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
        "/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    ),
    "win32": (
        "C:/Program Files/Java/*",
        "C:/Program Files/Eclipse Adoptium/*",
        "C:/Program Files/Microsoft/jdk*",
        "C:/Program Files/Amazon Corretto/*",
        "C:/Program Files/Zulu/*",
    ),
}
_IN_PROGRESS = "fetching"  # where an archive is unpacked, until all is there
_ANYWHERE = ("~/.sdkman/candidates/java/*", "~/.jdks/*", "~/.jabba/jdk/*")


@dataclass(frozen=True)
class Java:
    """A Java installation: its home directory and its major version."""

    home: Path
    version: int

    @property
    def executable(self) -> Path:
        """The ``java`` program."""
        return self.home / "bin" / EXECUTABLE


@dataclass(frozen=True)
class Search:
    """The result of a search: the first fitting Java or None, and the reasons why others were skipped."""

    java: Java | None
    passed_over: tuple[str, ...]


def find() -> Search:
    """Return the first Java of version 17 or later, in the order of the module's docstring."""
    passed_over = []
    for where, java_home in _candidates():
        version = _version(java_home)
        if version is None:
            passed_over.append(f"{where} points to {java_home}, where no Java is that runs.")
        elif version < MINIMUM:
            passed_over.append(f"{where} has Java {version}, and Spark needs {MINIMUM} or later.")
        else:
            return Search(Java(java_home, version), tuple(passed_over))
    return Search(None, tuple(passed_over))


def find_or_fetch() -> Java:
    """Return the first fitting Java, downloaded into the cache if there is none; SetupError if that fails."""
    search = find()
    if search.java is not None:
        return search.java
    try:
        fetched = _fetch()
    except (SetupError, LookupError, tarfile.TarError, BadZipFile) as error:
        problem = ["There is no Java 17 or later here, and none could be fetched.", *search.passed_over]
        raise SetupError(" ".join(problem), install_advice(), str(error)) from error
    return Java(fetched, _version(fetched) or MINIMUM)


def _fetch() -> Path:
    """Download a Java into the cache and return its home."""
    url, sha256 = _archive_for_here()
    file = _fetched_dir() / url.rpartition("/")[2]
    jars.download([Download(url, sha256, file)])
    place = _fetched_dir() / file.name.partition(".")[0]
    half = _fetched_dir() / _IN_PROGRESS
    shutil.rmtree(half, ignore_errors=True)
    if file.suffix == ".zip":
        with ZipFile(file) as packed:
            packed.extractall(half)
    else:
        with tarfile.open(file) as archive:
            archive.extractall(half, filter="data")  # nothing outside of the directory, whatever is in it
    shutil.rmtree(place, ignore_errors=True)
    half.replace(place)
    file.unlink()
    return next(place.glob("**/bin/" + EXECUTABLE)).parents[1]


def _archive_for_here() -> tuple[str, str]:
    """Return the address and the SHA-256 of the listed archive for this system and processor."""
    system = {"linux": "linux", "darwin": "mac", "win32": "windows"}.get(sys.platform, sys.platform)
    machine = {"amd64": "x64", "x86_64": "x64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine())
    lines = (line.split("#")[0].split() for line in ARCHIVES.read_text(encoding="utf-8").splitlines())
    listed = {where: (url, sha256) for where, url, sha256 in filter(None, lines)}
    if f"{system}-{machine}" not in listed:
        raise LookupError(f"There is no Java to be fetched for {system} on {machine}.")
    return listed[f"{system}-{machine}"]


def _candidates() -> Iterator[tuple[str, Path]]:
    """Yield the origin and the home of each possible Java, best first."""
    if os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(os.environ["JAVA_HOME"])
    if on_path := shutil.which("java"):
        yield "The PATH", _home_of(Path(on_path))
    for pattern in (*_USUAL_PLACES.get(sys.platform, _USUAL_PLACES["linux"]), *_ANYWHERE):
        path = Path(pattern).expanduser()
        anchor = Path(path.anchor)
        for java_home in sorted(anchor.glob(str(path.relative_to(anchor))), reverse=True):  # the newest version first
            if (java_home / "bin" / EXECUTABLE).exists():
                yield str(java_home), java_home
    for program in sorted(_fetched_dir().glob("**/bin/" + EXECUTABLE)):
        if _IN_PROGRESS not in program.relative_to(_fetched_dir()).parts:
            yield "The cache", program.parents[1]


def _home_of(program: Path) -> Path:
    """Return the home directory of a ``java`` on the PATH.

    On macOS and with version managers the program is a launcher outside of a Java home, which prints its home.
    """
    java_home = program.resolve().parents[1]
    if (java_home / "release").exists() or (java_home / "lib" / "modules").exists():
        return java_home
    match = re.search(r"^\s*java\.home = (.+?)\s*$", _properties(program), re.MULTILINE)
    return Path(match[1]) if match else java_home


def _version(java_home: Path) -> int | None:
    """Return the major version of the Java at ``java_home``, or None if it does not run.

    The file ``release``, which nearly every Java has, saves the start of a JVM (0.1 s).
    """
    program = java_home / "bin" / EXECUTABLE
    if not os.access(program, os.X_OK):
        return None
    release = java_home / "release"
    text = release.read_text(encoding="utf-8", errors="replace") if release.is_file() else ""
    pattern = r'(?:JAVA_VERSION="|java\.version = )(?:1\.)?(\d+)'
    match = re.search(pattern, text) or re.search(pattern, _properties(program))
    return int(match[1]) if match else None


def _properties(program: Path) -> str:
    """Return the settings that a ``java`` prints; empty if it does not run."""
    command = [str(program), "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def _fetched_dir() -> Path:
    return directories.cache() / "java"


def install_advice() -> str:
    """Return the fix for a machine without Java."""
    example = {
        "darwin": "brew install openjdk@17",
        "win32": "winget install EclipseAdoptium.Temurin.17.JRE",
    }.get(sys.platform, "sudo apt install openjdk-17-jre-headless")
    return f"Install Java {MINIMUM} or later, for example `{example}`, and run the same command again."
