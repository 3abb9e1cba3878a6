"""The course's directories on disk: project, home, cache, notebooks.

Four roots, and nothing is ever written outside them: the *project* (this checkout), the *cache* (what set-up fetched
or made once; deleting it costs time, never work), the *home* (what lessons create; `reset` empties it) and the
*workspace* (the learner's own copies of the lessons, which nothing of ours removes).  The environment variables
``CLASSROOM_CACHE``, ``CLASSROOM_HOME`` and ``CLASSROOM_WORK`` move the last three.

A folder is marked before it is filled, and only a marked folder is ever cleared.  Home and cache may be moved to any
path of the user's.  A folder that somebody else has filled is therefore neither written to nor taken for ours because
of a name in it: only the marker counts, which nobody else writes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from notebook_dialect.filesystem import FileSystem
from streaming_base import front_end
from streaming_classroom import environment
from streaming_classroom.errors import SetupError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROJECT = Path(__file__).resolve().parents[5]
MARKER = ".made-by-streaming-classroom"


class Paths:
    """The lesson's paths by name; each is also the Spark setting ``da.paths.<name>``.

    So ``DA.paths.working_dir`` in Python is ``${da.paths.working_dir}`` in SQL.  A new attribute makes a new
    path the same way.  Where Spark refuses the setting, a widget of that name has the path, and ``%sql`` finds it.
    """

    working_dir: str
    checkpoints: str
    landing: str
    user_db: str
    datasets: str
    _spark: SparkSession

    def __init__(self, spark: SparkSession, **paths: str) -> None:
        object.__setattr__(self, "_spark", spark)
        for name, path in paths.items():
            setattr(self, name, path)

    def __setattr__(self, name: str, path: str) -> None:
        from pyspark.errors import PySparkException

        object.__setattr__(self, name, path)
        try:
            self._spark.conf.set(f"da.paths.{name}", path)
        except PySparkException:
            # Serverless compute accepts no settings of a notebook's own.
            shell = front_end.ipython()
            if shell is not None and (dbutils := shell.user_ns.get("dbutils")) is not None:
                dbutils.widgets.text(f"da.paths.{name}", path)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(sorted((name, path) for name, path in vars(self).items() if not name.startswith("_")))

    def __repr__(self) -> str:
        return "\n".join(f"{name:<12} {path}" for name, path in self)

    def print(self) -> None:
        """Print each path with its name."""
        print(self)

    def local(self, path: str) -> Path:
        """Return where Python finds the file or directory that Spark calls ``path``."""
        return classroom_files().local_path(path)

    def exists(self, path: str) -> bool:
        """Whether a file or directory exists at ``path``."""
        return self.local(path).exists()


def cache() -> Path:
    """Return the directory of downloaded and generated files: jars, archive, datasets, Java."""
    return Path(os.environ.get("CLASSROOM_CACHE") or PROJECT / ".cache").absolute()


def home() -> Path:
    """Return the directory of what lessons create: file-system root, logs, runs."""
    return Path(os.environ.get("CLASSROOM_HOME") or PROJECT / ".classroom").absolute()


def logs() -> Path:
    """Directory of Spark's logs, one file a kernel."""
    return home() / "logs"


def notebooks() -> Path:
    """Return the directory of the committed lessons."""
    return PROJECT / "notebooks"


def work() -> Path:
    """Directory of the learner's own copies of the lessons."""
    return Path(os.environ.get("CLASSROOM_WORK") or PROJECT / "work").absolute()


def classroom_files() -> FileSystem:
    """Return the file system behind ``dbfs:/``, for the current environment."""
    return FileSystem(home() / "dbfs", home(), environment.spark_place())


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file in one step, so that a reader finds the old content or the new one; create the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(content.encode() if isinstance(content, str) else content)
    partial.replace(path)


@dataclass(frozen=True)
class OwnershipMarker:
    """The file that marks a folder as the course's own: its name and text, and the advice for a foreign folder."""

    name: str
    contents: str
    advice: str


OURS = OwnershipMarker(
    MARKER,
    "The course on Spark Structured Streaming has made this folder and keeps its own files here.\n"
    "`python course.py reset` removes what lessons created. Without this file the course does not touch the folder.\n",
    "Set CLASSROOM_HOME (for what lessons create) and CLASSROOM_CACHE (for what set-up fetches) to folders "
    "that are empty or not there yet; if an older version of the course made this one, move it away.",
)


WORKSPACE = OwnershipMarker(
    ".course-workspace",
    "The lessons and the progress in this folder are yours. `python course.py lab` copies new lessons here;\n"
    "what you have changed or run stays as it is. Without this file the course does not touch the folder.\n",
    "Move it away, or set CLASSROOM_WORK to a folder that is empty or not there yet; "
    "`python course.py lab --with-outputs` opens the course's own lessons without it.",
)


def claim(folder: Path, adopt: bool = False, mark: OwnershipMarker = OURS) -> Path:
    """Mark a folder as the course's own, created if necessary, and return it; call this before the first write.

    ``adopt`` accepts a folder without the marker, as `course.py` makes one for its logs.  Several processes may do this
    at the same time.  Raises SetupError for a foreign folder that is not empty; nothing is changed.
    """
    if is_claimed(folder, mark):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    if not adopt and any(folder.iterdir()) and not is_claimed(folder, mark):
        raise SetupError(
            f"{folder} is not empty, and it was not made by the course, which therefore puts nothing there.",
            mark.advice,
        )
    with suppress(FileExistsError), (folder / mark.name).open("x", encoding="utf-8") as marker:
        marker.write(mark.contents)
    return folder


def claim_cache() -> Path:
    """Make sure that the cache is the course's own, as the checkout's own one is; see :func:`claim`."""
    return claim(cache(), adopt=cache() == PROJECT / ".cache")


def is_claimed(folder: Path, mark: OwnershipMarker = OURS) -> bool:
    """Whether a folder bears the marker."""
    return (folder / mark.name).is_file()
