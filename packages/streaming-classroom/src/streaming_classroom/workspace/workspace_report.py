"""The line that says what a synchronization has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from streaming_classroom.files import directories
from streaming_classroom.runner import InvalidNotebook

# JupyterLab does not look at the file before it saves, and then offers to overwrite it.
_RELOAD = "If it is open in JupyterLab, choose File > Reload Notebook from Disk there now."
_NAMED = 3  # lessons that a line names; of more it says how many


@dataclass
class WorkspaceReport:
    """What became of a workspace.

    Attributes
    ----------
    folder : Path
        The workspace.
    lessons : list of str
        The lessons of the course, without suffix, in their order.
    made, updated, back, beside, removed : list of str
        Which were made for the first time, follow a new version, were made again because they had been deleted, have a
        new version beside the learner's, or went because the course has them no more. Of pictures and includes only
        what is in ``beside`` is told.
    unreadable : list of InvalidNotebook
        Lessons of the course that nobody could open; they are left as they were.
    kept : dict
        For each lesson that was started over, the name that its old text has now; None where there was no work in it.
    """

    folder: Path
    lessons: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unreadable: list[InvalidNotebook] = field(default_factory=list)
    kept: dict[str, str | None] = field(default_factory=dict)


def line(report: WorkspaceReport) -> str:
    """Return what became of a workspace: how many lessons there are and where, and what is new about which."""
    where = _short(report.folder / "notebooks")
    total = f"{len(report.lessons)} lesson{'s are' if len(report.lessons) != 1 else ' is'} in {where}"
    if len(report.made) == len(report.lessons):
        total += ", without outputs: they are yours"
    parts = [total, *_news(report)]
    return "; ".join(parts) + "."


def started_over(report: WorkspaceReport) -> str:
    """Return what became of the lessons that were started over, a line each."""
    return "\n".join(f"{lesson} is fresh. {_kept(name)} {_RELOAD}" for lesson, name in report.kept.items())


def _kept(name: str | None) -> str:
    return f"What you had is {name} beside it." if name else "There was no work in it that had to be kept."


def _news(report: WorkspaceReport) -> list[str]:
    new = report.made if len(report.made) < len(report.lessons) else []
    news = [
        _say(new, "is new", "are new"),
        _say(report.updated, "follows the course's new version", "follow the course's new versions"),
        _say(report.back, "had been deleted and is back", "had been deleted and are back"),
        _say(report.beside, "has a new version beside yours", "have new versions beside yours"),
        _say(report.removed, "is no longer in the course", "are no longer in the course"),
    ]
    broken = [f"the course's own {error.notebook.name} cannot be read" for error in report.unreadable]
    return [part for part in news if part] + broken


def _say(names: Sequence[str], one: str, many: str) -> str:
    if not names:
        return ""
    if len(names) > _NAMED:
        return f"{len(names)} {many}"
    return f"{', '.join(names)} {one if len(names) == 1 else many}"


def _short(path: Path) -> str:
    """Return a path as it is seen from the checkout; in full where it is somewhere else."""
    try:
        return path.relative_to(directories.PROJECT).as_posix()
    except ValueError:
        return str(path)
