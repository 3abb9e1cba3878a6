"""The launcher that Spark runs as its Python, so that workers start sooner, and the fork server behind it.

Spark starts Python workers for functions in Python, and one for each query over a Python data source such as Auto
Loader, for which a person waits.  They look for PySpark in an archive of sources that Spark brings along for clusters,
and compile it again each time; and each is a new interpreter that imports half a second's worth.  The launcher leaves
out the archive, as the same PySpark is installed, and has the workers of Python data sources forked from a process that
has imported all of it (``fork_server.py``, which ``forked_worker.py`` asks; each is a program of its own).
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from string import Template

from streaming_classroom import environment
from streaming_classroom.files import directories

SOCKET = "CLASSROOM_FORK_SERVER"  # the variable by which a launcher finds the process
PYTHON = "PYSPARK_PYTHON"
_HERE = Path(__file__).parent
_LONGEST_NAME = 100  # of a socket, in bytes; systems allow a few more
# `sh` starts in a millisecond or two, and is on every Linux.
_LAUNCHER = Template("""\
#!/bin/sh
# Made by the classroom for Spark's Python processes; it may be deleted, and is made again.
# Spark's own archive of PySpark is left out: the same PySpark is installed, and compiled.
kept=
set -f
IFS=:
for entry in $$PYTHONPATH; do
    case $$entry in
    "$$SPARK_HOME"/*) ;;
    *) kept=$${kept:+$$kept:}$$entry ;;
    esac
done
unset IFS
export PYTHONPATH="$$kept"
if [ "$$2" = pyspark.sql.streaming.python_streaming_source_runner ] && [ -S "$$$socket" ]; then
    exec $python -I -S $forked_worker $python "$$@"
fi
exec $python "$$@"
""")

_fork_server: subprocess.Popen | None = None
_socket: str | None = None


def prepare() -> bool:
    """Make the launcher Spark's Python, before the JVM starts; return whether it is.

    Only on Linux, with Spark on this machine and without ``PYSPARK_PYTHON``.
    """
    global _socket
    chosen = os.environ.get(PYTHON)
    is_users_choice = chosen is not None and not Path(chosen).is_relative_to(_directory())
    if sys.platform != "linux" or not environment.is_one_machine() or is_users_choice:
        return False
    launcher = _path()
    try:
        if not launcher.exists():
            launcher.parent.mkdir(parents=True, exist_ok=True)
            partial = launcher.with_name(f"{launcher.name}.{os.getpid()}")
            partial.write_text(_text(), encoding="utf-8")
            partial.chmod(0o755)
            partial.replace(launcher)  # another kernel may be making it, and runs a whole one or none
    except OSError:  # the cache is somebody else's, or full
        return False
    if not os.access(launcher, os.X_OK):  # its file system runs no programs
        return False
    if _socket is None:
        # A JVM of this process keeps what it was started with; that of the process that started this one is another.
        path = Path(tempfile.gettempdir(), f"workers-{secrets.token_hex(8)}", "socket")
        _socket = str(path) if len(os.fsencode(path)) <= _LONGEST_NAME else ""
    os.environ |= {PYTHON: str(launcher), SOCKET: _socket}
    return True


def is_in_use() -> bool:
    """Whether Spark's Python is the launcher, so that its workers have the packages of this process."""
    return os.environ.get(PYTHON) == str(_path())


def start_fork_server() -> None:
    """Start the fork server of the workers unless it runs; it ends with this process.

    A request for a worker waits until it is ready, which takes no longer than a normal start.
    """
    global _fork_server
    if not _socket or not is_in_use() or (_fork_server is not None and _fork_server.poll() is None):
        return
    # Hashes as in the interpreters that Spark starts; and threads of a library would be missing after a fork.
    variables = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    _fork_server = subprocess.Popen(
        [sys.executable, str(_HERE / "fork_server.py"), _socket],
        stdin=subprocess.PIPE,  # it ends when nobody can write to it any more
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=variables,
        start_new_session=True,  # an interrupt of a cell is not for it
    )


def _path() -> Path:
    return _directory() / f"python-{hashlib.sha256(_text().encode()).hexdigest()[:12]}"


def _text() -> str:
    return _LAUNCHER.substitute(
        socket=SOCKET, python=shlex.quote(sys.executable), forked_worker=shlex.quote(str(_HERE / "forked_worker.py"))
    )


def _directory() -> Path:
    return directories.cache() / "worker-python"
