from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from streaming_classroom.exercises import last_cell


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    last_cell.watch()
    last_cell.watch()
    yield shell
    InteractiveShell.clear_instance()


def test_outside_a_notebook_nothing_is_watched() -> None:
    last_cell.watch()


@pytest.mark.parametrize(("cell", "kind"), [("1 / 0", ZeroDivisionError), ("(", SyntaxError), ("1", type(None))])
def test_a_cell_sees_how_the_one_before_it_ended(shell: InteractiveShell, cell: str, kind: type) -> None:
    shell.run_cell(cell)
    shell.user_ns["last_cell"] = last_cell
    assert type(shell.run_cell("last_cell.error()").result) is kind
    assert shell.run_cell("last_cell.error()").result is None


def test_an_error_that_is_shown_our_way_is_seen_as_well(shell: InteractiveShell) -> None:
    shell.set_custom_exc((ValueError,), lambda self, etype, value, trace, tb_offset=None: ["short"])
    shell.run_cell("raise ValueError('x')")
    assert isinstance(last_cell.error(), ValueError)
