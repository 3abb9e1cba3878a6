"""Merge a measurement into the pages: ``python course.py parity --merge FILE``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from parity_kit import pages


def main() -> int:
    """Merge a record, and print what it says; or say that there is none."""
    parser = argparse.ArgumentParser(prog="course.py parity")
    parser.add_argument("--merge", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.merge is None:
        record = pages.read()
        if record is None:
            print("Nothing was measured on Databricks yet. docs/on-databricks.md says how to.")
            return 0
    else:
        try:
            record = pages.merge(options.merge)
        except pages.NotARecord as error:
            print(error, file=sys.stderr)
            return 2
        print(f"Wrote {pages.PARITY.name} and {pages.engines.PAGE.name}.")
    print(f"Measured on {record['day']}, runtime {record['runtime']}: {len(record['cases'])} cases.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
