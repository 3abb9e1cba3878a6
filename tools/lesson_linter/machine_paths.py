"""What a lesson must not name: places that exist on one machine only, in text, code or committed output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from streaming_classroom.files import directories

from .lesson_file import Lesson
from .problem import Problem

_HOMES = re.compile(r"(?<![\w.])/(?:home|Users)/(?!\.\.\.|…)\S|(?<![\w.])/tmp/|[A-Za-z]:\\+Users\b")
_INSIDES = re.compile(r"\bsite-packages\b|\bipykernel_")


def machine_paths(lesson: Lesson) -> Iterator[Problem]:
    """No cell names a path of the machine on which it was written."""
    for cell in lesson.cells:
        for number, line in enumerate(cell.lines, start=1):
            if found := _find(line):
                yield lesson.problem(
                    "machine-paths", f"leave out '{found}': other machines have no such path", cell, number
                )
        for found in dict.fromkeys(found for text in strings(cell.outputs) if (found := _find(text))):
            message = f"keep '{found}' out of the output: other machines have no such path"
            yield lesson.problem("machine-paths", message, cell)


def strings(value: Any) -> Iterator[str]:
    """Yield all strings in what JSON holds; keys as well."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from (text for item in value.values() for text in strings(item))
    elif isinstance(value, list | tuple):
        yield from (text for item in value for text in strings(item))


def _find(text: str) -> str | None:
    """Return what a text has of a machine's paths; None if nothing."""
    found = _here().search(text) or _HOMES.search(text) or _INSIDES.search(text)
    return found[0] if found else None


@lru_cache(maxsize=1)
def _here() -> re.Pattern[str]:
    """The course's folder and the author's home, as they are spelled on this machine."""
    folders = [folder for folder in (directories.PROJECT, Path.home()) if len(folder.parts) > 1]
    spellings = sorted({spelling for folder in folders for spelling in (str(folder), folder.as_posix())}, key=len)
    return re.compile("|".join(rf"(?<![\w.]){re.escape(path)}(?!\w)" for path in reversed(spellings)) or r"(?!)")
