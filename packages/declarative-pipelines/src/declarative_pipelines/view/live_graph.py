"""A graph below a cell that changes in place, and stays as its last picture.

The picture is drawn from what is there when it is looked at, so that a thousand changes in a second cost four pictures.
Without a person to look there is one output, at the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from declarative_pipelines.view.graph import Graph, as_text
from declarative_pipelines.view.graph_picture import as_html, as_image
from streaming_base import front_end
from streaming_base.errors import short_message
from streaming_base.refreshing import REFRESH_INTERVAL, refresh

if TYPE_CHECKING:
    from IPython.display import DisplayHandle


@dataclass(frozen=True)
class Drawn:
    """The last picture, and which run of which cell shows it."""

    graph: Graph
    cell: tuple[str | None, str | None]

    def bundle(self) -> dict[str, str]:
        """Return the output's MIME bundle: HTML for a person at the notebook, an image for a saved file."""
        if front_end.is_interactive():
            return {"text/html": as_html(self.graph), "text/plain": as_text(self.graph)}
        return {"text/html": as_image(self.graph), "text/plain": as_text(self.graph, with_seconds=False)}

    def is_here(self) -> bool:
        """Whether the cell that runs shows it already."""
        return self.cell[1] is not None and front_end.running_cell() == self.cell


class LiveGraph:
    """A graph that is redrawn from a source, at most four times per second, until its end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._source: Callable[[], Graph] | None = None
        self._is_over = self._is_broken = self._is_followed = False
        self._drawn: Drawn | None = None
        self._shown: dict[str, str] | None = None
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
        drawn = Drawn(self._source(), front_end.running_cell() if self._drawn is None else self._drawn.cell)
        self._drawn, bundle = drawn, drawn.bundle()
        if bundle != self._shown:
            self._shown, self._at = bundle, self._clock()
            self._publish(bundle)

    def _publish(self, bundle: dict[str, str]) -> None:
        if self._handle is not None:
            self._handle.update(bundle, raw=True)
            return
        from IPython.display import display  # a session in plain Python does without IPython

        self._handle = display(bundle, raw=True, display_id=True)
