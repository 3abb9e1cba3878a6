"""The progress of an update as a graph: datasets with the states of their flows, rows, and expectations.

Datasets whose names begin with two underscores are helpers and are not shown: their readers get their sources' arrows.

Nothing that goes wrong with the picture reaches the update.
"""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from threading import Lock

from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.planning.expectations import Counts
from declarative_pipelines.updates.results import (
    DatasetNode,
    FlowChanged,
    GraphKnown,
    Observer,
    Progress,
    State,
    Update,
    UpdateChanged,
    lost_counts,
)
from declarative_pipelines.view.graph import Bar, Graph, Node, Phase, Shape
from declarative_pipelines.view.live_graph import LiveGraph
from streaming_base import front_end

_log = logging.getLogger(__name__)
_view: ContextVar[LiveGraph | None] = ContextVar("the graph that updates share", default=None)


@contextmanager
def shared_graph() -> Iterator[None]:
    """Show the updates of a ``with`` block in one output."""
    token = _view.set(LiveGraph())
    try:
        yield
    finally:
        _view.reset(token)


def run_and_show(update: Callable[[Observer], Update], title: str, is_dry: bool, observer: Observer) -> Update:
    """Run an update and show its graph; return the update with the graph.  Outside a notebook only run it.

    Without a person at the notebook, a failed update is also reported on stderr, which fails a headless run.
    """
    if not front_end.in_notebook():
        return update(observer)
    view, graph = _view.get() or LiveGraph(), UpdateGraph(title, is_dry)

    def observe(progress: Progress) -> None:
        with _harmless(view):
            graph(progress)
        observer(progress)

    with _harmless(view):
        view.begin(graph.graph)
    try:
        done = update(observe)
    except BaseException as error:
        graph.broke(error)
        raise
    finally:
        drawn = None
        with _harmless(view):
            drawn = view.end()
    if done.failure is not None and not is_dry and not front_end.is_interactive():
        print(done.failure, file=sys.stderr)  # a run without a person has no use for the picture
    return replace(done, drawn=drawn)


@contextmanager
def _harmless(view: LiveGraph) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        _log.warning("The graph of an update could not be drawn", exc_info=True)
        with suppress(Exception):  # where nothing can be said either
            view.give_up(error)


LONGEST = 300  # characters of an error's first sentence

_PHASES = {
    State.QUEUED: Phase.WAITING,
    State.RUNNING: Phase.RUNNING,
    State.COMPLETED: Phase.COMPLETED,
    State.FAILED: Phase.FAILED,
    State.SKIPPED: Phase.SKIPPED,
    State.EXCLUDED: Phase.EXCLUDED,
    State.STOPPED: Phase.STOPPED,
}
_SHAPES = {
    DatasetKind.TABLE: Shape.TABLE,
    DatasetKind.STREAMING_TABLE: Shape.STREAM,
    DatasetKind.MATERIALIZED_VIEW: Shape.TABLE,
    DatasetKind.TEMPORARY_VIEW: Shape.VIEW,
    DatasetKind.SINK: Shape.SINK,
}
# Of a dataset with several flows the first of these that one of them has.
_WORST_FIRST = (
    Phase.FAILED,
    Phase.STOPPED,
    Phase.RUNNING,
    Phase.SKIPPED,
    Phase.WAITING,
    Phase.COMPLETED,
    Phase.EXCLUDED,
)
_END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")


class UpdateGraph:
    """The observer of an update that draws its graph; a dry run executes nothing."""

    def __init__(self, title: str, is_dry: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._title, self._is_dry, self._clock = title, is_dry, clock
        self._lock = Lock()  # flows tell of their batches in threads of their own
        self._known = GraphKnown((), {}, ())
        self._update = UpdateChanged(State.QUEUED, 0.0)
        self._heard = clock()  # when the update was in another state
        self._flows: dict[str, tuple[FlowChanged, float]] = {}

    def __call__(self, progress: Progress) -> None:
        """Record an event of the update."""
        with self._lock:
            now = self._clock()
            if isinstance(progress, GraphKnown):
                self._known = progress
            elif isinstance(progress, UpdateChanged):
                self._update, self._heard = progress, now
            else:
                self._flows[progress.flow] = (self._aged(progress, now), now)

    def broke(self, error: BaseException) -> None:
        """Record that the update has ended without an event."""
        with self._lock:
            is_over = self._update.state not in (State.QUEUED, State.RUNNING)
            # An interrupt may end in another error: it cancels jobs of Spark that somebody waits for.
            was_stopped = any(flow.state is State.STOPPED for flow, _ in self._flows.values())
            seconds = self._update.seconds + self._clock() - self._heard
        if is_over:
            return
        if isinstance(error, Exception) and not was_stopped:
            self(UpdateChanged(State.FAILED, seconds, error))
        else:
            self(UpdateChanged(State.STOPPED, seconds))

    def _aged(self, progress: FlowChanged, now: float) -> FlowChanged:
        """Return the change with the seconds that the stopped flow had run."""
        last, heard = self._flows.get(progress.flow, (progress, now))
        if progress.state is not State.STOPPED or last.state is not State.RUNNING:
            return progress
        return replace(progress, seconds=max(progress.seconds, last.seconds + now - heard))

    def graph(self) -> Graph:
        """Return how it stands."""
        with self._lock:
            now, flows = self._clock(), list(self._flows.values())
            update, known = self._update, self._known
        is_over = update.state not in (State.QUEUED, State.RUNNING)
        nodes = [self._node(one, flows, now, is_over) for one in known.datasets if not _is_hidden(one.name)]
        edges = visible_edges(known.edges)
        inside = {one.name for one in known.datasets}
        outside = [name for name in dict.fromkeys(name for edge in edges for name in edge) if name not in inside]
        phase = Phase.RUNNING if update.state is State.QUEUED else _PHASES[update.state]
        seconds = update.seconds if is_over else update.seconds + now - self._heard
        errors = [*(flow.error for flow, _ in flows if flow.state is State.FAILED), update.error]
        said = dict.fromkeys(first_sentence(error) for error in errors if error is not None)
        said |= dict.fromkeys(sentence for flow, _ in flows if (sentence := _lost_counts(flow)))
        tables = [Node(name, Shape.OUTSIDE, "outside the pipeline", label=name.split(".")[-1]) for name in outside]
        word = self._word(update.state)
        return Graph(self._title, phase, seconds, word, (*tables, *nodes), edges, tuple(said))

    def _word(self, state: State) -> str:
        word = "planning" if state is State.QUEUED else _PHASES[state].value
        return f"dry run, {word}" if self._is_dry else word

    def _node(
        self, dataset: DatasetNode, flows: Sequence[tuple[FlowChanged, float]], now: float, is_over: bool
    ) -> Node:
        own = [flow for flow, _ in flows if flow.dataset == dataset.name]
        counts = _counts(dataset.name, own, [flow for flow, _ in flows])
        has_state = dataset.kind is not DatasetKind.TEMPORARY_VIEW and not self._is_dry
        phase = self._phase(own, flows, is_over) if has_state else None
        times = [
            flow.seconds + (now - heard if flow.state is State.RUNNING else 0.0)
            for flow, heard in flows
            if flow.dataset == dataset.name
        ]
        rows = counts.written if counts is not None else None
        return Node(
            dataset.name,
            _SHAPES[dataset.kind],
            dataset.kind.value,
            phase,
            rows if has_state else None,
            counts.dropped if counts is not None else None,
            max(times) if times and phase is not Phase.WAITING else None,
            tuple(_bars(dataset, counts)),
        )

    def _phase(self, own: Sequence[FlowChanged], flows: Sequence[object], is_over: bool) -> Phase:
        if not own:  # all flows of the update are told of before the first one runs
            return Phase.EXCLUDED if flows or is_over else Phase.WAITING
        there = {_PHASES[flow.state] for flow in own}
        return next(phase for phase in _WORST_FIRST if phase in there)


def visible_edges(edges: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the edges without hidden datasets: their readers read their sources."""
    edges = list(edges)
    sources: dict[str, list[str]] = {}
    for source, target in edges:
        sources.setdefault(target, []).append(source)
    found = [
        (seen, target)
        for source, target in edges
        if not _is_hidden(target)
        for seen in _visible(source, sources, frozenset())
        if seen != target
    ]
    return tuple(dict.fromkeys(found))


def first_sentence(error: BaseException) -> str:
    """Return the first sentence of an error's text, shortened."""
    sentence = _END_OF_SENTENCE.split(str(error).strip(), maxsplit=1)[0] or type(error).__name__
    return sentence if len(sentence) <= LONGEST else sentence[: LONGEST - 1] + "…"


def _is_hidden(name: str) -> bool:
    return name.split(".")[-1].strip("`").startswith("__")


def _visible(name: str, sources: Mapping[str, Sequence[str]], passed: frozenset[str]) -> list[str]:
    if not _is_hidden(name):
        return [name]
    before = [one for one in sources.get(name, ()) if one not in passed]
    return [seen for one in before for seen in _visible(one, sources, passed | {name})]


def _counts(dataset: str, own: Sequence[FlowChanged], flows: Sequence[FlowChanged]) -> Counts | None:
    """Return the counts of a dataset: the sum over its flows; for a view, of the flow that has read most of it.

    Each flow that reads a view counts the same rows again, so the sum would be wrong.
    """
    if any(_lost_counts(flow) for flow in own):
        return None
    if own:
        mine = [flow.counts[dataset] for flow in own if dataset in flow.counts]
        return sum(mine, Counts()) if mine else None
    found = [flow.counts[dataset] for flow in flows if dataset in flow.counts]
    return max(found, key=lambda counts: counts.records, default=None)


def _lost_counts(flow: FlowChanged) -> str:
    return lost_counts(flow.flow, flow.dataset, flow.state, flow.counts)


def _bars(dataset: DatasetNode, counts: Counts | None) -> Iterable[Bar]:
    for number, expectation in enumerate(dataset.expectations):
        violated = counts.failed[number] if counts is not None and number < len(counts.failed) else None
        met = None if counts is None or violated is None else counts.records - violated
        yield Bar(expectation.name, expectation.violation.value, met, violated)
