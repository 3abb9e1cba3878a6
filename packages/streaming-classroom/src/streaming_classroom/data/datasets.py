"""The datasets of the course: generated once by seeded code, then copied into the classroom's file system.

The generators are the modules of the project's ``datasets/`` directory, one a dataset, each with a function
``generate(directory)`` and a mapping ``FIELDS`` from each part to its schema.  What one made is kept under a
digest of its source, so an edited generator runs again and nothing else does.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from types import MappingProxyType, ModuleType

from filelock import FileLock

from streaming_classroom.errors import NotAvailable
from streaming_classroom.files import directories
from streaming_classroom.files.directories import classroom_files

GENERATORS = directories.PROJECT / "datasets"
REGISTERED = "dbfs:/mnt/training/streaming-classroom"

# Where lessons written before this course look for the same data.
OLDER_PATHS = {"dbfs:/mnt/training/definitive-guide/data": "activity"}
_LOCK_TIMEOUT = 60.0  # seconds; copying takes one


@dataclass(frozen=True)
class DatasetBatch:
    """Files that land together, by their paths below the landing directory."""

    name: str
    files: Mapping[str, Path]


def names() -> tuple[str, ...]:
    """Return the names of the datasets, sorted."""
    return tuple(sorted(path.stem.replace("_", "-") for path in GENERATORS.glob("[a-z]*.py")))


def directory(name: str) -> Path:
    """Return the cache directory of a dataset's files, which may not exist yet; NotAvailable for another name."""
    digest = hashlib.sha256(_source(name).read_bytes()).hexdigest()[:12]
    return directories.cache() / "datasets" / f"{name}-{digest}"


def generate(name: str) -> Path:
    """Return the directory of a dataset's files, generated if missing; it appears complete or not at all."""
    target = directory(name)
    if target.exists():
        return target
    directories.claim_cache()
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
    second ones and so on, each below a folder of the part's name.  NotAvailable for an unknown part.
    """
    found: list[list[tuple[str, Path]]] = []
    for part in parts:
        name, folder = _split(part)
        path = generate(name) / folder
        prefix = f"{folder.removesuffix('.csv').removesuffix('.json')}/" if len(parts) > 1 else ""
        found.append([(prefix, entry) for entry in (sorted(path.glob("[!.]*")) if path.is_dir() else [path])])
    found_batches = []
    for together in zip_longest(*found):
        entries = [pair for pair in together if pair]
        files = {
            folder + file.relative_to(entry.parent).as_posix(): file
            for folder, entry in entries
            for file in ([entry] if entry.is_file() else sorted(it for it in entry.rglob("[!.]*") if it.is_file()))
        }
        name = ", ".join(folder + entry.name for folder, entry in entries)
        found_batches.append(DatasetBatch(name, MappingProxyType(files)))
    return found_batches


def schema(part: str) -> str:
    """Return the schema, as DDL, of a part such as ``"device-readings/readings"``."""
    name, folder = _split(part)
    return _module(name).FIELDS[folder]


def is_folder(part: str) -> bool:
    """Whether a part is a folder of files, rather than one file."""
    name, folder = _split(part)
    return (generate(name) / folder).is_dir()


def copy_to(folder: str) -> None:
    """Put every dataset into a folder that is the course's alone, such as one of a lesson's volume."""
    with _locked_notes() as notes:
        for name in names():
            target = classroom_files().local_path(f"{folder}/{name}")
            _copy_dataset(generate(name), target, _note(notes, target))


def register() -> str:
    """Put every dataset into the classroom's file system; return the path of its folder.

    The files then equal those of the generators: an edited file is restored, and a file of an earlier generator is
    removed.  Other files stay.  Several kernels may do this at the same time.
    """
    with _locked_notes() as notes:
        for name in names():
            for path in (f"{REGISTERED}/{name}", *(older for older, known in OLDER_PATHS.items() if known == name)):
                target = classroom_files().local_path(path)
                if not _leads_elsewhere(target):
                    _copy_dataset(generate(name), target, _note(notes, target))
    return classroom_files().spark_path(REGISTERED)


@contextmanager
def _locked_notes() -> Iterator[Path]:
    """Yield the folder of notes about copies, which one kernel at a time changes."""
    notes = directories.claim(directories.home()) / "registered"
    notes.mkdir(exist_ok=True)
    with FileLock(notes / "lock", timeout=_LOCK_TIMEOUT):
        yield notes


def _note(notes: Path, target: Path) -> Path:
    """Return the file that keeps the names of the copies in a folder."""
    return notes / f"{hashlib.sha256(str(target).encode()).hexdigest()[:16]}.json"


def _leads_elsewhere(target: Path) -> bool:
    """Whether the folder, or one on the way to it from the home, is a link: to data of somebody's own."""
    home, way = directories.home(), [target, *target.parents]
    return any(folder.is_symlink() for folder in way[: way.index(home) if home in way else 1])


def _is_below(name: str) -> bool:
    """Whether a noted name is one of a file inside the folder: those that are not wanted any more are removed."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _copy_dataset(source: Path, target: Path, note: Path) -> None:
    """Make the copies in ``target`` equal to the files in ``source``; ``note`` keeps the names of the copies.

    The copies' times are in the order of their names, because a stream reads files in the order of their times, which
    Spark knows in milliseconds.  Each copy appears complete.
    """
    wanted = {path.relative_to(source).as_posix(): path for path in sorted(source.rglob("*")) if path.is_file()}
    try:
        noted = set(filter(_is_below, json.loads(note.read_text(encoding="utf-8"))))
    except (OSError, ValueError, TypeError):
        noted = set()
    for name in noted - wanted.keys():
        (target / name).unlink(missing_ok=True)
    # Not the time of copying: a file that is restored later keeps its place.
    first_ms = source.stat().st_mtime_ns // 1_000_000 - 2 * len(wanted)
    for number, (name, path) in enumerate(wanted.items()):
        copy, time_ns = target / name, (first_ms + 2 * number) * 1_000_000
        if copy.exists() and (copy.stat().st_size, copy.stat().st_mtime_ns) == (path.stat().st_size, time_ns):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        partial = copy.with_name(f".{copy.name}.part")
        shutil.copyfile(path, partial)
        os.utime(partial, ns=(time_ns, time_ns))
        # Hadoop's checksum of another file of that name would make this one unreadable.
        copy.with_name(f".{copy.name}.crc").unlink(missing_ok=True)
        partial.replace(copy)
    if noted != wanted.keys():
        directories.write_atomically(note, json.dumps(sorted(wanted)))


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
        raise _unknown_dataset(part, [f"{name}/{known}" for known in _module(name).FIELDS])
    return name, folder


def _source(name: str) -> Path:
    if name not in names():
        raise _unknown_dataset(name, names())
    return GENERATORS / f"{name.replace('-', '_')}.py"


def _unknown_dataset(name: str, known: Iterable[str]) -> NotAvailable:
    return NotAvailable(f"There is no dataset {name!r}.", f"Use one of: {', '.join(known)}.")
