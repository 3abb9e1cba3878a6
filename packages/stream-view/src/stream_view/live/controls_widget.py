"""The widget of the instructor's panel: a state that the kernel sets, and messages back.

What the buttons do is not known here: the owner of the panel is told of each press.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anywidget
import traitlets

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
