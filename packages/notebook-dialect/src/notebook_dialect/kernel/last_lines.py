"""What a cell's last line says where its value is half a sentence: a stream that nobody has started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

NOT_STARTED = "This stream is not started: add .start(), or .toTable(name)."
_WRITERS = ("pyspark.sql.streaming.readwriter", "pyspark.sql.connect.streaming.readwriter")


def install(shell: InteractiveShell) -> None:
    """Explain a ``DataStreamWriter`` that is a cell's last value; calling it again changes nothing."""
    plain = shell.display_formatter.formatters["text/plain"]  # type: ignore[union-attr]
    for module in _WRITERS:
        plain.for_type_by_name(module, "DataStreamWriter", _say)


def uninstall(shell: InteractiveShell) -> None:
    """Show a ``DataStreamWriter`` as IPython does."""
    plain = shell.display_formatter.formatters["text/plain"]  # type: ignore[union-attr]
    for module in _WRITERS:
        plain.pop(f"{module}.DataStreamWriter", None)


def _say(_writer: object, printer: Any, _cycle: bool) -> None:
    printer.text(NOT_STARTED)
