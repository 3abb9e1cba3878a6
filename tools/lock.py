"""Make the locks anew: `.venv/bin/python tools/lock.py`, after a change of requirements.txt or of a group.

A lock names every package that is installed with its version and the hashes of its files, for every Python and system
that the course runs on; no address of an index is in it, so that it fits every mirror.  What is locked stays at its
version as far as the sources allow: `tools/lock.py --upgrade` takes the newest, and `tools/lock.py --patches` also
the newest patch releases of what the sources pin, to try them; the sources stay as they are.  Other options of
`uv pip compile` may be given as well.  `tools/lock.py --binaries` upgrades the locks of jars and Java instead.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import binary_locks
from benchmarks import _kafka_tools
from streaming_classroom.setup import jars

PROJECT = Path(__file__).resolve().parents[1]
HEADER = "# Made by `python tools/lock.py`, which makes it anew; edit {sources} instead.\n"
GROUPS = ("dev", "lint", "bench", "book")
OLDEST = "3.11"
SOURCES = ("requirements.txt", "pyproject.toml")
PATCHES = "--patches"
_PINNED = re.compile(r"==(\d+\.\d+\.\d+)")


def main(options: list[str]) -> None:
    """Resolve everything together, so that a group never asks for other versions; write a lock for each part of it."""
    if options == ["--binaries"]:
        changed = [
            line for of in (jars.SPARK, jars.KAFKA_BROKER, _kafka_tools.TOOLS) for line in binary_locks.upgrade_jars(of)
        ]
        print("\n".join([*changed, f"Java: {binary_locks.upgrade_java()}"]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        if PATCHES in options:
            options = [*(option for option in options if option != PATCHES), "--upgrade"]
            requirements, groups_file = (_loosened(PROJECT / name, Path(scratch)) for name in SOURCES)
        else:
            requirements, groups_file = SOURCES
        groups = {f"requirements-{group}.lock": f"--group={groups_file}:{group}" for group in GROUPS}
        parts = {"requirements.lock": requirements, **groups}
        everything = Path(scratch) / "everything.txt"
        # What uv finds in the file that it is to write, it keeps as far as it can.
        everything.write_text("".join(_read(PROJECT / lock) for lock in parts), encoding="utf-8")
        _compile(list(parts.values()), everything, options)
        for lock, source in parts.items():
            _compile([source, f"--constraint={everything}"], PROJECT / lock, options)
            where = "requirements.txt" if source == requirements else "the groups of pyproject.toml"
            text = HEADER.format(sources=where) + _read(PROJECT / lock)
            (PROJECT / lock).write_text(text, encoding="utf-8")


def _loosened(source: Path, folder: Path) -> str:
    """Return a copy of a source that takes any patch release of what it pins: for ``==1.2.3``, ``~=1.2.3``."""
    copy = folder / source.name
    copy.write_text(_PINNED.sub(r"~=\1", source.read_text(encoding="utf-8")), encoding="utf-8")
    return str(copy)


def _compile(sources: list[str], lock: Path, options: list[str]) -> None:
    """Let uv resolve; its own header and annotations would name paths."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += [f"--python-version={OLDEST}", "--no-header", "--no-annotate", f"--output-file={lock}"]
    subprocess.run([*command, *options, *sources], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)


def _read(lock: Path) -> str:
    """Return a lock without its header."""
    return re.sub(r"\A#.*\n", "", lock.read_text(encoding="utf-8")) if lock.exists() else ""


if __name__ == "__main__":
    main(sys.argv[1:])
