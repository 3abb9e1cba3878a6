"""The datasets of the course: generated once by seeded code, then linked into the classroom's file system.

The generators are the modules of the project's ``datasets/`` directory, one a dataset, each with a function
``generate(directory)`` and a mapping ``FIELDS`` from each part to its schema.  What one made is kept under a digest of its source, so an edited generator runs again
and nothing else does.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path
from types import ModuleType

from streaming_classroom import filesystem, places
from streaming_classroom.errors import UnknownDataset

GENERATORS = places.PROJECT / "datasets"
REGISTERED = "dbfs:/mnt/training/streaming-classroom"

# Where lessons written before this course look for the same data.
OLDER_PATHS = {"dbfs:/mnt/training/definitive-guide/data": "activity"}


def names() -> tuple[str, ...]:
    """Return the names of the datasets, sorted."""
    return tuple(sorted(path.stem.replace("_", "-") for path in GENERATORS.glob("[a-z]*.py")))


def directory(name: str) -> Path:
    """Return where the dataset's files are in the cache, whether they are made or not.

    Raises
    ------
    UnknownDataset
        There is no generator of that name.
    """
    digest = hashlib.sha256(_source(name).read_bytes()).hexdigest()[:12]
    return places.cache() / "datasets" / f"{name}-{digest}"


def generate(name: str) -> Path:
    """Return the directory of the dataset's files, after making them if they are not there.

    The directory appears whole or not at all.
    """
    target = directory(name)
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        made = Path(scratch) / name
        made.mkdir()
        _module(name).generate(made)
        try:
            made.replace(target)
        except OSError:  # another process was quicker; its files are the same
            if not target.exists():
                raise
    return target


def batches(part: str) -> list[Path]:
    """Return the files of a part such as ``"device-readings/readings"``, in the order in which they land."""
    name, _, folder = part.partition("/")
    return sorted((generate(name) / folder).glob("*.*"))


def schema(part: str) -> str:
    """Return the schema, as DDL, of a part such as ``"device-readings/readings"``."""
    name, _, folder = part.partition("/")
    return _module(name).FIELDS[folder]


def register() -> str:
    """Put every dataset into the classroom's file system; return the path below which they are.

    Files are linked where the file system can, else copied; one that is there already is left alone.
    """
    for name in names():
        _link_tree(generate(name), filesystem.local_path(f"{REGISTERED}/{name}"))
    for path, name in OLDER_PATHS.items():
        _link_tree(generate(name), filesystem.local_path(path))
    return REGISTERED


def _link_tree(source: Path, target: Path) -> None:
    for file in sorted(path for path in source.rglob("*") if path.is_file()):
        link = target / file.relative_to(source)
        if link.exists() and link.stat().st_size == file.stat().st_size:
            continue
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        try:
            os.link(file, link)
        except OSError:  # another device, or a file system without links
            shutil.copyfile(file, link)


def _module(name: str) -> ModuleType:
    """Load a generator by its path: the directory is no package, and its name is that of a popular library."""
    spec = importlib.util.spec_from_file_location(f"_dataset_{name}", _source(name))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _source(name: str) -> Path:
    if name not in names():
        raise UnknownDataset(name, names())
    return GENERATORS / f"{name.replace('-', '_')}.py"
