"""The datasets of the course: generated once by seeded code, then copied into the classroom's file system.

The generators are the modules of the project's ``datasets/`` directory, one a dataset, each with a function
``generate(directory)`` and a mapping ``FIELDS`` from each part to its schema.  What one made is kept under a
digest of its source, so an edited generator runs again and nothing else does.
"""

from __future__ import annotations

import hashlib
import importlib.util
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType, ModuleType

from streaming_classroom.data import mirror
from streaming_classroom.errors import UnknownDataset
from streaming_classroom.files import directories, ownership
from streaming_classroom.files.directories import classroom_files

GENERATORS = directories.PROJECT / "datasets"
REGISTERED = "dbfs:/mnt/training/streaming-classroom"

# Where lessons written before this course look for the same data.
OLDER_PATHS = {"dbfs:/mnt/training/definitive-guide/data": "activity"}


@dataclass(frozen=True)
class DatasetBatch:
    """Files that land together, by their paths below the landing directory."""

    name: str
    files: Mapping[str, Path]


def names() -> tuple[str, ...]:
    """Return the names of the datasets, sorted."""
    return tuple(sorted(path.stem.replace("_", "-") for path in GENERATORS.glob("[a-z]*.py")))


def directory(name: str) -> Path:
    """Return the cache directory of a dataset's files, which may not exist yet; UnknownDataset for another name."""
    digest = hashlib.sha256(_source(name).read_bytes()).hexdigest()[:12]
    return directories.cache() / "datasets" / f"{name}-{digest}"


def generate(name: str) -> Path:
    """Return the directory of a dataset's files, generated if missing; it appears complete or not at all."""
    target = directory(name)
    if target.exists():
        return target
    ownership.claim_cache()
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


def batches(*parts: str) -> list[DatasetBatch]:
    """Return the batches of a part in order: each is an entry of its folder, a file or a directory.

    Of several parts, such as ``"retail/orders", "retail/clickstream"``, the first entries land together, then the
    second ones and so on, each below a folder of the part's name.  UnknownDataset for an unknown part.
    """
    entries = [[(_landed(part, parts), entry) for entry in _entries(part)] for part in parts]
    return [_batch([pair for pair in together if pair]) for together in zip_longest(*entries)]


def schema(part: str) -> str:
    """Return the schema, as DDL, of a part such as ``"device-readings/readings"``."""
    name, folder = _split(part)
    return _module(name).FIELDS[folder]


def register() -> str:
    """Put every dataset into the classroom's file system; return the path of its folder.

    The files then equal those of the generators: an edited file is restored, and a file of an earlier generator is
    removed.  Other files stay.
    """
    for name in names():
        for path in (f"{REGISTERED}/{name}", *(older for older, known in OLDER_PATHS.items() if known == name)):
            mirror.mirror(generate(name), classroom_files().local_path(path))
    return classroom_files().spark_path(REGISTERED)


def _entries(part: str) -> list[Path]:
    name, folder = _split(part)
    path = generate(name) / folder
    return sorted(path.glob("[!.]*")) if path.is_dir() else [path]


def _landed(part: str, parts: tuple[str, ...]) -> str:
    """Return the folder, with its slash, below which a part lands."""
    return f"{_split(part)[1].removesuffix('.csv').removesuffix('.json')}/" if len(parts) > 1 else ""


def _batch(entries: list[tuple[str, Path]]) -> DatasetBatch:
    names = [folder + entry.name for folder, entry in entries]
    files = {
        folder + file.relative_to(entry.parent).as_posix(): file
        for folder, entry in entries
        for file in ([entry] if entry.is_file() else sorted(path for path in entry.rglob("[!.]*") if path.is_file()))
    }
    return DatasetBatch(", ".join(names), MappingProxyType(files))


def _module(name: str) -> ModuleType:
    """Load a generator by its path: the directory is no package, and its name is that of a popular library."""
    spec = importlib.util.spec_from_file_location(f"_dataset_{name}", _source(name))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _split(part: str) -> tuple[str, str]:
    """Return a part's dataset and its folder or file there."""
    name, _, folder = part.partition("/")
    if folder not in _module(name).FIELDS:
        raise UnknownDataset(part, tuple(f"{name}/{known}" for known in _module(name).FIELDS))
    return name, folder


def _source(name: str) -> Path:
    if name not in names():
        raise UnknownDataset(name, names())
    return GENERATORS / f"{name.replace('-', '_')}.py"
