"""The jars of Spark's extensions and of Kafka: listed with hashes, kept in the cache.

``spark.jars.packages`` asks the network at every session start and hides the jars from the class-data archive.
Here exactly the modules of a lock file are fetched into one directory, and a jar counts as present only with the
listed SHA-256.  There are two lists: Spark's extensions, and Kafka's broker, which is a program of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as remember
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

from streaming_classroom.errors import JarsUnavailable
from streaming_classroom.files import directories
from streaming_classroom.setup import download
from streaming_classroom.setup.download import Download, is_sound

CONF = Path(__file__).parents[1] / "conf"
_RESOLVER = "org/apache/ivy/plugins/resolver/IBiblioResolver.class"


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
    """Jars that belong together: the file that lists them, their folder in the cache, and their size when fetched."""

    lock_file: Path
    folder: str
    megabytes: int | None = None  # of a set whose size is printed before the download


SPARK = JarSet(CONF / "jars.lock", "jars", megabytes=25)
KAFKA_BROKER = JarSet(CONF / "kafka-broker.lock", "kafka-broker", megabytes=45)


def directory(of: JarSet = SPARK) -> Path:
    """Return the folder of the jars."""
    return directories.cache() / of.folder


@remember
def locked(of: JarSet = SPARK) -> tuple[Jar, ...]:
    """Return the jars of the lock file, in class-path order."""
    lines = (line.split("#")[0].split() for line in of.lock_file.read_text(encoding="utf-8").splitlines())
    rows = ((*coordinates.split(":"), sha256) for coordinates, sha256 in filter(None, lines))
    return tuple(Jar(organisation, module, revision, sha256) for organisation, module, revision, sha256 in rows)


def paths(of: JarSet = SPARK) -> list[Path]:
    """Return the paths of the locked jars, present or missing, in class-path order."""
    return [directory(of) / jar.file_name for jar in locked(of)]


def missing_or_damaged(of: JarSet = SPARK) -> list[Jar]:
    """Return the locked jars that are not in the cache with the listed checksum."""
    return [jar for jar in locked(of) if not is_sound(directory(of) / jar.file_name, jar.sha256)]


def fetch(wanted: Sequence[Jar] | None = None, of: JarSet = SPARK) -> None:
    """Download jars into the cache, by default the missing and damaged ones; each appears complete or not at all.

    Raises JarsUnavailable for a failed download or a wrong checksum.
    """
    wanted = missing_or_damaged(of) if wanted is None else wanted
    try:
        download.fetch([Download(jar_url(jar), jar.sha256, directory(of) / jar.file_name) for jar in wanted])
    except download.WrongContent as error:
        name = error.download.target.name
        raise JarsUnavailable(
            problem=f"The repository sent another file as {name} than the course was tested with.",
            fix="Check the repository or proxy between here and Maven Central, then run the same command again.",
        ) from error
    except download.NotFetched as error:
        raise JarsUnavailable(
            problem=f"{error.download.target.name} could not be fetched.",
            fix="Connect to the internet and run the same command again; what was fetched is kept.",
            detail=error.reason,
        ) from error


def jar_url(jar: Jar) -> str:
    """Return the address of a jar in Maven Central, or in the repository of ``CLASSROOM_MAVEN_REPOSITORY``."""
    repository = os.environ.get("CLASSROOM_MAVEN_REPOSITORY") or default_repository()
    folder = "/".join([*jar.organisation.split("."), jar.module, jar.revision])
    return f"{repository.rstrip('/')}/{folder}/{jar.file_name}"


@remember
def default_repository() -> str:
    """Return the Maven repository of Spark's own ``--packages``, as PySpark's Ivy names it."""
    for jar in sorted(spark_jars().glob("ivy-*.jar")):
        with ZipFile(jar) as classes:
            if found := re.search(rb"https://[\w./-]+/maven2/", classes.read(_RESOLVER)):
                return found[0].decode()
    raise JarsUnavailable(
        "PySpark, which knows the Maven repository, is not installed.", "Run `python course.py setup`."
    )


def spark_jars() -> Path:
    """Return the directory of PySpark's own jars, found without importing PySpark (0.1 s)."""
    spec = find_spec("pyspark")
    return Path(spec.origin).parent / "jars" if spec and spec.origin else Path("no-pyspark")
