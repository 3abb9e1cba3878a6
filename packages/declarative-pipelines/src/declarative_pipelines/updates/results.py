"""The result of an update: its state, its datasets and flows, its expectations' counts, its error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from declarative_pipelines.definitions.model import Dataset, DatasetKind, Violation, is_same
from declarative_pipelines.updates.expectations import Counts
from streaming_base import front_end


@dataclass(frozen=True)
class GraphKnown:
    """The definitions were planned.

    Parameters
    ----------
    datasets
        All of the pipeline, in the order of their definitions, with the kinds that their queries have.
    edges
        Pairs of what is read and what reads it, by dataset; a table outside the pipeline has its full name.
    """

    datasets: tuple[Dataset, ...]
    edges: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class UpdateChanged:
    """The state of the update has changed."""

    state: State
    seconds: float
    error: Exception | None = None


class State(Enum):
    """How far an update or a flow is."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"
    EXCLUDED = "EXCLUDED"
    STOPPED = "STOPPED"


_WORST_FIRST = (
    State.FAILED, State.STOPPED, State.RUNNING, State.SKIPPED, State.QUEUED, State.COMPLETED, State.EXCLUDED,
)  # fmt: skip


def worst_state(states: Iterable[State]) -> State:
    """Return the state of a dataset from those of its flows; without a flow, it is excluded."""
    return min(states, key=_WORST_FIRST.index, default=State.EXCLUDED)


@dataclass(frozen=True)
class FlowProgress:
    """A flow of an update, as observers are told of each new state and each batch, and at its end.

    Parameters
    ----------
    counts
        What it has counted so far, by dataset: its target, and views with expectations on the way.
    seconds
        Since it was begun.
    attempts
        How often it was begun.
    """

    name: str
    dataset: str
    state: State
    counts: Mapping[str, Counts] = field(default_factory=dict)
    seconds: float = 0.0
    error: Exception | None = None
    attempts: int = 0

    @property
    def rows(self) -> int | None:
        """The number of rows written; None if the flow did not run, or :attr:`lost_counts` has its dataset."""
        counts = self.counts.get(self.dataset)
        return None if counts is None else counts.written

    @property
    def lost_counts(self) -> str:
        """That its rows are written and their number is not known, as a sentence; otherwise nothing."""
        if self.state is not State.COMPLETED or self.dataset in self.counts:
            return ""
        return (
            f"The rows of {self.name} are written, but Spark's report of them did not come: how many they are, and how "
            "many met the expectations, is unknown. Count them with a query."
        )


Progress = GraphKnown | UpdateChanged | FlowProgress
Observer = Callable[[Progress], None]


@dataclass(frozen=True)
class DatasetResult:
    """A dataset of an update; its rows are those written by this update, or None if unknown."""

    name: str
    kind: DatasetKind
    state: State
    rows: int | None
    dropped: int | None
    seconds: float


@dataclass(frozen=True)
class ExpectationResult:
    """The counts of one expectation in one flow, or None if unknown."""

    dataset: str
    name: str
    violation: Violation
    flow: str
    passed: int | None
    failed: int | None

    @property
    def dropped(self) -> int | None:
        """The number of dropped records; several expectations may drop one record."""
        return self.failed if self.violation is Violation.DROP else 0


@dataclass(frozen=True)
class Drawn:
    """The last picture of an update, as a MIME bundle, and which run of which cell shows it."""

    bundle: dict[str, str]
    cell: tuple[str | None, str | None]

    def is_here(self) -> bool:
        """Whether the cell that runs shows it already."""
        return self.cell[1] is not None and front_end.running_cell() == self.cell


@dataclass(frozen=True)
class Update:
    """One update of a pipeline.

    Parameters
    ----------
    id
        As the event log has it.
    error
        Why it failed: the first reason, as a sentence; None if it did not.
    drawn
        Its graph, where it was shown; then this is how it shows itself, but not once more below the cell that ran it.
    """

    id: str
    pipeline: str
    state: State
    datasets: tuple[DatasetResult, ...]
    flows: tuple[FlowProgress, ...]
    expectations: tuple[ExpectationResult, ...]
    seconds: float
    error: Exception | None = None
    is_dry: bool = False
    storage: str = ""
    drawn: Drawn | None = field(default=None, compare=False)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of an update that succeeded, one sentence each."""
        return tuple(flow.lost_counts for flow in self.flows if flow.lost_counts)

    def raise_if_failed(self) -> Update:
        """Return the update, or raise its error."""
        if self.error is not None:
            raise self.error
        return self

    @property
    def failure(self) -> str | None:
        """The failure, its reason and the skipped flows in one paragraph; None if the update succeeded."""
        if self.error is None:
            return None
        failed = [str(flow.error) for flow in self.flows if flow.error is not None]
        skipped = [flow.name for flow in self.flows if flow.state is State.SKIPPED]
        behind = [f"Skipped behind it: {', '.join(skipped)}."] if skipped else []
        return " ".join([f"Update of {self.pipeline} FAILED.", *(failed or [str(self.error)]), *behind])

    def dataset(self, name: str) -> DatasetResult:
        """Return a dataset by its name."""
        return next(one for one in self.datasets if is_same(one.name, name))

    def _ipython_display_(self) -> None:
        if self.drawn is None or not self.drawn.is_here():
            raise NotImplementedError  # by which IPython shows it as it shows everything else

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        if self.drawn is not None:
            return self.drawn.bundle
        return {"text/plain": str(self)}

    def __str__(self) -> str:
        datasets = [
            (one.name, one.kind.value, one.state.value, *_of(one.state, one.rows, one.dropped), f"{one.seconds:.1f}")
            if one.state is not State.EXCLUDED
            else (one.name, one.kind.value, "", "", "", "")
            for one in self.datasets
        ]
        expectations = [
            (one.dataset, one.name, one.violation.value, *_of(State.COMPLETED, one.passed, one.failed))
            for one in self.expectations
        ]
        tables = [
            text_table(("dataset", "kind", "state", "rows", "dropped", "seconds"), datasets),
            text_table(("dataset", "expectation", "on violation", "passed", "failed"), expectations),
        ]
        what = "Dry run" if self.is_dry else "Update"
        headline = f"{what} of {self.pipeline}: {self.state.value}, {self.seconds:.1f} s"
        errors = [str(self.error)] if self.error is not None else []
        return "\n\n".join([*filter(None, tables), "\n".join([headline, *self.warnings, *errors])])

    __repr__ = __str__


def _of(state: State, *values: int | None) -> list[str]:
    """Return numbers as text, with a mark for unknown ones."""
    nothing = "unknown" if state is State.COMPLETED else ""
    return [nothing if value is None else str(value) for value in values]


def text_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as text; an empty string without rows."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in [heads, *rows])
    return "\n".join(lines) if rows else ""
