"""``course.py book``: build the book and print its address."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from .building import BookNotBuilt, build
from .links import read_address

PROJECT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Build the book; return 1 if a page has a problem."""
    began = time.monotonic()
    print("Building the book ...", flush=True)
    try:
        site = build(PROJECT, PROJECT / "build" / "book", read_address(PROJECT))
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
