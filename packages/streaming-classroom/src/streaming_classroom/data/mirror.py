"""A folder of the classroom's file system that mirrors a folder of the cache.

The copies are the learners' to read and to spoil.  What was copied is noted in the home, so that the next time changed
and removed files are told from a learner's own, which are left alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path, PurePosixPath

from filelock import FileLock

from streaming_classroom.files import directories, ownership

_LOCK_TIMEOUT = 60.0  # seconds; copying takes one
Note = dict[str, tuple[int, int]]  # of each copy its path below the folder, its size, and its time in nanoseconds


def mirror(source: Path, target: Path) -> None:
    """Make the copies in ``target`` equal to the files in ``source``.

    The copies' times are in the order of their names, because a stream reads files in the order of their times.  Each
    appears complete.  Several kernels may do this at the same time.
    """
    if _leads_elsewhere(target):
        return  # somebody has put a link to data of their own in its place
    notes = ownership.claim(directories.home()) / "registered"
    notes.mkdir(exist_ok=True)
    file = notes / f"{hashlib.sha256(str(target).encode()).hexdigest()[:16]}.json"
    with FileLock(notes / "lock", timeout=_LOCK_TIMEOUT):
        _bring_up_to_date(source, target, file)


def _bring_up_to_date(source: Path, target: Path, file: Path) -> None:
    generated, before = _read(file)
    wanted = {path.relative_to(source).as_posix(): path for path in sorted(source.rglob("*")) if path.is_file()}
    is_current = generated == source.name  # the name has the digest of the generator's source
    for name in before.keys() - wanted.keys():
        (target / name).unlink(missing_ok=True)
    after: Note = {}
    made_ns = source.stat().st_mtime_ns  # not the time of copying: a file that is fixed later keeps its place
    for number, (name, path) in enumerate(wanted.items()):
        if not is_current or name not in before or _state(target / name) != before[name]:
            _copy(path, target / name, made_ns - (len(wanted) - number) * 2_000_000)  # Spark knows milliseconds
        after[name] = _state(target / name) or (0, 0)
    if not is_current or after != before:
        _write(file, source.name, after)


def _leads_elsewhere(target: Path) -> bool:
    """Whether the folder, or one on the way to it from the home, is a link."""
    way = [target, *target.parents]
    return any(
        folder.is_symlink() for folder in way[: way.index(directories.home()) if directories.home() in way else 1]
    )


def _is_below(name: str) -> bool:
    """Whether a recorded name is one of a file inside the folder."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _copy(source: Path, target: Path, time_ns: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    shutil.copyfile(source, partial)
    os.utime(partial, ns=(time_ns, time_ns))
    # Hadoop's note on another file of that name would make this one unreadable.
    target.with_name(f".{target.name}.crc").unlink(missing_ok=True)
    partial.replace(target)


def _state(file: Path) -> tuple[int, int] | None:
    """Return a file's size and time, by which a change is detected."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _read(note: Path) -> tuple[str, Note]:
    """Return the record of the last mirroring, empty if it cannot be read."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        noted = json.loads(note.read_text(encoding="utf-8"))
        files = {name: (size, time) for name, (size, time) in noted["files"].items()}
        return noted["source"], {name: state for name, state in files.items() if _is_below(name)}
    return "", {}


def _write(note: Path, source: str, files: Note) -> None:
    partial = note.with_suffix(f".{os.getpid()}.part")
    partial.write_text(json.dumps({"source": source, "files": files}), encoding="utf-8")
    partial.replace(note)
