"""The tests of a run: the same each time, the folders that a change touches, within CI's time, in parts."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from suite import selection


class Item:
    """Stands for a collected test: its file, and its markers."""

    def __init__(self, path: str, *markers: pytest.Mark) -> None:
        self.path = selection.PROJECT / path
        self.nodeid = f"{path}::test"
        self._markers = {marker.name: marker for marker in markers}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self._markers.get(name)


SLOW, EXHAUSTIVE = pytest.mark.slow.mark, pytest.mark.exhaustive.mark
UNIT, KILLS = Item("packages/a/tests/test_unit.py"), Item("packages/a/tests/test_kills.py", SLOW)
LESSON = Item("tests/test_notebooks.py", SLOW, pytest.mark.lesson("07").mark)
OTHER = Item("tests/test_notebooks.py", SLOW, pytest.mark.lesson("08").mark)
MUTANTS = Item("tests/exercises/test_mutants.py", EXHAUSTIVE, pytest.mark.lesson("08").mark)
ITEMS: list[Any] = [UNIT, KILLS, LESSON, OTHER, MUTANTS]


def selected(monkeypatch: pytest.MonkeyPatch, changed: list[str], **options: object) -> tuple[list[Any], dict]:
    """Return the tests that a run with these options has, and what it leaves out."""
    monkeypatch.setattr(selection, "changed_files", lambda project, since: changed)
    option = SimpleNamespace(**{"all": False, "exhaustive": False, "since": None, "part": None} | options)
    config: Any = SimpleNamespace(option=option, stash={selection.LEFT_OUT: {}})
    chosen = selection._selected(config, ITEMS)
    return [item for item in ITEMS if item in chosen], config.stash[selection.LEFT_OUT]


@pytest.mark.parametrize(
    ("options", "changed", "expected"),
    [
        ({}, ["packages/a/src/a/x.py"], [UNIT]),
        ({"all": True}, [], [UNIT, KILLS, LESSON, OTHER]),
        ({"exhaustive": True}, [], ITEMS),
        ({"since": "day"}, ["README.md"], [UNIT]),
        ({"since": "day"}, ["packages/a/src/a/x.py"], [UNIT, KILLS]),
        ({"since": "day"}, ["notebooks/07-Checkpoints.ipynb"], [UNIT, LESSON]),
        ({"since": "day"}, ["exercises/lesson_08/quiz.py"], [UNIT, OTHER, MUTANTS]),
        ({"since": "day"}, ["exercises/lesson_07/1/check.py"], [UNIT, LESSON]),
    ],
)
def test_other_tests_run_with_an_option_and_where_their_folder_has_changed(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, object], changed: list[str], expected: list[Any]
) -> None:
    assert selected(monkeypatch, changed, **options)[0] == expected


def test_what_would_exceed_the_limit_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "recorded_times", lambda: {"tests/test_notebooks.py[07] slow": selection.LIMIT})

    tests, left_out = selected(monkeypatch, ["notebooks/07-A.ipynb", "notebooks/08-B.ipynb"], since="day")

    assert tests == [UNIT, OTHER, MUTANTS]
    assert left_out == {"tests/test_notebooks.py[07] slow": selection.LIMIT}


@pytest.mark.slow
def test_each_test_is_in_exactly_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [selected(monkeypatch, [], exhaustive=True, part=f"{number}/3")[0] for number in (1, 2, 3)]

    assert sorted(item.nodeid for part in parts for item in part) == sorted(item.nodeid for item in ITEMS)
    assert all(parts)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a Git repository with a commit of two days ago and one of today, and a file that is not committed."""

    def commit(name: str, date: str) -> None:
        (tmp_path / name).touch()
        subprocess.run(["git", "add", name], cwd=tmp_path, check=True)
        dates = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        person = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *person, "commit", "-qm", name], cwd=tmp_path, env=dates, check=True)

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    commit("old", "2026-01-01T12:00:00Z")
    commit("new", "2026-01-03T12:00:00Z")
    (tmp_path / "uncommitted").touch()
    return tmp_path


def test_what_differs_from_the_day_before_the_last_commit_has_changed(repository: Path) -> None:
    assert selection.changed_files(repository, "day") == ["new", "uncommitted"]
    assert selection.changed_files(repository, "HEAD") == ["uncommitted"]


@pytest.mark.slow
def test_a_commit_that_git_does_not_know_is_a_usage_error(repository: Path) -> None:
    with pytest.raises(pytest.UsageError, match="--since nonsense"):
        selection.changed_files(repository, "nonsense")
