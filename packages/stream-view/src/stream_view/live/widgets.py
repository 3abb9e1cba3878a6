"""The widgets of a live view and of the instructor's panel: values that the kernel sets, and messages back.

JupyterLab shows a widget whose kernel is gone as "Error displaying widget", whatever else its output holds.  So the
fallback is an output of its own, which the widget's script hides as long as the widget lives.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

import anywidget
import traitlets

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

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
# In this order.
PARTS = ("elements.js", "keys.js", "table.js", "chart_drawing.js", "chart.js", *STREAM_PARTS, "view.js")
TEXTS = {part: (HERE / part).read_text(encoding="utf-8") for part in PARTS}
SCRIPT = "\n".join(TEXTS.values())
_WIDGET_PART = "// ------------------------------------------------------------------ the widget"


def script_without_widget(left_out: Collection[str]) -> str:
    """Return a view's script for a page without a kernel: without some parts, and without the widget at its end."""
    script = "\n".join(text for part, text in TEXTS.items() if part not in left_out)
    return script.partition(_WIDGET_PART)[0]


class StreamWidget(anywidget.AnyWidget):
    """Header, table, reports and raw report of one stream, and a heartbeat; sent when set.

    ``name`` identifies the view and its static fallback; ``opened`` is the tab that is open at first; ``on_stop`` is
    called by the button *Stop*.
    """

    _esm = SCRIPT
    _css = STYLE
    name = traitlets.Unicode().tag(sync=True)
    opened = traitlets.Unicode().tag(sync=True)
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


HERE = Path(__file__).parent


class ControlsWidget(anywidget.AnyWidget):
    """The panel's content, sent when set, and its buttons' messages, for ``on_press``."""

    _esm = "\n".join((HERE / name).read_text(encoding="utf-8") for name in ("keys.js", "kernel.js", "controls.js"))
    _css = "\n".join((HERE / name).read_text(encoding="utf-8") for name in ("view.css", "controls.css"))
    name = traitlets.Unicode().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, name: str, on_press: Callable[[dict], None], **values: object) -> None:
        super().__init__(name=name, **values)
        self._on_press = on_press
        self.on_msg(self._receive)

    def _receive(self, _widget: object, content: dict, _buffers: object) -> None:
        self._on_press(content)
