"""Which cell of a notebook is a learner's answer (last_cell.py)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from streaming_base import front_end
from streaming_classroom.exercises import Exercise, Makes, last_cell


def exercise(number: str, starter: str, makes: Makes) -> Exercise:
    return Exercise(number, "t", starter, (), "", "", lambda _attempt: None, (), makes)


PYTHON = exercise("42.1", 'DA.exercise("42.1")', Makes(variables=("query",)))
SQL = exercise("42.2", "%sql\n-- CREATE", Makes(views=("per_device_vw",)))
PLAIN = exercise("42.3", "defence = None", Makes(variables=("defence",)))
CREATE = "%sql\nDROP VIEW IF EXISTS per_device_vw;\nCREATE TEMP VIEW per_device_vw AS SELECT 1"


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch):
    def make(*cells: str) -> None:
        shell = SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=["", *cells]))
        monkeypatch.setattr(front_end, "ipython", lambda: shell)

    return make


def test_the_last_cell_that_begins_the_exercise_is_the_answer(notebook) -> None:
    first, last = 'DA.exercise("42.1")\nquery = 1', 'DA.exercise("42.1")\nquery = 2'
    notebook(first, last, 'DA.exercise("42.9")\nquery = 3', 'DA.check("42.1")')
    assert last_cell.source_of(PYTHON) == last


def test_a_cell_of_sql_is_known_by_the_view_that_it_creates(notebook) -> None:
    notebook(CREATE, "%sql\nSELECT * FROM per_device_vw", "%sql\nDROP VIEW per_device_vw", 'DA.check("42.2")')
    assert last_cell.source_of(SQL) == CREATE


def test_a_cell_that_begins_nothing_is_known_by_the_variable_that_it_assigns(notebook) -> None:
    notebook("defence = {}", "print(defence)", "backlog_defence = 3")
    assert last_cell.source_of(PLAIN) == "defence = {}"


def test_where_nothing_was_run_or_nobody_keeps_cells_there_is_no_answer(notebook, monkeypatch) -> None:
    notebook("1 + 1")
    assert last_cell.source_of(PYTHON) is None and last_cell.source_of(SQL) is None
    monkeypatch.setattr(front_end, "ipython", lambda: None)
    assert last_cell.source_of(PYTHON) is None


def test_the_statements_of_a_cell_of_sql_are_what_stands_below_its_magic() -> None:
    assert last_cell.is_sql("\n-- mine\n%sql\nSELECT 1") and not last_cell.is_sql("x = '%sql'")
    assert last_cell.statements_of("\n%sql\nSELECT 1").strip() == "SELECT 1"
