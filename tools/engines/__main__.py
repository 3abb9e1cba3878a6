"""Measure lessons on engines, and write the page: ``python tools/engines [--engines connect] [--lessons 00 01]``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engines import page, record
from engines.engine import ENGINES, Engine
from engines.measuring import NoCellToBlame, lessons, measure


def main() -> int:
    """Measure what is asked for; write the page when every lesson has been on every engine."""
    every = lessons()
    parser = argparse.ArgumentParser(prog="tools/engines", description=__doc__)
    names = [engine.name for engine in ENGINES]
    parser.add_argument("--engines", nargs="+", choices=names, default=names)
    parser.add_argument("--lessons", nargs="+", choices=sorted(every), default=sorted(every), metavar="NUMBER")
    parser.add_argument("--missing", action="store_true", help="only what is not in the record")
    asked = parser.parse_args()
    unseen = 0
    for engine in (engine for engine in ENGINES if engine.name in asked.engines):
        for lesson in asked.lessons:
            if not (asked.missing and (lesson, engine.name) in record.read()):
                unseen += not _seen(lesson, engine)
    runs = record.read()
    if all((lesson, engine.name) in runs for lesson in every for engine in ENGINES):
        page.PAGE.write_text(page.text(runs, every), encoding="utf-8")
        print(f"wrote {page.PAGE.name}")
    return min(unseen, 1)


def _seen(lesson: str, engine: Engine) -> bool:
    """Measure a lesson on an engine, and return whether that could be recorded."""
    began = time.monotonic()
    try:
        run = measure(lesson, engine)
    except (NoCellToBlame, AssertionError) as error:
        print(f"{lesson} {engine.name}: not recorded: {error}", flush=True)
        return False
    record.write([run])
    outcome = "passed" if run.passed else f"cell {run.cell}: {run.says}"
    print(f"{lesson} {engine.name}: {outcome} ({time.monotonic() - began:.0f} s)", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
