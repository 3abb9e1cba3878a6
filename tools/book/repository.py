"""The repository's public address, from which links to files and the links of *open in* are made; it may be unknown.

It is the setting ``repository`` of ``[tool.course]`` in ``pyproject.toml``, or ``CLASSROOM_REPOSITORY``.  Where it is
empty, a link to a file that is no page leads to the file itself, which the book then has beside its pages.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

SETTING = "CLASSROOM_REPOSITORY"
_GITHUB = re.compile(r"https://github\.com/(?P<name>[^/]+/[^/]+)")


@dataclass(frozen=True)
class Repository:
    """Where the course is published.

    Parameters
    ----------
    address : str
        Such as ``https://github.com/owner/name``; empty where it is not published.
    """

    address: str = ""

    @property
    def github(self) -> str:
        """``owner/name`` on GitHub; empty anywhere else."""
        found = _GITHUB.fullmatch(self.address)
        return found["name"] if found else ""

    def url(self, path: str, is_folder: bool = False) -> str:
        """Return where a file or folder of the repository is shown; empty where it is not published."""
        return f"{self.address}/{'tree' if is_folder else 'blob'}/HEAD/{quote(path)}" if self.address else ""


UNPUBLISHED = Repository()


def repository_of(project: Path) -> Repository:
    """Return the repository that the environment names, else the one that the project does."""
    settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    named = settings.get("tool", {}).get("course", {}).get("repository", "")
    return Repository(os.environ.get(SETTING, named).strip().rstrip("/").removesuffix(".git"))
