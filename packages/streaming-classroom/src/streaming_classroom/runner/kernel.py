"""Starts a fresh kernel with this interpreter and environment, and without the user's profile.

An installed ``python3`` kernelspec may point at any Python, and start-up files in a user's IPython
profile may print or import anything; either would make two machines save different outputs.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec

from streaming_classroom.runner.processes import HOME_VARIABLE

KERNEL_LOG = "kernel.log"

quiet = logging.getLogger("streaming_classroom.runner")
# The runner reports what matters itself; without a handler Python would print the rest to stderr.
quiet.addHandler(logging.NullHandler())
quiet.propagate = False


class LessonKernelManager(AsyncKernelManager):
    """Starts a kernel with the interpreter that runs the runner, whatever kernelspecs are installed."""

    def __init__(self) -> None:
        super().__init__(kernel_name=NATIVE_KERNEL_NAME, log=quiet)

    @property
    def kernel_spec(self) -> KernelSpec:
        """The only kernelspec there is."""
        if self._kernel_spec is None:
            argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            self._kernel_spec = KernelSpec(argv=argv, display_name="Python 3", language="python")
        return self._kernel_spec


def kernel_environment(home: Path, notebook: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of the kernel whose lesson lives in `home`: the runner's own, this, and more."""
    return {
        **os.environ,
        **(more or {}),
        HOME_VARIABLE: str(home),
        "JPY_SESSION_NAME": str(notebook),  # as Jupyter's server says it
        "IPYTHONDIR": str(home / ".ipython"),
        "PYTHONUTF8": "1",  # Windows would write notebooks' text in its own code page
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # else a debugger warning appears on stderr
    }
