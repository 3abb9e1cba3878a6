"""A widget of ``dbutils.widgets``: what it asks for, and which values it accepts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Widget:
    """What a widget asks for.

    Parameters
    ----------
    kind : str
        ``text``, ``dropdown``, ``combobox`` or ``multiselect``.
    name, default, label : str
        As the notebook gave them; without a label, the name.
    choices : tuple of str
        What can be chosen; nothing for a text.
    """

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
