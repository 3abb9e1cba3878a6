"""``course.py book``: build the book, say where it is."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from .building import BookNotBuilt, build
from .front_page import NotTheReadme
from .repository import repository_of

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = PROJECT / "build" / "book"


def main() -> int:
    """Build the book; return 1 where something in it is to be corrected."""
    began = time.monotonic()
    print("Building the book ...", flush=True)
    try:
        built = build(PROJECT, FOLDER, repository_of(PROJECT))
    except (BookNotBuilt, NotTheReadme) as error:
        print(error, file=sys.stderr)
        return 1
    first = built.site / "index.html"
    print(f"{built.pages} pages, {built.size / 1e6:.0f} MB, in {time.monotonic() - began:.0f} s: {built.site}")
    print(f"Open {first.as_uri()} in a browser; no server and no network is needed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
