"""The jar with the class of catalogs, compiled once for this Spark, this Delta and these sources.

A session without it has no catalogs but Spark's own; nothing else depends on it.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from notebook_dialect.catalogs import building
from streaming_classroom.files import directories
from streaming_classroom.setup import jars, java


def path() -> Path:
    """Return the path of the jar for these sources and jars, present or missing."""
    content = hashlib.sha256()
    for source in building.sources():
        content.update(source.read_bytes())
    for jar in jars.locked():
        content.update(jar.sha256.encode())
    content.update(str(jars.spark_jars()).encode())
    return directories.cache() / "catalogs" / f"catalogs-{content.hexdigest()[:12]}.jar"


def present() -> list[Path]:
    """Return the jar for a class path, or nothing where it is missing."""
    jar = path()
    return [jar] if jar.is_file() else []


def make() -> None:
    """Compile the jar; CompilationError where the classes do not fit this Spark and Delta."""
    target, found = path(), java.find().java
    if found is None:
        raise building.CompilationError("There is no Java yet.")
    building.build_jar(target, found.home / "bin" / "java", jars.spark_jars(), jars.paths())
    for other in target.parent.glob("catalogs-*.jar"):
        if other != target:
            with suppress(OSError):  # on Windows, while a JVM has it open
                other.unlink()


def is_settled() -> bool:
    """Whether the jar exists, or could not be compiled before."""
    return path().is_file() or _failure_mark().exists()


def remember_failure(reason: str) -> None:
    """Record why the jar could not be compiled, so that later starts do not try again."""
    with suppress(OSError):
        _failure_mark().parent.mkdir(parents=True, exist_ok=True)
        _failure_mark().write_text(reason, encoding="utf-8")


def _failure_mark() -> Path:
    return path().with_suffix(".failed")
