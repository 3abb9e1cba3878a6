"""Moves a workspace's files so that nothing of the learner's is lost if the process is killed.

Three rules. A file appears whole and never over another one. A file that the course takes away is first moved aside
and looked at *there*, where nobody can save into it between the look and the removal. And no step relies on a clean-up
that a kill would leave out: the next start finds what was left aside and puts it back.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from itertools import count
from pathlib import Path

_INCOMING = ".course-incoming"
_ASIDE = ".course-aside"
Removable = Callable[[Path, str], bool]
_LEFT_ASIDE = re.compile(rf"\.(?P<name>.+)\.[0-9a-f]{{8}}{re.escape(_ASIDE)}", re.DOTALL)


def put(path: Path, content: bytes) -> bool:
    """Make a new file, whole or not at all; tell whether there was none of that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    incoming = path.with_name(f".{secrets.token_hex(4)}{_INCOMING}")
    incoming.write_bytes(content)
    if move(incoming, path):
        return True
    incoming.unlink()
    return False


def write_over(path: Path, content: bytes) -> None:
    """Write a file of the course's own: a reader sees the old one or the new one."""
    incoming = path.with_name(f".{secrets.token_hex(4)}{_INCOMING}")
    incoming.write_bytes(content)
    incoming.replace(path)


def move(source: Path, target: Path) -> bool:
    """Give a file another name, unless something has that name already; tell whether it was done.

    Killed between its two steps, it leaves the file under both names.
    """
    try:
        target.hardlink_to(source)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if target.exists() or target.is_symlink():
            return False
        source.rename(target)
    else:
        source.unlink()
    return True


def keep(path: Path, name_of: Callable[[int], str]) -> Path:
    """Move a file to the first of some names that is free, and return where it is now."""
    names = (path.with_name(name_of(number)) for number in count(1))
    return next(name for name in names if move(path, name))


def remove(path: Path, is_removable: Removable) -> bool:
    """Remove a file if it may go, and tell whether it is gone; what may not go is there again under its name.

    Parameters
    ----------
    path : Path
        The file.
    is_removable : callable
        Is asked, with where the file is at that moment and its own name, whether it may go.
    """
    if not is_removable(path, path.name):
        return False
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_ASIDE}")
    path.rename(aside)
    return _settle(aside, path, is_removable)


def recover(folder: Path, is_removable: Removable) -> None:
    """Put right what a killed process has left in a folder: what it moved aside is back, or gone if it may go."""
    for left in sorted(folder.glob(f".*{_ASIDE}")):
        if match := _LEFT_ASIDE.fullmatch(left.name):
            _settle(left, left.with_name(match["name"]), is_removable)
    for left in folder.glob(f".*{_INCOMING}"):
        left.unlink()


def _settle(aside: Path, path: Path, is_removable: Removable) -> bool:
    if is_removable(aside, path.name):
        aside.unlink()
        return True
    if path.exists() and path.samefile(aside):  # killed between the two steps of `move`
        aside.unlink()
    elif not move(aside, path):  # somebody has saved another one meanwhile
        keep(aside, lambda number: f"{path.stem} (kept, {number}){path.suffix}")
    return False
