"""The state of an IPython shell that the dialect changes, so that ``%unload_ext`` can put it back."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


@dataclass(frozen=True)
class ShellState:
    """A shell's magics, callbacks, transforms, matchers and handling of errors, at one moment.

    Parameters
    ----------
    shell : InteractiveShell
        The shell.
    magics : dict
        The functions of its magics, by kind and name.
    lists : list
        Each changeable list of the shell, with its entries.
    errors : tuple
        The kinds of errors with a handler of their own, and the handler.
    """

    shell: InteractiveShell
    magics: dict[str, dict[str, Any]]
    lists: list[tuple[list[Any], list[Any]]]
    errors: tuple[Any, Any]

    @classmethod
    def take(cls, shell: InteractiveShell) -> ShellState:
        """Return the present state of a shell."""
        changing = [
            *shell.events.callbacks.values(),
            shell.input_transformer_manager.cleanup_transforms,
            shell.Completer.custom_matchers,
            logging.getLogger().filters,
        ]
        magics = {kind: dict(functions) for kind, functions in shell.magics_manager.magics.items()}
        handler = (shell.custom_exceptions, getattr(shell, "CustomTB", None))
        return cls(shell, magics, [(entries, list(entries)) for entries in changing], handler)

    def restore(self) -> None:
        """Remove what was added to the shell since, and put back what was replaced; later additions of others stay."""
        for kind, functions in self.shell.magics_manager.magics.items():
            for name, function in list(functions.items()):
                if not _is_of_package(function):
                    continue
                before = self.magics[kind].get(name)
                functions.update({name: before}) if before is not None else functions.pop(name)
        for entries, before in self.lists:
            entries[:] = [entry for entry in entries if entry in before or not _is_of_package(entry)]
        self.shell.custom_exceptions = self.errors[0]
        if self.errors[1] is not None:
            self.shell.CustomTB = self.errors[1]


def _is_of_package(entry: Any) -> bool:
    """Whether a function or an object is defined in this package."""
    entry = getattr(entry, "__wrapped__", entry)
    module = getattr(entry, "__module__", "") or type(entry).__module__
    return str(module).partition(".")[0] == __name__.partition(".")[0]
