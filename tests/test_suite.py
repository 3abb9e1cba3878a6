"""The tests of a run: the same each time, the folders that a change touches, within CI's time, in parts."""

from __future__ import annotations

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
