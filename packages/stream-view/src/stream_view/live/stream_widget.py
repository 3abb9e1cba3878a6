"""The widget of a live view: values that the kernel sets, and one message back.

JupyterLab shows a widget whose kernel is gone as "Error displaying widget", whatever else its output holds.  So the
fallback is an output of its own, which the widget's script hides as long as the widget lives.

A thread for each view would wake a busy kernel for each of them; so they share one, which also bounds what all views
together can take from the streams.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Protocol

import anywidget
import traitlets

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

LOOK_EVERY = 0.25  # seconds between two rounds: nobody reads more than four pictures a second
JOB_GROUP = "live views"  # of the jobs that fetch their rows

_log = logging.getLogger(__name__)
_lock = Lock()
_followed: list[Followed] = []
_thread: Thread | None = None


class Followed(Protocol):
    """What can be kept up to date."""

    def tick(self) -> bool:
        """Bring it up to date; return whether there may be more to come."""

    def give_up(self, error: Exception) -> None:
        """Say on the screen that it will not be brought up to date any more, and why."""


def follow(view: Followed) -> None:
    """Keep a view up to date until it says that nothing more will come, or fails; return at once."""
    global _thread
    with _lock:
        _followed.append(view)
        if _thread is None or not _thread.is_alive():  # one that has died, of whatever, is replaced
            _thread = Thread(target=_run, name="live views", daemon=True)
            _thread.start()


def _run() -> None:
    global _thread
    with suppress(Exception):  # jobs without a name are better than views that stand still
        _name_jobs()
    while True:
        for view in list(_followed):
            if not _tick(view):
                with _lock:
                    _followed.remove(view)
        with _lock:
            if not _followed:
                _thread = None
                return
        time.sleep(LOOK_EVERY)


def _name_jobs() -> None:
    """Tell the jobs of this thread from those of cells, which go when a cell is interrupted."""
    from pyspark import SparkContext

    if (context := SparkContext._active_spark_context) is not None:  # there is none over Connect
        context.setJobGroup(JOB_GROUP, JOB_GROUP)


def _tick(view: Followed) -> bool:
    try:
        return view.tick()
    except Exception as error:  # one broken view must not take the others with it; a session that is gone breaks all
        _log.debug("a live view has ended", exc_info=True)
        with suppress(Exception):  # where nothing can be said either, as in a kernel that is ending
            view.give_up(error)
        return False


# JupyterLab's complaint is a text without elements, which the widget itself never is.
_NO_COMPLAINT = (
    "<style>.jp-OutputArea-child:has([data-sc-view]) ~ .jp-OutputArea-child > .jupyter-widgets:not(:has(*))"
    "{display:none}</style>"
)


def fallback_html(name: str, html: str) -> str:
    """Return HTML as the fallback of the widget of that name, which finds it by the name and hides it."""
    return f'<div data-sc-view="{name}">{html}</div>{_NO_COMPLAINT}'


def show_with_fallback(widget: anywidget.AnyWidget, fallback: dict[str, str]) -> DisplayHandle:
    """Put a fallback and below it its widget on the screen; return the fallback's handle."""
    from IPython.display import display

    handle = display(fallback, raw=True, display_id=True)
    shown, _metadata = widget._repr_mimebundle_()
    display(shown | {"text/plain": ""}, raw=True)
    return handle


HERE = Path(__file__).parent
STYLE = (HERE / "view.css").read_text(encoding="utf-8")
# Of the script, the parts that are nothing to rows that need no kernel.
STREAM_PARTS = ("map.js", "dashboard.js", "header.js", "kernel.js", "frame.js")
PARTS = ("elements.js", "keys.js", "table.js", "plot.js", "chart.js", *STREAM_PARTS, "view.js")  # in this order
TEXTS = {part: (HERE / part).read_text(encoding="utf-8") for part in PARTS}
SCRIPT = "\n".join(TEXTS.values())


class StreamWidget(anywidget.AnyWidget):
    """Header, table, reports and raw report of one stream, and a beat that says that the kernel lives; sent when set.

    Parameters
    ----------
    name : str
        Names the view on the page; what stands there for readers without a kernel bears the same name.
    on_stop : callable
        Called when somebody presses *Stop*.
    """

    _esm = SCRIPT
    _css = STYLE
    name = traitlets.Unicode().tag(sync=True)
    header = traitlets.Dict().tag(sync=True)
    table = traitlets.Dict().tag(sync=True)
    reports = traitlets.Dict().tag(sync=True)
    raw = traitlets.Unicode().tag(sync=True)
    beat = traitlets.Int().tag(sync=True)

    def __init__(self, name: str, on_stop: Callable[[], None], **values: object) -> None:
        super().__init__(name=name, **values)
        self._on_stop = on_stop
        self.on_msg(self._receive)

    def _receive(self, _widget: object, content: dict, _buffers: object) -> None:
        if content.get("do") == "stop":
            self._on_stop()
