"""The progress of an update as a graph below its cell: datasets with the states of their flows, rows, and expectations.

The graph changes in place, and stays as its last picture.  It is drawn from what is there when it is looked at, so that
a thousand changes in a second cost four pictures.  Without a person to look there is one output, at the end.

Datasets whose names begin with two underscores are helpers and are not shown: their readers get their sources' arrows.
Nothing that goes wrong with the picture reaches the update.
"""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from declarative_pipelines.definitions.model import Dataset, DatasetKind
from declarative_pipelines.graph import Bar, Graph, Node, as_text, state_word
from declarative_pipelines.graph_picture import as_html, as_image
from declarative_pipelines.updates.expectations import Counts
from declarative_pipelines.updates.results import (
    Drawn,
    FlowProgress,
    GraphKnown,
    Observer,
    Progress,
    State,
    Update,
    UpdateChanged,
    worst_state,
)
from streaming_base import front_end
from streaming_base.errors import short_message
from streaming_base.refreshing import REFRESH_INTERVAL, refresh

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

_log = logging.getLogger(__name__)
LONGEST = 300  # characters of an error's first sentence
_END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")


def _bundle(graph: Graph) -> dict[str, str]:
    """Return the output's MIME bundle: HTML for a person at the notebook, an image for a saved file."""
    if front_end.is_interactive():
        return {"text/html": as_html(graph), "text/plain": as_text(graph)}
    return {"text/html": as_image(graph), "text/plain": as_text(graph, with_seconds=False)}


class LiveGraph:
    """A graph that is redrawn from a source, at most four times per second, until its end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._source: Callable[[], Graph] | None = None
        self._is_over = self._is_broken = self._is_followed = False
        self._drawn: Drawn | None = None
        self._at = 0.0
        self._handle: DisplayHandle | None = None

    def begin(self, source: Callable[[], Graph]) -> None:
        """Show the source's graph from now on, in place of an earlier one."""
        with self._lock:
            self._source, self._is_over, self._is_broken = source, False, False
            if not front_end.is_interactive():
                return
            self._draw()
            is_new, self._is_followed = not self._is_followed, True
        if is_new:
            refresh(self)

    def tick(self) -> bool:
        """Redraw a changed graph unless the last picture is too recent; return whether more changes may come."""
        with self._lock:
            if self._is_over or self._is_broken:
                self._is_followed = False
                return False
            if self._clock() - self._at >= REFRESH_INTERVAL:
                self._draw()
            return True

    def end(self) -> Drawn | None:
        """Draw and return the last picture, or None if drawing has failed."""
        with self._lock:
            self._is_over = True
            if self._source is None or self._is_broken:
                return None
            self._draw()
            return self._drawn

    def give_up(self, error: Exception) -> None:
        """Replace the picture by the error that prevented it."""
        with self._lock:
            self._is_broken = True
            self._publish({"text/plain": f"The graph could not be drawn: {short_message(error)}"})

    def _draw(self) -> None:
        assert self._source is not None  # those who call it have looked
        before, bundle = self._drawn, _bundle(self._source())
        self._drawn = Drawn(bundle, front_end.running_cell() if before is None else before.cell)
        if before is None or bundle != before.bundle:
            self._at = self._clock()
            self._publish(bundle)

    def _publish(self, bundle: dict[str, str]) -> None:
        if self._handle is not None:
            self._handle.update(bundle, raw=True)
            return
        from IPython.display import display  # a session in plain Python does without IPython

        self._handle = display(bundle, raw=True, display_id=True)


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


class UpdateGraph:
    """The observer of an update that draws its graph; a dry run executes nothing."""

    def __init__(self, title: str, is_dry: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._title, self._is_dry, self._clock = title, is_dry, clock
        self._lock = Lock()  # flows tell of their batches in threads of their own
        self._known = GraphKnown((), ())
        self._update = UpdateChanged(State.QUEUED, 0.0)
        self._heard = clock()  # when the update was in another state
        self._flows: dict[str, tuple[FlowProgress, float]] = {}

    def __call__(self, progress: Progress) -> None:
        """Record an event of the update."""
        with self._lock:
            now = self._clock()
            if isinstance(progress, GraphKnown):
                self._known = progress
            elif isinstance(progress, UpdateChanged):
                self._update, self._heard = progress, now
            else:
                last, heard = self._flows.get(progress.name, (progress, now))
                if progress.state is State.STOPPED and last.state is State.RUNNING:
                    progress = replace(progress, seconds=max(progress.seconds, last.seconds + now - heard))
                self._flows[progress.name] = (progress, now)

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

    def graph(self) -> Graph:
        with self._lock:
            now, flows = self._clock(), list(self._flows.values())
            update, known = self._update, self._known
        is_over = update.state not in (State.QUEUED, State.RUNNING)
        nodes = [self._node(one, flows, now, is_over) for one in known.datasets if not _is_hidden(one.name)]
        edges = visible_edges(known.edges)
        inside = {one.name for one in known.datasets}
        outside = [name for name in dict.fromkeys(name for edge in edges for name in edge) if name not in inside]
        state = State.RUNNING if update.state is State.QUEUED else update.state
        seconds = update.seconds if is_over else update.seconds + now - self._heard
        errors = [*(flow.error for flow, _ in flows if flow.state is State.FAILED), update.error]
        said = dict.fromkeys(first_sentence(error) for error in errors if error is not None)
        said |= dict.fromkeys(sentence for flow, _ in flows if (sentence := flow.lost_counts))
        tables = [Node(name, None) for name in outside]
        word = "planning" if update.state is State.QUEUED else state_word(update.state)
        word = f"dry run, {word}" if self._is_dry else word
        return Graph(self._title, state, seconds, word, (*tables, *nodes), edges, tuple(said))

    def _node(self, dataset: Dataset, flows: Sequence[tuple[FlowProgress, float]], now: float, is_over: bool) -> Node:
        own = [flow for flow, _ in flows if flow.dataset == dataset.name]
        counts = _counts(dataset.name, own, [flow for flow, _ in flows])
        has_state = dataset.kind is not DatasetKind.TEMPORARY_VIEW and not self._is_dry
        state = None
        if has_state:  # all flows of the update are told of before the first one runs
            state = worst_state(flow.state for flow in own) if own or flows or is_over else State.QUEUED
        times = [
            flow.seconds + (now - heard if flow.state is State.RUNNING else 0.0)
            for flow, heard in flows
            if flow.dataset == dataset.name
        ]
        bars = []
        for number, expectation in enumerate(dataset.expectations):
            violated = counts.failed[number] if counts is not None and number < len(counts.failed) else None
            met = None if counts is None or violated is None else counts.records - violated
            bars.append(Bar(expectation.name, expectation.violation.value, met, violated))
        return Node(
            dataset.name,
            dataset.kind,
            state,
            counts.written if counts is not None and has_state else None,
            counts.dropped if counts is not None else None,
            max(times) if times and state is not State.QUEUED else None,
            tuple(bars),
        )


def visible_edges(edges: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the edges without hidden datasets: their readers read their sources."""
    edges = list(edges)
    sources: dict[str, list[str]] = {}
    for source, target in edges:
        sources.setdefault(target, []).append(source)

    def visible(name: str, passed: frozenset[str] = frozenset()) -> list[str]:
        if not _is_hidden(name):
            return [name]
        before = [one for one in sources.get(name, ()) if one not in passed]
        return [seen for one in before for seen in visible(one, passed | {name})]

    shown = [(source, target) for source, target in edges if not _is_hidden(target)]
    found = [(seen, target) for source, target in shown for seen in visible(source) if seen != target]
    return tuple(dict.fromkeys(found))


def first_sentence(error: BaseException) -> str:
    """Return the first sentence of an error's text, shortened."""
    sentence = _END_OF_SENTENCE.split(str(error).strip(), maxsplit=1)[0] or type(error).__name__
    return sentence if len(sentence) <= LONGEST else sentence[: LONGEST - 1] + "…"


def _is_hidden(name: str) -> bool:
    return name.split(".")[-1].strip("`").startswith("__")


def _counts(dataset: str, own: Sequence[FlowProgress], flows: Sequence[FlowProgress]) -> Counts | None:
    """Return the counts of a dataset: the sum over its flows; for a view, of the flow that has read most of it.

    Each flow that reads a view counts the same rows again, so the sum would be wrong.
    """
    if any(flow.lost_counts for flow in own):
        return None
    if own:
        mine = [flow.counts[dataset] for flow in own if dataset in flow.counts]
        return sum(mine, Counts()) if mine else None
    found = [flow.counts[dataset] for flow in flows if dataset in flow.counts]
    return max(found, key=lambda counts: counts.records, default=None)
