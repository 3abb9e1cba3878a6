"""One file system below one folder, with the names that Databricks has.

``dbfs:/mnt/...`` and its siblings are mapped by Spark's own configuration onto the folder, which is also Spark's
default file system; so ``/mnt/...`` and ``/Volumes/...`` are the same places, in readers, writers, checkpoints and
SQL, and nothing is written to the machine's real root.  ``/dbfs/...``, Python's spelling on Databricks, is a link to
the whole of it.
"""

from __future__ import annotations

import getpass
import json
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

FOLDERS = ("user", "mnt", "FileStore", "tmp", "databricks-datasets", "Volumes")
SCHEME = "dbfs:"
VOLUMES = "/Volumes"
# Where streams of cloudFiles without a schema location remember what they have read.
AUTO_LOADER = "tmp/.cloudfiles"
_PYTHONS_MOUNT = "/dbfs"
_OVERLOAD = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"

Spark = Literal["here", "on a cluster", "behind Connect", "on Databricks"]


@dataclass(frozen=True, init=False)
class FileSystem:
    """The folder that ``dbfs:/`` stands for, and its paths as Python and Spark write them.

    Parameters
    ----------
    root : str or PathLike
        The folder; a relative one is resolved against the current working directory.
    writable : str or PathLike, optional
        ``dbutils`` writes and removes nothing outside this folder; by default the root.
    spark : str
        The location of Spark's driver and executors: ``"here"``, all on this machine, or elsewhere.
    """

    root: Path
    writable: Path | None
    spark: Spark

    def __init__(
        self, root: str | PathLike[str], writable: str | PathLike[str] | None = None, spark: Spark = "here"
    ) -> None:
        object.__setattr__(self, "root", Path(root).absolute())
        object.__setattr__(self, "writable", None if writable is None else Path(writable).absolute())
        object.__setattr__(self, "spark", spark)

    @property
    def home(self) -> Path:
        """The folder outside which ``dbutils`` writes and removes nothing."""
        return self.writable or self.root

    def prepare(self) -> None:
        """Create the folders of every workspace, and the root."""
        for folder in FOLDERS:
            (self.root / folder).mkdir(parents=True, exist_ok=True)

    def spark_conf(self) -> dict[str, str]:
        """Return the Spark configuration that makes ``dbfs:/`` work."""
        hadoop = "spark.hadoop.fs."
        table = hadoop + "viewfs.mounttable.default."
        return {
            hadoop + "dbfs.impl": _OVERLOAD,
            hadoop + "viewfs.overload.scheme.target.dbfs.impl": "org.apache.hadoop.fs.LocalFileSystem",
            hadoop + "viewfs.overload.scheme.target.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
            # Each of the three is a mount of its own to Hadoop, which would refuse to rename from one to another.
            hadoop + "viewfs.rename.strategy": "SAME_FILESYSTEM_ACROSS_MOUNTPOINT",
            table + "linkFallback": self.root.as_uri(),
            table + f"link.{_PYTHONS_MOUNT}": self.root.as_uri(),
            # What is above the root is the root, as everywhere; Hadoop's fallback would follow it into the machine.
            table + r"linkRegex.#.^(?<up>(?:/\.\.(?![^/]))+)": self.root.as_uri(),
            "spark.delta.logStore.dbfs.impl": "io.delta.storage.LocalLogStore",
            # Otherwise each listing asks a shell for block locations, and stopping an idle stream fails.
            "spark.sql.sources.ignoreDataLocality": "true",
            # cloudFiles reads in Python, wherever Spark's executors are.
            "spark.cloudFiles.mounts": self._mounts(f"{SCHEME}/", f"{SCHEME}{_PYTHONS_MOUNT}/"),
            "spark.cloudFiles.state": f"{SCHEME}/{AUTO_LOADER}",
        }

    def volume_conf(self) -> dict[str, str]:
        """Return the configuration that refuses to write into a missing volume; its class is in the jar of catalogs."""
        refuses = "notebook_dialect.catalogs.VolumeFileSystem"
        return {
            "spark.hadoop.fs.file.impl": refuses,
            "spark.hadoop.fs.viewfs.overload.scheme.target.file.impl": refuses,
            "spark.hadoop.fs.volumes.root": str(self.root / "Volumes"),
        }

    def default_conf(self) -> dict[str, str]:
        """Return the configuration that makes a path without a scheme a ``dbfs:/`` path, as on Databricks."""
        spellings = (f"{SCHEME}/", "/", f"{_PYTHONS_MOUNT}/", f"{SCHEME}{_PYTHONS_MOUNT}/")
        return {"spark.hadoop.fs.defaultFS": f"{SCHEME}///", "spark.cloudFiles.mounts": self._mounts(*spellings)}

    def _mounts(self, *spellings: str) -> str:
        return json.dumps(dict.fromkeys(spellings, str(self.root)))

    def local_path(self, path: str) -> Path:
        """Return Python's path of a path of Spark's.

        Parameters
        ----------
        path : str
            ``dbfs:/...``, ``/dbfs/...``, ``/Volumes/...``, ``file:/...``, or another path without a scheme: on one
            machine and on Databricks a ``dbfs:/`` path, elsewhere unchanged.

        Raises
        ------
        ValueError
            The path leaves the file system's root, or is in a store that Python cannot open.
        """
        if path.startswith("file:"):
            from urllib.request import url2pathname  # slow to import, and hardly ever needed

            return Path(url2pathname(urlsplit(path).path))  # as Path.from_uri of Python 3.13
        _refuse_other_schemes(path)
        if self.spark == "on Databricks":
            return _on_databricks(path)
        if (
            self.spark != "here"
            and not path.startswith((SCHEME, f"{VOLUMES}/"))
            and not _is_below(path, _PYTHONS_MOUNT)
        ):
            return Path(path)
        return self.root.joinpath(*_parts(path))

    def canonical(self, path: str) -> str:
        """Return the one spelling of a path that ``dbutils`` answers with: ``dbfs:/a/b``, or ``file:/a/b``.

        Raises
        ------
        ValueError
            As :meth:`local_path`.
        """
        if path.startswith("file:"):
            return "file:/" + "/".join(filter(None, unquote(urlsplit(path).path).split("/")))
        _refuse_other_schemes(path)
        return f"{SCHEME}/" + "/".join(_parts(path))

    def spark_path(self, path: str) -> str:
        """Return how this session's Spark names the place that is ``path`` (``dbfs:/...``) here.

        A Connect server was configured by somebody else and knows no ``dbfs:``; there it is the file itself.
        """
        if self.spark != "behind Connect":
            return path
        return "file:/" + self.local_path(path).as_posix().lstrip("/")


def on_this_machine(path: str) -> Path | None:
    """Return the file of the machine that a path in ``dbfs:/`` may mean, or None if it does not exist."""
    relative = path.removeprefix(f"/user/{getpass.getuser()}/")
    meant = Path.cwd() / relative  # which is the path itself where that is absolute
    return meant if meant.exists() else None


def _refuse_other_schemes(path: str) -> None:
    # At its beginning: further on, the three characters are part of a name.
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", path) and not path.startswith(SCHEME):
        raise ValueError(f"Python cannot open {path} as a file. Read it with Spark instead.")


def _parts(path: str) -> list[str]:
    """Return the names on the way from the root to ``path``."""
    inside = path.removeprefix(SCHEME)
    if not inside.startswith("/"):
        inside = f"/user/{getpass.getuser()}/{inside}"  # where Hadoop puts a relative path
    if _is_below(inside, _PYTHONS_MOUNT):
        inside = inside.removeprefix(_PYTHONS_MOUNT)
    parts = [part for part in inside.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(f"{path} has a '..' in it. Write the path without.")
    return parts


def _is_below(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder}/")


def _on_databricks(path: str) -> Path:
    """Return where the platform has mounted a path for Python."""
    inside = "/" + path.removeprefix(SCHEME).lstrip("/")
    mounted = inside.startswith(("/Volumes/", "/Workspace/", f"{_PYTHONS_MOUNT}/"))
    return Path(inside if mounted else f"{_PYTHONS_MOUNT}{inside}")
