"""``course.py book``: build the book and print its address; with ``--record``, record what moves in it first."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from rich.console import Console

from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import find_lessons

from .building import BookNotBuilt, build
from .links import read_address
from .recordings import record

PROJECT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Build the book; return 1 if a page has a problem."""
    parser = argparse.ArgumentParser(prog="python course.py book", description="Build the book of the course.")
    parser.add_argument(
        "--record",
        nargs="*",
        metavar="LESSON",
        help="run these lessons first, or all, and record their streams, which then play in the pages",
    )
    options = parser.parse_args()
    recorded = PROJECT / "build" / "recordings"
    if options.record is not None:
        lessons = find_lessons(options.record, PROJECT / "notebooks")
        if not record(lessons, recorded, directories.home(), Console()):
            return 1
    began = time.monotonic()
    print("Building the book ...", flush=True)
    try:
        site = build(PROJECT, PROJECT / "build" / "book", read_address(PROJECT), recorded)
    except BookNotBuilt as error:
        print(error, file=sys.stderr)
        return 1
    files = [path for path in site.rglob("*") if path.is_file()]
    pages = sum(path.suffix == ".html" for path in files)
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    print(f"{pages} pages, {megabytes:.0f} MB, in {time.monotonic() - began:.0f} s: {site}")
    print(f"Open {(site / 'index.html').as_uri()} in a browser; no server and no network is needed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
