"""Finds notebook files by what a person types: ``07``, ``7``, ``07L``, the path of a notebook or of a folder.

A lesson is a file ``NN-Title.ipynb``, where a letter may follow the number (``07L`` is a lab). The same
names always give the same files in the same order, and never none: an empty list is an error.
"""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_base.notebook_files import is_databricks_source
from streaming_classroom.files import ownership
from streaming_classroom.runner.results import LessonNotFound, NoLessons

KEPT = 10  # runs whose notebooks are kept; a failed lesson's home has 40 MB
_NAME = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
_LOCK = "run.lock"


@contextmanager
def new_run(home: Path) -> Iterator[Path]:
    """Create a directory below ``home/runs`` that is unique to this run, and kept while it is in use."""
    runs = ownership.claim(home.absolute()) / "runs"
    directory = runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
    directory.mkdir(parents=True)
    with FileLock(directory / _LOCK):
        _remove_old(runs)
        yield directory


def _remove_old(runs: Path) -> None:
    """Remove all ended runs but the newest few."""
    made = sorted(path for path in runs.iterdir() if _NAME.fullmatch(path.name) and not path.is_symlink())
    for old in made[:-KEPT]:
        lock = FileLock(old / _LOCK)
        try:
            lock.acquire(blocking=False)
        except Timeout:  # it is still going
            continue
        try:
            shutil.rmtree(old, ignore_errors=True)
        finally:
            lock.release()


NOTEBOOK_SUFFIXES = (".ipynb", ".py", ".sql")  # the last two in Databricks' source format
_NUMBER = re.compile(r"0*(\d+)([a-z]?)", re.IGNORECASE)
_LESSON = re.compile(r"(\d{2,}[a-z]?)-.+\.ipynb", re.IGNORECASE)
_SUGGESTIONS = 8


def find_lessons(names: Sequence[str], notebooks: Path) -> list[Path]:
    """Return the notebooks that `names` ask for, each once, in the order asked.

    Parameters
    ----------
    names
        Numbers (``7``, ``07``, ``07L``), titles (``07-Triggers``), or paths of notebooks, relative to the
        current directory or absolute; of a folder, its notebooks at any depth. None at all means every lesson, sorted.
    notebooks
        The directory of the lessons.

    Raises
    ------
    LessonNotFound
        No lesson has that number, or no file has that path.
    NoLessons
        No names were given and the directory holds no lesson, or a folder that was given holds no notebook.
    """
    lessons = _all_lessons(notebooks)
    if not names:
        if not lessons:
            raise NoLessons(notebooks)
        return lessons
    found = [path for name in names for path in _find(str(name), lessons, notebooks)]
    return list(dict.fromkeys(found))


def lesson_number(name: str) -> str:
    """Return the number that a lesson's name begins with: ``02`` of ``02-Triggers.ipynb``, ``02L`` of ``02L-A-Lab``."""
    return name.partition("-")[0]


def _all_lessons(notebooks: Path) -> list[Path]:
    if not notebooks.is_dir():
        return []
    return sorted(path.absolute() for path in notebooks.iterdir() if _LESSON.fullmatch(path.name))


def _find(name: str, lessons: list[Path], notebooks: Path) -> list[Path]:
    if Path(name).suffix.lower() in NOTEBOOK_SUFFIXES:
        return [_existing(name, lessons, notebooks)]
    wanted = _key(name)
    found = [path for path in lessons if path.stem == name or (wanted and _key(lesson_number(path.name)) == wanted)]
    if not found and name and Path(name).expanduser().is_dir():
        return _in_folder(Path(name).expanduser().absolute())
    if not found:
        raise LessonNotFound(name, notebooks, _nearest(name, lessons))
    return found


def _existing(name: str, lessons: list[Path], notebooks: Path) -> Path:
    path = Path(name).expanduser().absolute()
    if not path.is_file():
        raise LessonNotFound(name, notebooks, _nearest(name, lessons))
    return path


def _in_folder(folder: Path) -> list[Path]:
    """Return the notebooks of a folder, sorted, without Jupyter's copies, scripts and hidden folders."""
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in NOTEBOOK_SUFFIXES
        and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    ]
    notebooks = [path for path in found if path.suffix.lower() == ".ipynb" or is_databricks_source(path)]
    if not notebooks:
        raise NoLessons(folder)
    return notebooks


def _key(number: str) -> tuple[int, str] | None:
    """``07L`` and ``7l`` are the same lesson."""
    match = _NUMBER.fullmatch(number)
    return (int(match[1]), match[2].upper()) if match else None


def _nearest(name: str, lessons: list[Path]) -> tuple[str, ...]:
    """Return the numbers nearest to the requested one."""
    numbers = list(dict.fromkeys(lesson_number(path.name) for path in lessons))
    leading = re.match(r"\d+", Path(name).name)
    if not leading:
        return tuple(numbers[:_SUGGESTIONS])
    wanted = int(leading[0])
    nearest = sorted(numbers, key=lambda number: (abs((_key(number) or (0, ""))[0] - wanted), number))
    return tuple(sorted(nearest[:_SUGGESTIONS]))
