"""Measurements in a fresh process with a home of its own, so that no side finds what another has left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any


def measured(module: str, *arguments: str, timeout: float) -> Any:
    """Run a benchmark's module with these arguments; return what its last line says, which is JSON.

    What Spark writes to stderr is shown where ``CLASSROOM_BENCH_VERBOSE`` is set.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env=os.environ | {"CLASSROOM_HOME": home},
            cwd=home,
            stdout=subprocess.PIPE,
            stderr=None if "CLASSROOM_BENCH_VERBOSE" in os.environ else subprocess.DEVNULL,
            text=True,
            timeout=timeout,
            check=True,
        )
    return json.loads(done.stdout.splitlines()[-1])
