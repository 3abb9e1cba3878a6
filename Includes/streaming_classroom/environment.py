"""Who is there, and where are we: the one place where interactive and headless part.

A lesson is written once.  What differs between a person at a notebook and a run without one, and between this
machine and a Databricks workspace, asks these functions and nothing else.
"""

from __future__ import annotations

import os
import sys


def is_interactive() -> bool:
    """Whether a person is there to look: a front end that could answer a question of the kernel.

    JupyterLab, Jupyter Notebook and VS Code say so with each cell they run; papermill, nbclient and nbval
    never do, and neither does plain Python.
    """
    kernel = getattr(ipython(), "kernel", None)
    return bool(getattr(kernel, "_allow_stdin", False))


def in_notebook() -> bool:
    """Whether outputs go to a notebook, with or without a person in front of it."""
    return getattr(ipython(), "kernel", None) is not None


def is_databricks() -> bool:
    """Whether a Databricks runtime executes this."""
    return "DATABRICKS_RUNTIME_VERSION" in os.environ


def remote_url() -> str | None:
    """The Spark Connect server to use (``SPARK_REMOTE``), or None."""
    return os.environ.get("SPARK_REMOTE") or None


def master() -> str:
    """The Spark master to use: ``SPARK_MASTER``, by default all cores of this machine."""
    return os.environ.get("SPARK_MASTER") or "local[*]"


def is_one_machine() -> bool:
    """Whether driver and executors are this very process's machine."""
    return not is_databricks() and remote_url() is None and master().startswith("local")


def fast_start() -> bool:
    """Whether the JVM is tuned to start quickly rather than to compute long (``CLASSROOM_FAST_START``).

    The default on one machine.  Set it to 0 for heavy computing, such as a benchmark of throughput.
    """
    return os.environ.get("CLASSROOM_FAST_START", "1") != "0" and is_one_machine()


def ipython():
    """Return the running IPython shell or None, without importing IPython where it is not running."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None
