"""The fallback of a widget: an output above it that readers without its kernel see in its place.

JupyterLab shows a widget whose kernel is gone as "Error displaying widget", whatever else its output holds.  So the
fallback is an output of its own, which the widget's script hides as long as the widget lives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import anywidget
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
