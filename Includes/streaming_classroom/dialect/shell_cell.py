"""``%sh``: a script of the shell, its output shown while it runs.

What Python calls ``/dbfs/...`` and ``/Volumes/...`` is put into the script as the folders that they are, and out of
its output again.  As on Databricks a failing script does not fail the cell, unless it begins with ``-e``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

from streaming_classroom import filesystem
from streaming_classroom.errors import NotHere

_MOUNTS = re.compile(r"(?<![\w./:~-])/(dbfs|Volumes)(?=/|[\s\"')|;&]|$)")


def run(script: str) -> None:
    """Run a script with bash; it starts in the kernel's working directory.

    Raises
    ------
    CalledProcessError
        The script begins with ``-e`` and a command in it failed.
    NotHere
        There is no bash on this machine.
    """
    stripped = script.lstrip()
    strict = stripped.startswith("-e") and stripped[2:3].isspace()
    bash = shutil.which("bash")
    if bash is None:
        raise NotHere("This machine has no bash to run the cell with.", "Write it in Python, or install bash.")
    text = _with_folders(stripped[2:] if strict else script)
    command = [bash, *(["-e"] if strict else []), "-c", text]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace"
    ) as process:
        try:
            for line in process.stdout:
                sys.stdout.write(_with_mounts(line))
        except KeyboardInterrupt:
            process.terminate()
            raise
    if strict and process.returncode:
        raise subprocess.CalledProcessError(process.returncode, "%sh -e")


def _with_folders(script: str) -> str:
    folders = {"dbfs": filesystem.root(), "Volumes": filesystem.root() / "Volumes"}
    # Quoted for every context: a path in double quotes, in single quotes or in none.
    return _MOUNTS.sub(lambda found: re.sub(r"([^\w./+-])", r"\\\1", folders[found[1]].as_posix()), script)


def _with_mounts(line: str) -> str:
    return line.replace(filesystem.root().as_posix(), "/dbfs")
