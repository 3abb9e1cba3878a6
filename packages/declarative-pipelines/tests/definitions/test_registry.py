"""Definitions of a notebook's cells: run again, they replace what they were."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from declarative_pipelines.definitions import decorators, registry
from declarative_pipelines.errors import BadDefinition
from streaming_base import front_end

Cell = Callable[..., None]


@pytest.fixture
def run_cell(cells: None, monkeypatch: pytest.MonkeyPatch) -> Cell:
    """Run a cell that defines tables of these names."""
    runs = iter(range(100))

    def run(cell: str | None, *names: str) -> None:
        number = f"run {next(runs)}"
        monkeypatch.setattr(front_end, "running_cell", lambda: (cell, number))
        for name in names:
            decorators.table(name=name)(lambda: None)

    return run


def names() -> list[str]:
    return [dataset.name for dataset in registry.of_notebook().datasets]


def test_a_cell_that_is_run_again_replaces_all_that_it_had_defined(run_cell: Cell) -> None:
    run_cell("first", "a", "b")
    run_cell("second", "c")
    run_cell("first", "a")
    assert sorted(names()) == ["a", "c"]


def test_a_name_in_two_cells_is_taken(run_cell: Cell) -> None:
    run_cell("first", "a")
    run_cell("second", "a")
    with pytest.raises(BadDefinition, match="the name a is taken"):
        names()


def test_where_cells_have_no_names_a_dataset_of_the_same_name_is_replaced(run_cell: Cell) -> None:
    run_cell(None, "a", "b")
    run_cell(None, "a")
    assert sorted(names()) == ["a", "b"]


def test_with_a_dataset_that_is_replaced_the_flows_of_its_earlier_kind_go(run_cell: Cell) -> None:
    run_cell(None)
    decorators.create_streaming_table("a")
    decorators.apply_changes(target="a", source="b", keys=["k"], sequence_by="n")
    decorators.append_flow(target="a", name="more")(lambda: None)
    run_cell(None, "b")
    run_cell(None, "a")
    definitions = registry.of_notebook()
    assert definitions.changes == []
    assert definitions.flows == []  # what fills a table that is a function is in the table


def test_a_flow_of_another_cell_stays_when_its_target_is_defined_again(run_cell: Cell) -> None:
    run_cell(None)
    decorators.create_streaming_table("a")
    run_cell(None)
    decorators.append_flow(target="a", name="more")(lambda: None)
    run_cell(None)
    decorators.create_streaming_table("a")
    assert [flow.name for flow in registry.of_notebook().flows] == ["more"]
