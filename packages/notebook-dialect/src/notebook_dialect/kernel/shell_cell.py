"""``%sh``: a shell script whose output is shown while it runs.

What Python calls ``/dbfs/...`` and ``/Volumes/...`` is put into the script as the folders that they are, and out of
its output again.  As on Databricks a failing script does not fail the cell, unless it begins with ``-e``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from streaming_base.errors import NotAvailable

_MOUNTS = re.compile(r"(?<![\w./:~-])/(dbfs|Volumes)(?=/|[\s\"')|;&]|$)")
_ONE_WORD = re.compile(r"[\w./+-]+", re.ASCII)


def run(root: Path, script: str) -> None:
    """Run a script with bash in the kernel's working directory; ``root`` is the folder of ``/dbfs``.

    A script that begins with ``-e`` ends at the first command that fails, with CalledProcessError.
    """
    stripped = script.lstrip()
    strict = stripped.startswith("-e") and stripped[2:3].isspace()
    bash = shutil.which("bash")
    if bash is None:
        raise NotAvailable("This machine has no bash to run the cell with.", "Write it in Python, or install bash.")
    with _shell_safe_path(root) as folder:
        command = [bash, *(["-e"] if strict else []), "-c", _with_folders(stripped[2:] if strict else script, folder)]
        returned = _show_while_running(command, (folder, root))
    if strict and returned:
        raise subprocess.CalledProcessError(returned, "%sh -e")


def _show_while_running(command: list[str], roots: Sequence[Path]) -> int:
    """Run a command, show its output with ``/dbfs`` in place of each of the roots, and return its exit code."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace"
    ) as process:
        try:
            for line in process.stdout:
                for root in roots:
                    line = line.replace(root.as_posix(), "/dbfs")
                sys.stdout.write(line)
        except KeyboardInterrupt:
            process.terminate()
            raise
    return process.returncode


@contextmanager
def _shell_safe_path(root: Path) -> Iterator[Path]:
    """Return a name of the folder that the shell reads as one word, within quotation marks or without."""
    if _ONE_WORD.fullmatch(root.as_posix()):
        yield root
        return
    places = [place for place in (tempfile.gettempdir(), "/tmp", "/var/tmp") if _ONE_WORD.fullmatch(place)]
    directory = Path(tempfile.mkdtemp(prefix="dbfs-", dir=places[0] if places else None))
    link = directory / "dbfs"
    link.symlink_to(root, target_is_directory=True)
    try:
        yield link
    finally:
        # The link and its folder alone: nothing here may follow it.
        link.unlink()
        directory.rmdir()


def _with_folders(script: str, root: Path) -> str:
    folders = {"dbfs": root, "Volumes": root / "Volumes"}
    return _MOUNTS.sub(lambda found: folders[found[1]].as_posix(), script)
