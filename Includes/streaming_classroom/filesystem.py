"""One file system under the classroom's home, with the names that Databricks has.

``dbfs:/mnt/...`` and its siblings are mapped by Spark's own configuration onto folders below the home, so the
same path works in readers, writers, checkpoints and SQL.  A path outside the known folders falls back to a
folder of the home as well: nothing is written to the machine's real root.
"""

from __future__ import annotations

from pathlib import Path

from streaming_classroom import environment, places

FOLDERS = ("user", "mnt", "FileStore", "tmp", "databricks-datasets", "Volumes")
SCHEME = "dbfs:"
_OVERLOAD = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"


def root() -> Path:
    """The folder that ``dbfs:/`` stands for."""
    return places.home() / "dbfs"


def prepare() -> None:
    """Make the folders that the mapping points to: a link to nothing would be an error in Spark."""
    for folder in (*FOLDERS, ".fallback"):
        (root() / folder).mkdir(parents=True, exist_ok=True)


def spark_conf() -> dict[str, str]:
    """Return the Spark configuration that makes ``dbfs:/`` work."""
    hadoop = "spark.hadoop.fs."
    table = hadoop + "viewfs.mounttable.default."
    conf = {
        hadoop + "dbfs.impl": _OVERLOAD,
        hadoop + "viewfs.overload.scheme.target.dbfs.impl": "org.apache.hadoop.fs.LocalFileSystem",
        hadoop + "viewfs.overload.scheme.target.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
        # Without it a path in no known folder lands in the machine's real root.
        table + "linkFallback": (root() / ".fallback").as_uri(),
        "spark.delta.logStore.dbfs.impl": "io.delta.storage.LocalLogStore",
        # Otherwise each listing asks a shell for block locations, and stopping an idle stream fails.
        "spark.sql.sources.ignoreDataLocality": "true",
    }
    return conf | {f"{table}link./{folder}": (root() / folder).as_uri() for folder in FOLDERS}


def local_path(path: str) -> Path:
    """Return where Python finds what Spark calls ``path``.

    Parameters
    ----------
    path : str
        ``dbfs:/...``, ``file:/...`` or a path without a scheme, which is taken as it is.

    Raises
    ------
    ValueError
        The path would leave the file system's root, or is in one that Python cannot open.
    """
    if path.startswith("file:"):
        return _from_file_uri(path)
    if not path.startswith(SCHEME):
        if "://" in path:
            raise ValueError(f"Python cannot open {path} as a file. Read it with Spark instead.")
        return Path(path)
    if environment.is_databricks():
        inside = "/" + path[len(SCHEME) :].lstrip("/")
        return Path(inside if inside.startswith("/Volumes/") else f"/dbfs{inside}")
    parts = path[len(SCHEME) :].strip("/").split("/")
    if ".." in parts:
        raise ValueError(f"{path} has a '..' in it. Write the path without.")
    known = parts[0] in FOLDERS
    return root().joinpath(*parts) if known else root().joinpath(".fallback", *parts)


def spark_path(path: str) -> str:
    """Return how this session's Spark names the place that is ``path`` (``dbfs:/...``) here.

    A Connect server was configured by somebody else and knows no ``dbfs:``; there it is the file itself.
    """
    if environment.is_databricks() or environment.remote_url() is None:
        return path
    return "file:/" + local_path(path).as_posix().lstrip("/")


def _from_file_uri(uri: str) -> Path:
    """Do what ``Path.from_uri`` does, which only Python 3.13 and later have."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    return Path(url2pathname(urlsplit(uri).path))
