"""Ownership markers: a folder is marked before it is filled, and only a marked folder is ever cleared.

The home and the cache may be moved to any path of the user's.  A folder that somebody else has filled is therefore
neither written to nor taken for ours because of a name in it: only the marker counts, which nobody else writes.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file in one step, so that a reader finds the old content or the new one; create the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(content.encode() if isinstance(content, str) else content)
    partial.replace(path)


MARKER = ".made-by-streaming-classroom"


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
    return claim(directories.cache(), adopt=directories.cache() == directories.PROJECT / ".cache")


def is_claimed(folder: Path, mark: OwnershipMarker = OURS) -> bool:
    """Whether a folder bears the marker."""
    return (folder / mark.name).is_file()
