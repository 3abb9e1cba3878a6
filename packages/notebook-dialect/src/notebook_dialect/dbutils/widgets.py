"""``dbutils.widgets``: named values that a person chooses, a caller passes, or a default gives.

What a person chose comes first, then papermill's parameters, then those of ``%run`` and ``dbutils.notebook.run``,
then the environment variable ``CLASSROOM_WIDGET_<NAME>``, then the default.  Values are strings, as on Databricks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from notebook_dialect.dbutils.execution_errors import InputWidgetNotDefined, WidgetInvalid
from notebook_dialect.dbutils.notebook_runs import papermill_parameters
from notebook_dialect.dbutils.utilities import Utility, variable_name
from streaming_base import front_end

if TYPE_CHECKING:
    from ipywidgets import DOMWidget


class WidgetView:
    """An ipywidget, created when it is first shown; ``on_choice`` gets each new value as text."""

    def __init__(self, on_choice: Callable[[str], None]) -> None:
        self._on_choice = on_choice
        self._control: DOMWidget | None = None
        self._shown_in: tuple[Any, Any] | None = None
        self._person_may_choose = True

    def show(self, widget: Widget, value: str) -> None:
        """Update the control, and show it unless the page has it; the page loses it when its cell runs again."""
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


@dataclass(frozen=True)
class Widget:
    """The definition of a widget: ``text``, ``dropdown``, ``combobox`` or ``multiselect``, a name and choices."""

    kind: str
    name: str
    default: str
    choices: tuple[str, ...]
    label: str

    def accepts(self, value: str) -> bool:
        """Whether a value is one of the choices; of a multiselect, several of them joined by commas."""
        if self.kind in ("text", "combobox") or value in self.choices:
            return True
        return self.kind == "multiselect" and set(value.split(",")) <= {"", *self.choices}


@dataclass
class _State:
    """A widget with where its value comes from, so far as that is not asked again."""

    widget: Widget
    chosen: str | None = None
    passed: str | None = None
    view: WidgetView | None = None


class Widgets(Utility):
    """Create widgets and read their values.

    ``arguments`` and ``papermill`` return the parameters of the notebook's run and of papermill; if ``visible``,
    a person at the notebook sees the widgets.
    """

    def __init__(
        self,
        arguments: Callable[[], Mapping[str, str]],
        papermill: Callable[[], Mapping[str, str]] = papermill_parameters,
        visible: bool = True,
    ) -> None:
        self._visible = visible
        self._arguments = arguments
        self._papermill = papermill
        self._states: dict[str, _State] = {}

    def text(self, name: str, defaultValue: str, label: str | None = None) -> None:
        """Create a field for a text."""
        self._create("text", name, defaultValue, (), label)

    def dropdown(self, name: str, defaultValue: str, choices: Sequence[str], label: str | None = None) -> None:
        """Create a list to choose one value from; the default is one of them."""
        self._create("dropdown", name, defaultValue, choices, label)

    def combobox(self, name: str, defaultValue: str, choices: Sequence[str], label: str | None = None) -> None:
        """Create a field for a text with values to choose from."""
        self._create("combobox", name, defaultValue, choices, label)

    def multiselect(self, name: str, defaultValue: str, choices: Sequence[str], label: str | None = None) -> None:
        """Create a list to choose several values from; its value has commas between them."""
        self._create("multiselect", name, defaultValue, choices, label)

    def get(self, name: str) -> str:
        """Return the value of a widget; without such a widget, of the notebook's parameter of that name.

        Raises
        ------
        InputWidgetNotDefined
            There is neither.
        """
        if name in self._states:
            return self._value(self._states[name])
        given = self._given()
        if name not in given:
            raise InputWidgetNotDefined(name, (*self._states, *given))
        return given[name]

    def getAll(self) -> dict[str, str]:
        """Return the values of all widgets and parameters by name."""
        return self._given() | {name: self._value(state) for name, state in self._states.items()}

    def getArgument(self, name: str, default: str | None = None) -> str:
        """Return the value of a widget or parameter; without one, the default."""
        try:
            return self.get(name)
        except InputWidgetNotDefined:
            if default is None:
                raise
            return default

    def remove(self, name: str) -> None:
        """Remove a widget.

        Raises
        ------
        InputWidgetNotDefined
            There is none of that name.
        """
        if name not in self._states:
            raise InputWidgetNotDefined(name, tuple(self._states))
        state = self._states.pop(name)
        if state.view:
            state.view.close()

    def removeAll(self) -> None:
        """Remove all widgets."""
        for name in tuple(self._states):
            self.remove(name)

    def _create(self, kind: str, name: str, default: str, choices: Sequence[str], label: str | None) -> None:
        widget = _checked(Widget(kind, name, default, _as_tuple(name, choices), label or name))
        state = self._taken_over(widget)
        self._value(state)  # a parameter that is not a choice is an error here, and the widget stays as it was
        self._states[name] = state
        if self._visible and front_end.is_interactive():
            self._show(state)

    def _taken_over(self, widget: Widget) -> _State:
        """Return a new state that keeps the value of the widget which had this name before, if it still can."""
        before = self._states.get(widget.name)
        if before is None:
            return _State(widget)
        chosen, passed = (v if v is not None and widget.accepts(v) else None for v in (before.chosen, before.passed))
        if widget.accepts(before.widget.default):
            widget = Widget(widget.kind, widget.name, before.widget.default, widget.choices, widget.label)
        if before.view and before.widget.kind != widget.kind:
            before.view.close()
            return _State(widget, chosen, passed)
        return _State(widget, chosen, passed, before.view)

    def _value(self, state: _State) -> str:
        """Return the value, and keep the one that a ``%run`` passes after the run has ended."""
        name = state.widget.name
        papermill, running = self._papermill(), self._arguments()
        if name in running and name not in papermill:
            state.passed = _accepted(state.widget, str(running[name]))
        for value in (state.chosen, papermill.get(name), state.passed, os.environ.get(variable_name("WIDGET", name))):
            if value is not None:
                return _accepted(state.widget, value)
        return state.widget.default

    def _given(self) -> dict[str, str]:
        """Return the parameters that this notebook was run with."""
        return {name: str(value) for name, value in self._arguments().items()} | dict(self._papermill())

    def _show(self, state: _State) -> None:
        if state.view is None:
            state.view = WidgetView(partial(self._choose, state.widget.name))
        state.view.show(state.widget, self._value(state))

    def _choose(self, name: str, value: str) -> None:
        """Note what a person chose; a view that is only brought up to date says the value that it has."""
        if name in self._states and value != self._value(self._states[name]):
            self._states[name].chosen = value


def _as_tuple(name: str, choices: Sequence[str]) -> tuple[str, ...]:
    if isinstance(choices, str) or not all(isinstance(choice, str) for choice in choices):
        fix = "Pass a list of strings, such as [str(n) for n in numbers]."
        raise WidgetInvalid(name, f"the choices are not strings: {choices!r}", fix)
    return tuple(choices)


def _checked(widget: Widget) -> Widget:
    if not (isinstance(widget.name, str) and widget.name):
        raise WidgetInvalid(repr(widget.name), "a name is a string that is not empty", "Give it a name.")
    if not isinstance(widget.default, str):
        problem = f"the default value is not a string: {widget.default!r}"
        raise WidgetInvalid(widget.name, problem, f'Write "{widget.default}"; values of widgets are strings.')
    if not widget.accepts(widget.default):
        problem = f"the default value {widget.default!r} is not among the choices"
        raise WidgetInvalid(widget.name, problem, f"Use one of: {', '.join(widget.choices) or '(there are none)'}.")
    return widget


def _accepted(widget: Widget, value: str) -> str:
    if not widget.accepts(value):
        problem = f"the value {value!r} that it was given is not among the choices"
        raise WidgetInvalid(widget.name, problem, f"Pass one of: {', '.join(widget.choices)}.")
    return value
