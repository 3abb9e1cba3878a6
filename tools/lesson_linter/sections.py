"""The sections of a lesson: what stands between one heading of the second level and the next, over cells."""

from __future__ import annotations

from dataclasses import dataclass

from .elements import Element, elements
from .events import Event, events
from .lesson_file import Cell, Lesson


@dataclass(frozen=True)
class Section:
    """One section.

    Parameters
    ----------
    cell, heading
        Where it begins.
    parts
        Its cells, each with its events in this section; a cell with code has none.
    """

    cell: Cell
    heading: Element
    parts: tuple[tuple[Cell, tuple[Event, ...]], ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be read in it."""
        return not any(_is_content(cell, inside) for cell, inside in self.parts)


def sections(lesson: Lesson) -> list[Section]:
    """Return the sections of a lesson, in order; what stands before the first heading is in none."""
    found: list[Section] = []
    for cell in lesson.cells:
        if cell.kind != "markdown":
            found[-1:] = [_with(section, cell, ()) for section in found[-1:]]
            continue
        before, *chunks = _split(events(cell.source))
        found[-1:] = [_with(section, cell, before) for section in found[-1:]]
        for chunk in chunks:
            heading = next(elements(chunk, "h2"))
            found.append(Section(cell, heading, ((cell, _below(chunk)),)))
    return found


def _split(cell: tuple[Event, ...]) -> list[tuple[Event, ...]]:
    """Return the events before the first heading of the second level, then those from each heading on."""
    starts = [index for index, event in enumerate(cell) if event.kind == "open" and event.name == "h2"]
    ends = [*starts, len(cell)]
    return [cell[start:end] for start, end in zip([0, *starts], ends, strict=True)]


def _below(chunk: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return the events after the heading that a chunk begins with."""
    closes = (index for index, event in enumerate(chunk) if event.kind == "close" and event.name == "h2")
    return chunk[next(closes, len(chunk)) + 1 :]


def _with(section: Section, cell: Cell, more: tuple[Event, ...]) -> Section:
    return Section(section.cell, section.heading, (*section.parts, (cell, more)))


def _is_content(cell: Cell, inside: tuple[Event, ...]) -> bool:
    if cell.kind == "code":
        return bool(cell.source.strip())
    return any(event.name == "img" or (event.kind == "text" and event.name.strip()) for event in inside)
