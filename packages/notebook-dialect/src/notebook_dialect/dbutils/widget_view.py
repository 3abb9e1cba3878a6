"""A widget as an ipywidget with its label, for the person who has the notebook open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stream_view import front_end

if TYPE_CHECKING:
    from ipywidgets import DOMWidget

    from notebook_dialect.dbutils.widget import Widget


class WidgetView:
    """One ipywidget, made when it is first shown.

    Parameters
    ----------
    on_choice : callable
        Called with the value as text whenever it changes.
    """

    def __init__(self, on_choice: Callable[[str], None]) -> None:
        self._on_choice = on_choice
        self._control: DOMWidget | None = None
        self._shown_in: tuple[Any, Any] | None = None
        self._person_may_choose = True

    def show(self, widget: Widget, value: str) -> None:
        """Bring the control up to date and on the page.

        It is not shown twice; but the page has lost it when the cell that it is in has run anew.
        """
        if self._control is None:
            self._control = _make(widget)
            self._control.observe(self._changed, names="value")
        self._bring_up_to_date(widget, value)
        cell, run = front_end.running_cell()
        if self._shown_in is None or (self._shown_in[0] == cell and self._shown_in[1] != run):
            _display(self._control)
            self._shown_in = cell, run

    def close(self) -> None:
        """Take the control off the page."""
        if self._control is not None:
            self._control.unobserve_all()
            self._control.close()
            self._control = None

    def _bring_up_to_date(self, widget: Widget, value: str) -> None:
        self._control.description = widget.label
        # New choices change the value on the way, which nobody chose.
        self._person_may_choose = False
        try:
            if hasattr(self._control, "options"):
                self._control.options = widget.choices
            self._control.value = _selected(value, widget.choices) if widget.kind == "multiselect" else value
        finally:
            self._person_may_choose = True

    def _changed(self, _change: object) -> None:
        if self._person_may_choose:
            self._on_choice(_text(self._control))


def _make(widget: Widget) -> DOMWidget:
    import ipywidgets

    look = {"style": {"description_width": "initial"}}
    match widget.kind:
        case "dropdown":
            return ipywidgets.Dropdown(options=widget.choices, **look)
        case "combobox":
            return ipywidgets.Combobox(options=widget.choices, ensure_option=False, continuous_update=False, **look)
        case "multiselect":
            return ipywidgets.SelectMultiple(options=widget.choices, **look)
    return ipywidgets.Text(continuous_update=False, **look)


def _text(control: DOMWidget) -> str:
    return ",".join(control.value) if isinstance(control.value, tuple) else control.value


def _selected(value: str, choices: tuple[str, ...]) -> tuple[str, ...]:
    if value in choices:
        return (value,)
    return tuple(part for part in value.split(",") if part in choices)


def _display(control: DOMWidget) -> None:
    from IPython.display import display

    display(control)
