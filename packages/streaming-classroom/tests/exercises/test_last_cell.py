from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from IPython.core.interactiveshell import InteractiveShell

from streaming_classroom.exercises import last_cell


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.setattr(last_cell, "_begun", "")
    shell = InteractiveShell.instance()
    last_cell.watch()
    last_cell.watch()
    yield shell
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(("cell", "kind"), [("1 / 0", ZeroDivisionError), ("(", SyntaxError), ("1", type(None))])
def test_a_cell_sees_how_the_one_before_it_ended(shell: InteractiveShell, cell: str, kind: type) -> None:
    shell.user_ns |= {"last_cell": last_cell, "DA": SimpleNamespace(exercise=lambda name: None)}
    shell.run_cell(f"DA.exercise('05.2')\n{cell}")
    assert type(shell.run_cell("last_cell.error('05.2')").result) is kind
    assert shell.run_cell("last_cell.error('05.2')").result is None


def test_an_exercise_that_nobody_has_begun_is_not_blamed_for_another_cell(shell: InteractiveShell) -> None:
    shell.user_ns |= {"DA": SimpleNamespace(exercise=lambda name: None)}
    shell.run_cell("1 / 0")
    assert last_cell.error("05.2") is None
    shell.run_cell('DA.exercise("05.1")\nmade = 1 / 0')
    assert last_cell.error("05.2") is None and isinstance(last_cell.error("05.1"), ZeroDivisionError)


def test_a_cell_of_ones_own_below_the_exercises_is_of_the_exercise(shell: InteractiveShell) -> None:
    shell.user_ns |= {"DA": SimpleNamespace(exercise=lambda name: None)}
    shell.run_cell('DA.exercise("05.2")\njob = None')
    shell.run_cell("job = undefined_name")
    assert isinstance(last_cell.error("05.2"), NameError)


@pytest.mark.parametrize("begun", ["1", "DA.exercise('05.1')"])
def test_a_cell_without_the_first_line_is_of_the_exercise_that_makes_what_it_names(
    shell: InteractiveShell, begun: str
) -> None:
    shell.user_ns |= {"DA": SimpleNamespace(exercise=lambda name: None)}
    shell.run_cell(begun)
    shell.run_cell("%sql\nCREATE TEMP VIEW Loud_VW AS SELECT * FROM steaming")
    assert last_cell.error("05.2", ["loud_vw"]) is not None
    assert last_cell.error("05.2", ["loud"]) is None
    shell.run_cell("DA.exercise('05.1')\nloud_vw = 1 / 0")
    assert last_cell.error("05.2", ["loud_vw"]) is None


def test_an_error_that_is_shown_our_way_is_seen_as_well(shell: InteractiveShell) -> None:
    shell.set_custom_exc((ValueError,), lambda self, etype, value, trace, tb_offset=None: ["short"])
    shell.user_ns |= {"DA": SimpleNamespace(exercise=lambda name: None)}
    shell.run_cell("DA.exercise('05.2')\nraise ValueError('x')")
    assert isinstance(last_cell.error("05.2"), ValueError)
