"""Measure lessons on engines, and write the page: ``python tools/engines [--engines standalone] [--lessons 00 01]``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engines import page
from engines.engine import ENGINES, NotMeasured, lessons, measure


def main() -> int:
    """Measure lessons on engines; write the page when every lesson has been on every engine."""
    every, engines = lessons(), {engine.name: engine for engine in ENGINES}
    parser = argparse.ArgumentParser(prog="tools/engines", description=__doc__)
    parser.add_argument("--engines", nargs="+", choices=engines, default=list(engines))
    parser.add_argument("--lessons", nargs="+", choices=sorted(every), default=sorted(every), metavar="NUMBER")
    parser.add_argument("--missing", action="store_true", help="only lessons without a record")
    options = parser.parse_args()
    failures = 0
    for name in options.engines:
        for lesson in options.lessons:
            if options.missing and (lesson, name) in page.read():
                continue
            began = time.monotonic()
            try:
                run = measure(lesson, engines[name])
            except (NotMeasured, AssertionError) as error:
                failures += 1
                print(f"{lesson} {name}: not recorded: {error}", flush=True)
                continue
            page.record(run)
            outcome = "passed" if run.passed else f"cell {run.cell}: {run.says}"
            print(f"{lesson} {name}: {outcome} ({time.monotonic() - began:.0f} s)", flush=True)
    runs = page.read()
    if all((lesson, name) in runs for lesson in every for name in engines):
        page.PAGE.write_text(page.render(runs, every), encoding="utf-8")
        print(f"wrote {page.PAGE.name}")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
