"""Draws a running update below its cell, and leaves the last picture with the returned value.

Nothing that goes wrong with the picture reaches the update.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace

from declarative_pipelines.updates.progress import Observer, Progress
from declarative_pipelines.updates.results import Update
from declarative_pipelines.view.update_graph import UpdateGraph
from stream_view import front_end
from stream_view.graphs.live_graph import LiveGraph

_log = logging.getLogger(__name__)
_view: ContextVar[LiveGraph | None] = ContextVar("the graph that updates share", default=None)


@contextmanager
def one_graph() -> Iterator[None]:
    """Have updates one after another shown in one place."""
    token = _view.set(LiveGraph())
    try:
        yield
    finally:
        _view.reset(token)


def shown(update: Callable[[Observer], Update], title: str, is_dry: bool, observer: Observer) -> Update:
    """Run an update and show it; return it with its picture. Outside a notebook it is only run.

    Where nobody looks at the notebook, an update that failed also says so on stderr, by which a headless run fails.

    Parameters
    ----------
    update
        Runs it, and tells its observer.
    title
        The pipeline's name.
    observer
        Is told as well.
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
