"""The files that changed since a commit, and the tests that they reach by imports, package and lesson.

A test is reached where its file has changed, where a module has changed that it imports, however far down, or, of one
that starts a kernel, a page or a lesson and so imports nothing of what it is about, where the folder of its package or
its lesson has changed.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

SINCE = "CLASSROOM_SINCE"  # a commit: what came in after it is what has changed
_A_DAY = 24 * 60 * 60
_SOURCES = ("packages/*/src", "tools", "exercises", "datasets")
# What every test depends on, whatever it imports.
_EVERYTHING = re.compile(r"(requirements.*|course\.py|conftest\.py|packages/[^/]+/pyproject\.toml)")
_LESSON = re.compile(r"(?:notebooks/|exercises/(?:lesson|quiz)_)(\d+[A-Za-z]?)")


def changed_files(project: Path, landed: bool = False) -> frozenset[str] | None:
    """Return the files that differ from the base, by their paths in the project; None where nobody can say.

    The base is the commit that ``CLASSROOM_SINCE`` names, else where this branch left the main one, else the newest
    commit.  What is not committed yet counts as well, and a file that was only moved does not.

    Parameters
    ----------
    project
        The workspace, a Git repository.
    landed
        Whether what is to be tested is on the main branch already, as in CI: then the last base is the newest commit
        that is a day older than the last one.
    """
    base = os.environ.get(SINCE) or _fork_point(project) or (_a_day_before(project) if landed else "HEAD")
    if not base:
        return None
    listed = _git(project, "diff", "--name-status", "-M", base)
    untracked = _git(project, "ls-files", "--others", "--exclude-standard")
    if listed is None or untracked is None:
        return None
    rows = [line.split("\t") for line in listed.splitlines()]
    return frozenset(row[-1] for row in rows if row[0] != "R100") | frozenset(untracked.splitlines())


def _fork_point(project: Path) -> str | None:
    base = _git(project, "merge-base", "HEAD", "origin/HEAD")
    return base if base != _git(project, "rev-parse", "HEAD") else None


def _a_day_before(project: Path) -> str | None:
    newest = _git(project, "show", "-s", "--format=%ct", "HEAD")
    if not newest:
        return None
    return _git(project, "rev-list", "-1", "--first-parent", f"--before={int(newest) - _A_DAY}", "HEAD") or None


def _git(project: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=project, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


class Reach:
    """Which tests a set of changed files reaches.

    Parameters
    ----------
    project
        The workspace.
    changed
        Paths in it, as :func:`changed_files` returns them.
    """

    def __init__(self, project: Path, changed: Iterable[str]) -> None:
        self._project = project
        self._changed = frozenset(changed)
        self._modules = _modules(project)
        names = {path: name for name, path in self._modules.items()}
        self._touched = _importers(
            {names[path] for path in self._changed if path in names}, _graph(project, self._modules)
        )
        self._all = any(_EVERYTHING.fullmatch(path) for path in self._changed)
        self._packages = {path.split("/")[1] for path in self._changed if re.match(r"packages/[^/]+/src/", path)}
        self._lessons = {found[1].upper() for path in self._changed if (found := _LESSON.match(path))}

    def has(self, test_file: Path, lesson: str | None = None, by_package: bool = False) -> bool:
        """Return whether a test is reached.

        Parameters
        ----------
        test_file
            Where the test is.
        lesson
            The number of the lesson that it is about.
        by_package
            Whether a change anywhere in its package reaches it, since it runs more than it imports.
        """
        path = test_file.relative_to(self._project).as_posix()
        if self._all or self.changed(test_file, lesson) or self._fixtures_changed(path):
            return True
        if lesson is not None:
            return False
        if by_package and path.split("/")[1] in self._packages:
            return True
        return bool(self._imported_by(test_file) & self._touched)

    def changed(self, test_file: Path, lesson: str | None = None) -> bool:
        """Return whether the test itself has changed, or the lesson that it is about."""
        return test_file.relative_to(self._project).as_posix() in self._changed or (
            lesson is not None and lesson.upper() in self._lessons
        )

    def _fixtures_changed(self, path: str) -> bool:
        folders = Path(path).parents
        return any((folder / "conftest.py").as_posix() in self._changed for folder in folders)

    def _imported_by(self, test_file: Path) -> set[str]:
        files = [test_file, *(folder / "conftest.py" for folder in test_file.parents)]
        inside = [file for file in files if file.is_relative_to(self._project) and file.is_file()]
        return {name for file in inside for name in _imports(file, self._modules)}


def _modules(project: Path) -> dict[str, str]:
    """Return all modules that tests may import, by dotted name: their paths in the project."""
    found = {}
    for pattern in _SOURCES:
        for root in project.glob(pattern):
            for path in root.rglob("*.py"):
                parts = path.relative_to(root).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                found[f"lesson_exercises.{name}" if pattern == "exercises" else name] = path.relative_to(
                    project
                ).as_posix()
    return found


def _graph(project: Path, modules: Mapping[str, str]) -> dict[str, set[str]]:
    """Return which modules each module imports, wherever in it."""
    return {name: set(_imports(project / path, modules, name)) for name, path in modules.items()}


@cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _imports(file: Path, modules: Mapping[str, str], name: str = "") -> Iterable[str]:
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            wanted = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (found for each in wanted if (found := _module_of(each, modules)))


def _module_of(name: str, modules: Mapping[str, str]) -> str | None:
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def _importers(changed: set[str], graph: Mapping[str, set[str]]) -> set[str]:
    """Return the changed modules and all that import one of them, however far up."""
    reached, new = set(changed), set(changed)
    while new:
        new = {name for name, imported in graph.items() if imported & new} - reached
        reached |= new
    return reached
