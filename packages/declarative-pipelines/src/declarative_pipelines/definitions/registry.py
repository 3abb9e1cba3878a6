"""Which set of definitions a new definition joins: the source file's that is being read, or the notebook's.

A notebook's cell that is run again replaces what it had defined.  The front end's name of the cell tells one from
another; where there is none, a dataset that is defined again replaces the one of that name.

Arguments that only tune the platform's own machinery are accepted and have no effect.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from declarative_pipelines.definitions.model import (
    ChangeFlow,
    Dataset,
    Definitions,
    Flow,
    SnapshotFlow,
    SourceLocation,
    is_same,
)
from declarative_pipelines.errors import BadDefinition, UnsupportedFeature
from streaming_base import front_end

_TABLE = ("comment", "spark_conf", "table_properties", "partition_cols", "cluster_by", "schema", "format")
_KNOWN = {
    "table": _TABLE,
    "materialized_view": _TABLE,
    "temporary_view": ("comment", "spark_conf"),
    "create_streaming_table": _TABLE,
    "create_auto_cdc_flow": ("flow_name",),
    "create_auto_cdc_from_snapshot_flow": (),
    "append_flow": ("target", "once", "spark_conf", "comment"),
    "create_sink": ("format", "options"),
}
# A table that only the pipeline is to see is a table like any other here.
_WITHOUT_EFFECT = ("cluster_by_auto", "refresh_policy", "private", "temporary")
_REFUSED = {
    "path": "a table's files lie where its schema has them; leave path= out, or write there by a sink.",
    "row_filter": "open-source Spark has no row filters; leave row_filter= out, and filter in a view over the table.",
    "system_sequence_by": "histories of two times are not here; leave system_sequence_by= out, and keep the time at "
    "which a change arrived in a column of its own.",
}
#: Names of the two modules that the platform has beside those that are here.
MODULE = {
    "on_event_hook": "event hooks are not here; give run_pipeline(observer=...) a function.",
    "create_feature_table": "feature tables are not here; write a table.",
    "update_flow": "flows in update mode are not here; write @dlt.append_flow into a sink of @dlt.foreach_batch_sink, "
    "which merges each batch, or a materialized view.",
}


def known(spelling: str, arguments: Mapping[str, Any], location: SourceLocation) -> dict[str, Any]:
    """Return the arguments that say something here.

    Raises UnsupportedFeature for one that is the platform's and cannot be had here, BadDefinition for an unknown one.
    """
    kept = {}
    for name, value in arguments.items():
        if name in _KNOWN[spelling]:
            kept[name] = value
        elif name in _REFUSED and value not in (None, False):
            raise UnsupportedFeature(location, f"{spelling}({name}=...): {_REFUSED[name]}")
        elif name not in _WITHOUT_EFFECT and name not in _REFUSED:
            there = ", ".join(("name", *_KNOWN[spelling]))
            raise BadDefinition(location, f"{spelling}() has no argument {name!r}. It has {there}.")
    return kept


_HERE = str(Path(__file__).parent)


@dataclass
class _Cell:
    run: str | None
    definitions: Definitions = field(default_factory=Definitions)


#: The sources that a thread is reading, the innermost last; another thread may read another pipeline's.
_reading = threading.local()
_cells: dict[str, _Cell] = {}


def _sources() -> list[Definitions]:
    return vars(_reading).setdefault("definitions", [])


@contextmanager
def collected_definitions(definitions: Definitions) -> Iterator[Definitions]:
    """Collect the definitions of a ``with`` block, instead of adding them to those of the notebook."""
    _sources().append(definitions)
    try:
        yield definitions
    finally:
        _sources().pop()


def of_notebook() -> Definitions:
    """Return all that this notebook's cells define, each as it was run last; BadDefinition for a name in two cells."""
    every = Definitions()
    for cell in _cells.values():
        for dataset in cell.definitions.datasets:
            add(every, dataset)
        every.flows += cell.definitions.flows
        every.changes += cell.definitions.changes
    return every


def forget_cells() -> None:
    """Forget the definitions of the notebook's cells."""
    _cells.clear()


@contextmanager
def hidden_cells() -> Iterator[None]:
    """Hide the definitions of the notebook's cells during a ``with`` block."""
    notebooks = dict(_cells)
    _cells.clear()
    try:
        yield
    finally:
        _cells.clear()
        _cells.update(notebooks)


def add(definitions: Definitions, dataset: Dataset) -> None:
    """Add a dataset; BadDefinition if its name is taken."""
    if taken := definitions.dataset(dataset.name):
        raise BadDefinition(
            dataset.location,
            f"the name {dataset.name} is taken, by {taken.location}. Give one of the two another name.",
        )
    definitions.datasets.append(dataset)


def register_definition(definition: Dataset | Flow | ChangeFlow | SnapshotFlow) -> Definitions:
    """Register a definition, and return the collection that it belongs to."""
    sources = _sources()
    definitions = sources[-1] if sources else _of_running_cell()
    if not sources and front_end.running_cell()[0] is None:
        _remove_from_earlier_cells(definition, definitions)
    if isinstance(definition, Dataset):
        add(definitions, definition)
    elif isinstance(definition, Flow):
        definitions.flows.append(definition)
    else:
        definitions.changes.append(definition)
    return definitions


def change_dataset(definitions: Definitions, name: str, change: Callable[[Dataset], Dataset]) -> None:
    """Replace a registered dataset."""
    definitions.datasets[:] = [change(one) if is_same(one.name, name) else one for one in definitions.datasets]


def location() -> SourceLocation:
    """Return where the call into this package stands: a file, or a cell of the notebook."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return location_of(frame.f_code.co_filename, frame.f_lineno)


def location_of(file: str, line: int) -> SourceLocation:
    """Return a location as the reader knows it: a cell by its number, since its file has an unknown name."""
    shell = front_end.ipython()
    number = getattr(getattr(shell, "compile", None), "_filename_map", {}).get(file)
    return SourceLocation(file if number is None else f"cell [{number}]", line)


def _of_running_cell() -> Definitions:
    cell, run = front_end.running_cell()
    name = cell or run or ""
    if name not in _cells or (run is not None and _cells[name].run != run):
        _cells[name] = _Cell(run)
    return _cells[name].definitions


def _remove_from_earlier_cells(
    definition: Dataset | Flow | ChangeFlow | SnapshotFlow, definitions: Definitions
) -> None:
    """Remove a name from an earlier run of a cell to which the front end gives no name.

    With a dataset the flows go that had filled it; another kind may need none.
    """

    def keep_others(noted: list[Any], attribute: str) -> None:
        noted[:] = [one for one in noted if not is_same(getattr(one, attribute), definition.name)]

    for cell in _cells.values():
        if cell.definitions is definitions:
            continue
        if isinstance(definition, Dataset):
            if cell.definitions.dataset(definition.name):
                keep_others(cell.definitions.flows, "target")
                keep_others(cell.definitions.changes, "target")
            keep_others(cell.definitions.datasets, "name")
        elif isinstance(definition, Flow):
            keep_others(cell.definitions.flows, "name")
        else:
            keep_others(cell.definitions.changes, "name")
