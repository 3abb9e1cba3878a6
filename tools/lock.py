"""Write the locks after a change of requirements.txt or of the group dev: `.venv/bin/python tools/lock.py`.

A lock lists every package with its version and the hashes of its files, for every Python and system that the course
runs on, and no address of an index.  Locked versions stay as far as the sources allow.  `--upgrade` takes the newest;
`--patches` also takes the newest patch releases of pinned versions, to try them, without a change of the sources.
Other options go to `uv pip compile`.  `--binaries` upgrades the locks of jars and Java instead.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import binary_locks
from streaming_classroom.setup import jars

PROJECT = Path(__file__).resolve().parents[1]
LOCKS = {"requirements.lock": "requirements.txt", "requirements-dev.lock": "the group dev of pyproject.toml"}
HEADER = "# Made by `python tools/lock.py`; edit {source} instead.\n"
OLDEST_PYTHON = "3.11"


def main(options: list[str]) -> None:
    """Write the locks of packages; with `--binaries`, those of jars and Java."""
    if options == ["--binaries"]:
        changed = [line for jar_set in (jars.SPARK, jars.KAFKA_BROKER) for line in binary_locks.upgrade_jars(jar_set)]
        print("\n".join([*changed, f"Java: {binary_locks.upgrade_java()}"]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        sources = [PROJECT / "requirements.txt", PROJECT / "pyproject.toml"]
        if "--patches" in options:
            options = [*(option for option in options if option != "--patches"), "--upgrade"]
            sources = [allow_patches(source, Path(scratch)) for source in sources]
        requirements, dev = str(sources[0]), f"--group={sources[1]}:dev"
        # Both are resolved together first, so that dev never needs other versions. uv keeps the versions that its
        # output file has already.
        everything = Path(scratch) / "everything.txt"
        everything.write_text("".join(read_lock(PROJECT / lock) for lock in LOCKS), encoding="utf-8")
        compile_lock([requirements, dev], everything, options)
        for (lock, source), argument in zip(LOCKS.items(), (requirements, dev), strict=True):
            compile_lock([argument, f"--constraint={everything}"], PROJECT / lock, options)
            text = HEADER.format(source=source) + read_lock(PROJECT / lock)
            (PROJECT / lock).write_text(text, encoding="utf-8")


def allow_patches(source: Path, folder: Path) -> Path:
    """Write a copy of a source with `~=1.2.3` for each `==1.2.3`; return its path."""
    copy = folder / source.name
    copy.write_text(re.sub(r"==(\d+\.\d+\.\d+)", r"~=\1", source.read_text(encoding="utf-8")), encoding="utf-8")
    return copy


def compile_lock(sources: list[str], lock: Path, options: list[str]) -> None:
    """Resolve sources into a lock, without uv's header and annotations, which would name paths."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += [f"--python-version={OLDEST_PYTHON}", "--no-header", "--no-annotate", f"--output-file={lock}"]
    subprocess.run([*command, *options, *sources], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)


def read_lock(lock: Path) -> str:
    """Return a lock without its header."""
    return re.sub(r"\A#.*\n", "", lock.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
