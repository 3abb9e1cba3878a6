"""The jar of ``FolderCatalog``, compiled by Janino, which PySpark ships: a Java runtime is enough, without a compiler.

Spark is not started.  A Spark or Delta whose classes have changed makes the compilation fail, and the session starts
without catalogs.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

SOURCES = Path(__file__).parent / "java"
_JANINO = "org.codehaus.commons.compiler.samples.CompilerDemo"  # its command line
_VERSIONS = [f"-Dorg.codehaus.janino.UnitCompiler.default{what}Version=8" for what in ("Target", "Source")]
_TIMEOUT = 120.0  # seconds


class CompilationError(RuntimeError):
    """The classes do not fit this Spark and Delta, or Java could not run."""


def sources() -> list[Path]:
    """Return the Java files."""
    return sorted(SOURCES.rglob("*.java"))


def build_jar(
    target: Path,
    java: Path | str,
    spark_jars: Path,
    more_jars: Sequence[Path] = (),
    java_files: Sequence[Path] | None = None,
) -> None:
    """Compile classes into a jar, which appears whole or not at all.

    Parameters
    ----------
    target : Path
        The jar.
    java : Path or str
        The program ``java``.
    spark_jars : Path
        The folder of PySpark's jars, among them Janino's.
    more_jars : sequence of Path
        Delta's jars.
    java_files : sequence of Path, optional
        The classes, by default those of catalogs.

    Raises
    ------
    CompilationError
        Java does not run, or the classes do not fit; the message names the line.
    """
    java_files = sources() if java_files is None else java_files
    known = sorted(spark_jars.glob("*.jar"))
    janino = [str(jar) for jar in known if jar.name.startswith(("janino-", "commons-compiler-"))]
    class_path = os.pathsep.join(map(str, [*more_jars, *known]))
    with tempfile.TemporaryDirectory() as folder:
        command = [str(java), *_VERSIONS, "-XX:TieredStopAtLevel=1", "-cp", os.pathsep.join(janino), _JANINO]
        command += ["-d", folder, "-classpath", class_path, *map(str, java_files)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CompilationError(f"Java could not compile the classes: {error}") from error
        classes = sorted(Path(folder).rglob("*.class"))
        if done.returncode or len(classes) < len(java_files):
            said = f"{done.stdout}{done.stderr}".strip()[:2000]
            raise CompilationError(f"The classes do not fit this Spark and Delta: {said}")
        target.parent.mkdir(parents=True, exist_ok=True)
        half = target.with_suffix(f".{os.getpid()}.half")
        with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED) as jar:
            for file in classes:
                jar.write(file, file.relative_to(folder).as_posix())
        half.replace(target)
