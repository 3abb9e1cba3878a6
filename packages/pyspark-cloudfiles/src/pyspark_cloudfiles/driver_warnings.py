"""Warnings of Spark's planning process, shown in the notebook cell that called ``load``.

The planning process is started by Spark, and its output goes to the log of the JVM.  In a classic session the user's
own process runs on the same machine.  It listens at an address that is passed with the options of each ``load``, and
shows a message as an ordinary warning below the cell that called ``load``.  Elsewhere, as over Spark Connect, warnings
stay in the log.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import warnings
from collections import OrderedDict
from contextvars import Context, copy_context
from functools import cache
from typing import NamedTuple

_HOST = "127.0.0.1"
_PATIENCE = 2.0  # seconds; whoever warns has something else to do
_LONGEST = 64 * 1024
# Of so many loads the cells are remembered; what older ones warn of stays in the log.
_REMEMBERED = 256


class CloudFilesWarning(UserWarning):
    """Something that the user should know, and that ends nothing."""


def warn(text: str, address: str | None = None) -> None:
    """Warn in the process that listens at an address; in this process if there is none or it does not answer."""
    if address is None or not _delivered(address, text):
        warnings.warn(text, CloudFilesWarning, stacklevel=3)


def _delivered(address: str, text: str) -> bool:
    port, _, word = address.partition(":")
    try:
        with socket.create_connection((_HOST, int(port)), timeout=_PATIENCE) as connection:
            connection.sendall(json.dumps([word, text]).encode() + b"\n")
            return connection.recv(1) == b"\n"
    except (OSError, ValueError):
        return False


def address() -> str:
    """Return the address at which this process listens, for one ``load``: messages to it are shown in its cell."""
    port, cells = _listening()
    return f"{port}:{cells.remember()}"


class _Cell(NamedTuple):
    """Where a ``load`` was called, and what was shown there already."""

    context: Context
    shown: dict


class _Cells:
    """The cells of the latest loads, by a word that nobody else knows."""

    def __init__(self) -> None:
        self._cells: OrderedDict[str, _Cell] = OrderedDict()
        self._lock = threading.Lock()

    def remember(self) -> str:
        """Remember where the caller is; a front end keeps the cell of an output in the context."""
        import secrets  # those who only warn do without

        word = secrets.token_hex(8)
        with self._lock:
            self._cells[word] = _Cell(copy_context(), {})
            while len(self._cells) > _REMEMBERED:
                self._cells.popitem(last=False)
        return word

    def show(self, word: str, text: str) -> bool:
        """Show a warning once in the cell that a word stands for; return whether there is such a cell."""
        with self._lock:
            cell = self._cells.get(word)
        if cell is not None:
            cell.context.run(_show, text, cell.shown)
        return cell is not None


def _show(text: str, shown: dict) -> None:
    try:
        warnings.warn_explicit(text, CloudFilesWarning, "cloudFiles", 0, registry=shown)
    except CloudFilesWarning:  # the user turns warnings into errors, and there is nothing here that could fail
        print(f"CloudFilesWarning: {text}", file=sys.stderr)


@cache
def _listening() -> tuple[int, _Cells]:
    """Begin to listen, once per process; return the port, and the cells of the latest loads."""
    server = socket.create_server((_HOST, 0))
    cells = _Cells()
    threading.Thread(target=_listen, args=(server, cells), daemon=True, name="cloudFiles warnings").start()
    return server.getsockname()[1], cells


def _listen(server: socket.socket, cells: _Cells) -> None:
    while True:
        connection, _ = server.accept()
        # Anybody on this machine can send anything: only what has a load's word is shown, and nothing ends the thread.
        with connection, contextlib.suppress(Exception):
            connection.settimeout(_PATIENCE)
            with connection.makefile("rb") as lines:
                word, text = json.loads(lines.readline(_LONGEST))
            if cells.show(str(word), str(text)):
                connection.sendall(b"\n")
