"""Find a Java that Spark can run on, and fetch one where there is none.

``JAVA_HOME`` first, then the ``PATH``, then the places where the usual installers put it, then the cache.  A
candidate that is not there or too old is passed over with a remark, because a stale ``JAVA_HOME`` must not
keep a learner from a lesson.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from streaming_classroom import places
from streaming_classroom.errors import JavaNotFound

MINIMUM = 17  # Spark 4 runs on Java 17 and later
FETCHED = "temurin-jre:17"
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
    """What a search found: the first fitting Java, or None, and what was passed over and why."""

    java: Java | None
    passed_over: tuple[str, ...]


def find() -> Search:
    """Return the first Java of version 17 or later, in the order that the module's docstring gives."""
    passed_over = []
    for where, java_home in _candidates():
        version = _version(java_home)
        if version is None:
            passed_over.append(f"{where} points to {java_home}, where no Java is.")
        elif version < MINIMUM:
            passed_over.append(f"{where} has Java {version}, and Spark needs {MINIMUM} or later.")
        else:
            return Search(Java(java_home, version), tuple(passed_over))
    return Search(None, tuple(passed_over))


def find_or_fetch() -> Search:
    """Return what :func:`find` does; where it finds nothing, fetch a Java into the cache.

    Raises
    ------
    JavaNotFound
        None was found and none could be fetched.
    """
    search = find()
    if search.java is not None:
        return search
    try:
        import cjdk

        vendor, version = FETCHED.split(":")
        java_home = cjdk.java_home(vendor=vendor, version=version, cache_dir=_fetched_dir())
    except Exception as error:  # whatever a download can raise; cjdk has no root of its own for it
        raise JavaNotFound(
            problem=" ".join(["There is no Java 17 or later here, and none could be fetched.", *search.passed_over]),
            fix=install_advice(),
            detail=f"{type(error).__name__}: {error}",
        ) from error
    fetched = Path(java_home)
    return Search(Java(fetched, _version(fetched) or MINIMUM), search.passed_over)


def _candidates() -> Iterator[tuple[str, Path]]:
    """Yield where-it-comes-from and home of each possible Java, best first."""
    if os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(os.environ["JAVA_HOME"])
    if on_path := shutil.which("java"):
        yield "The PATH", _home_of(Path(on_path))
    for pattern in (*_USUAL_PLACES.get(sys.platform, _USUAL_PLACES["linux"]), *_ANYWHERE):
        for java_home in _glob(pattern):
            if (java_home / "bin" / EXECUTABLE).exists():
                yield str(java_home), java_home
    for java_home in sorted(_fetched_dir().glob("**/bin/" + EXECUTABLE)):
        yield "The cache", java_home.parents[1]


def _home_of(program: Path) -> Path:
    """Return the home directory of a ``java`` found on the PATH.

    On macOS and with version managers the program is a launcher that is in no Java home; it is asked.
    """
    java_home = program.resolve().parents[1]
    if (java_home / "release").exists() or (java_home / "lib" / "modules").exists():
        return java_home
    match = re.search(r"^\s*java\.home = (.+?)\s*$", _ask(program, "-XshowSettings:properties"), re.MULTILINE)
    return Path(match[1]) if match else java_home


def _version(java_home: Path) -> int | None:
    """Return the major version of the Java at ``java_home``, or None if there is none that runs.

    The file ``release``, which every Java has had since 9, is read instead of starting a JVM: 0.1 s saved.
    """
    if not (java_home / "bin" / EXECUTABLE).exists():
        return None
    try:
        text = (java_home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = _ask(java_home / "bin" / EXECUTABLE, "-XshowSettings:properties")
    match = re.search(r'(?:JAVA_VERSION="|java\.version = )(?:1\.)?(\d+)', text)
    return int(match[1]) if match else None


def _ask(program: Path, option: str) -> str:
    """Return what ``java OPTION -version`` prints, or nothing if it does not run."""
    try:
        done = subprocess.run([program, option, "-version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def _glob(pattern: str) -> list[Path]:
    """Return the directories that match an absolute pattern, newest version last names first."""
    path = Path(pattern).expanduser()
    anchor = Path(path.anchor)
    return sorted(anchor.glob(str(path.relative_to(anchor))), reverse=True)


def _fetched_dir() -> Path:
    return places.cache() / "java"


def install_advice() -> str:
    """Return the one thing to do where there is no Java."""
    example = {
        "darwin": "brew install openjdk@17",
        "win32": "winget install EclipseAdoptium.Temurin.17.JRE",
    }.get(sys.platform, "sudo apt install openjdk-17-jre-headless")
    return f"Install Java {MINIMUM} or later, for example `{example}`, and run the same command again."
