"""The widget of a page of streams: the page as HTML, its text, and a beat that says that the kernel lives."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets

from stream_view.live.stream_widget import STYLE, TEXTS

_SHARED = ("elements.js", "keys.js", "kernel.js", "frame.js")  # in this order
SCRIPT = "\n".join([*(TEXTS[part] for part in _SHARED), (Path(__file__).parent / "health.js").read_text("utf-8")])


class HealthWidget(anywidget.AnyWidget):
    """What the page shows; sent when set.

    Parameters
    ----------
    name : str
        Names the page; what stands there for readers without a kernel bears the same name.
    """

    _esm = SCRIPT
    _css = STYLE
    name = traitlets.Unicode().tag(sync=True)
    html = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    over = traitlets.Bool().tag(sync=True)
    beat = traitlets.Int().tag(sync=True)
