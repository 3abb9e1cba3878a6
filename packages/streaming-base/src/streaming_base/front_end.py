"""Whether a person is at the notebook: the one place where interactive and headless runs part.

A notebook is written once.  What differs between a person in front of it and a run without one asks these functions
and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_is_headless: ContextVar[bool] = ContextVar("nobody_looks", default=False)


def is_interactive() -> bool:
    """Whether a person is there to look: a front end that could answer a question of the kernel.

    JupyterLab, Jupyter Notebook and VS Code say so with each cell they run; papermill, nbclient and nbval
    never do, and neither does plain Python.
    """
    kernel = getattr(ipython(), "kernel", None)
    return bool(getattr(kernel, "_allow_stdin", False)) and not _is_headless.get()


@contextmanager
def headless() -> Iterator[None]:
    """Run a ``with`` block as if no person were at the notebook, for streams that a program starts."""
    token = _is_headless.set(True)
    try:
        yield
    finally:
        _is_headless.reset(token)


def in_notebook() -> bool:
    """Whether outputs go to a notebook, with or without a person in front of it."""
    return getattr(ipython(), "kernel", None) is not None


def running_cell() -> tuple[str | None, str | None]:
    """Return the ids of the running cell and of this run, if the front end sends them."""
    parent = getattr(ipython(), "parent_header", None) or {}
    return parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id")


def parent_message() -> dict[str, Any]:
    """Return the message that asked for the running cell, which its outputs name as their parent."""
    return dict(getattr(ipython(), "parent_header", None) or {})


def print_below(cell: dict[str, Any], text: str) -> None:
    """Print a line below a cell that may have ended long ago; for any thread.

    A front end puts an output below the cell whose message the output names as its parent, as long as it has the page
    that sent it.

    Parameters
    ----------
    cell : dict
        What :func:`parent_message` returned while the cell ran.
    text : str
        The line.
    """
    kernel = getattr(ipython(), "kernel", None)
    if kernel is None or not cell:
        print(text, file=sys.stderr)
        return
    content = {"name": "stderr", "text": f"{text}\n"}
    kernel.session.send(
        kernel.iopub_socket, "stream", content, parent=cell, ident=f"kernel.{kernel.ident}.stream".encode()
    )


def ipython() -> Any:
    """Return the running IPython shell or None, without importing IPython."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None
