"""The jars of Spark's extensions and of Kafka, listed with hashes and kept in the cache; and the download of any file.

``spark.jars.packages`` asks the network at every session start and hides the jars from the class-data archive.
Here exactly the modules of a lock file are fetched into one directory, and a jar counts as present only with the
listed SHA-256.  There are two lists: Spark's extensions, and Kafka's broker, which is a program of its own.

A download appears at its target whole and with the expected content, or not at all.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import ssl
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache as remember
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from urllib.error import HTTPError

from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories

CONF = Path(__file__).parents[1] / "conf"
MAVEN_CENTRAL = "https://repo1.maven.org/maven2"
TIMEOUT = 20  # seconds without a byte
TRIES = 4
PARALLEL = 4  # more is impolite, and no faster: the biggest file decides
_TEMPORARY = (408, 429, 500, 502, 503, 504)  # states of HTTP
_DISK_ERRORS = (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EPERM)


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
    """Download jars into the cache, by default the missing and damaged ones; each appears complete or not at all."""
    wanted = missing_or_damaged(of) if wanted is None else wanted
    download([Download(jar_url(jar), jar.sha256, directory(of) / jar.file_name) for jar in wanted])


def jar_url(jar: Jar) -> str:
    """Return the address of a jar in Maven Central, or in the repository of ``CLASSROOM_MAVEN_REPOSITORY``."""
    repository = os.environ.get("CLASSROOM_MAVEN_REPOSITORY") or MAVEN_CENTRAL
    folder = "/".join([*jar.organisation.split("."), jar.module, jar.revision])
    return f"{repository.rstrip('/')}/{folder}/{jar.file_name}"


def spark_jars() -> Path:
    """Return the directory of PySpark's own jars, found without importing PySpark (0.1 s)."""
    spec = find_spec("pyspark")
    return Path(spec.origin).parent / "jars" if spec and spec.origin else Path("no-pyspark")


@dataclass(frozen=True)
class Download:
    """A file's address, the SHA-256 of its content, and its target."""

    url: str
    sha256: str
    target: Path


def download(downloads: Sequence[Download]) -> None:
    """Download files, several at a time, under the lock of the set-up.

    Raises SetupError for a failed download or a wrong checksum; the files that succeeded are kept.
    """
    if not downloads:
        return
    folder = directories.cache() / "downloads"
    shutil.rmtree(folder, ignore_errors=True)  # of a set-up that was killed
    folder.mkdir(parents=True)
    pool, stop = ThreadPoolExecutor(PARALLEL), Event()
    try:
        running = [pool.submit(_fetch, wanted, folder / wanted.sha256, stop) for wanted in downloads]
        for error in filter(None, [future.exception() for future in running]):
            raise error
    finally:
        stop.set()  # else Ctrl-C would wait for the rest
        pool.shutdown(cancel_futures=True)
        shutil.rmtree(folder, ignore_errors=True)


def is_sound(path: Path, sha256: str) -> bool:
    """Whether the file exists with this SHA-256."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False


def _fetch(wanted: Download, part: Path, stop: Event) -> None:
    for left in reversed(range(TRIES)):
        try:
            _receive(wanted.url, part, stop)
            break
        except (OSError, HTTPException, ValueError) as error:
            if part.exists() and getattr(error, "errno", None) in _DISK_ERRORS:
                raise
            is_temporary = error.code in _TEMPORARY if isinstance(error, HTTPError) else part.exists()
            if not left or not is_temporary or stop.wait(1):
                raise SetupError(
                    f"{wanted.target.name} could not be fetched.",
                    "Connect to the internet and run the same command again; what was fetched is kept.",
                    f"{wanted.url}: {type(error).__name__}: {error}",
                ) from error
    if not is_sound(part, wanted.sha256):
        raise SetupError(
            f"{wanted.url} sent another file than the course was tested with.",
            "Check the repository or proxy between here and there, then run the same command again.",
        )
    wanted.target.parent.mkdir(parents=True, exist_ok=True)
    part.replace(wanted.target)


def _receive(url: str, part: Path, stop: Event) -> None:
    request = urllib.request.Request(url, headers={"User-Agent": "streaming-classroom"})
    with urllib.request.urlopen(request, timeout=TIMEOUT, context=_certificates()) as response, part.open("wb") as file:
        while (chunk := response.read(1 << 16)) and not stop.is_set():
            file.write(chunk)
        if missing := getattr(response, "length", None):  # of a response over HTTP
            raise ConnectionError(f"The connection ended {missing} bytes too early.")


@remember
def _certificates() -> ssl.SSLContext:
    """Return the system's trusted certificates and those of the package installer: some Pythons have none."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE"):
        if Path(os.environ.get(name, "")).is_file():
            context.load_verify_locations(os.environ[name])
    return context
