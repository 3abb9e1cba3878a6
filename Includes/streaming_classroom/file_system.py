"""The classroom's file system: what ``dbfs:/`` stands for is a folder of the home."""

from __future__ import annotations

from notebook_dialect.filesystem import FileSystem
from streaming_classroom import environment, places


def classroom_files() -> FileSystem:
    """Return the file system of this process's home, as the environment is now."""
    home = places.home()
    return FileSystem(home / "dbfs", home, (places.PROJECT, home, places.cache()), environment.spark_place())
