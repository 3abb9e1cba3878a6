"""Which cell shows which stream: running the cell again replaces what it had started.

A front end takes a cell's outputs away before it runs the cell again, and with them the button that stops the stream;
so the stream ends with its view, whatever the cell says now.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from stream_view.errors import NameInUse
from streaming_base import front_end, waiting

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery


class Closeable(Protocol):
    """Something that a run of a cell has made beside its streams."""

    def close(self) -> None:
        """Close it, since the cell runs again."""


@dataclass
class _CellRun:
    """One run of a cell: its id, the number beside the cell, its streams, and the objects to close with them."""

    run: str | None
    number: int
    queries: list[StreamingQuery] = field(default_factory=list)
    belongings: list[Closeable] = field(default_factory=list)


_runs: dict[str, _CellRun] = {}  # the last run of each cell that shows streams, by the front end's id of the cell


def register_stream(query: StreamingQuery) -> None:
    """Register a stream with the running cell, if the front end identifies the cell."""
    if (run := _running()) is not None:
        run.queries.append(query)


def close_when_run_again(belonging: Closeable) -> None:
    """Register an object to close when the running cell is run again."""
    if (run := _running()) is not None:
        run.belongings.append(belonging)


def refuse_name_in_use(name: str, active: list[StreamingQuery]) -> None:
    """Raise :class:`NameInUse` where an active stream has the name."""
    taken = next((query for query in active if query.name == name), None)
    if taken is None:
        return
    shell = front_end.ipython()
    owner = next((run.number for run in _runs.values() if taken.runId in [query.runId for query in run.queries]), None)
    raise NameInUse(name, owner, shell.execution_count if shell else None)


def _running() -> _CellRun | None:
    shell = front_end.ipython()
    cell, run = front_end.running_cell()
    if shell is None or cell is None:
        return None
    if _stop_streams_of_cell not in shell.events.callbacks["pre_run_cell"]:
        shell.events.register("pre_run_cell", _stop_streams_of_cell)
    if cell not in _runs or _runs[cell].run != run:
        _runs[cell] = _CellRun(run, shell.execution_count)
    return _runs[cell]


def _stop_streams_of_cell(_info: object = None) -> None:
    """End the streams that an earlier run of this cell shows."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    cell, run = front_end.running_cell()
    earlier = _runs.get(cell) if cell is not None else None
    if earlier is None or earlier.run == run:
        return
    del _runs[cell]
    with suppress(Py4JError, PySparkException):  # where Spark itself has ended, its streams have
        waiting.stop_streams([query for query in earlier.queries if query.isActive])
    for belonging in earlier.belongings:
        with suppress(Py4JError, PySparkException):
            belonging.close()
