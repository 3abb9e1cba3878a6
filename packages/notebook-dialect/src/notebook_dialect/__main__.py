"""``python -m notebook_dialect``: convert or run a notebook in Databricks' source format."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m notebook_dialect", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("convert", help="write an .ipynb of a .py, .sql or exported .ipynb")
    command.set_defaults(run=_convert)
    command.add_argument("notebook", type=Path)
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: the same name, as .ipynb")
    command = commands.add_parser("run", help="run a notebook, and print the value that it exits with")
    command.set_defaults(run=_run)
    command.add_argument("notebook", type=Path)
    command.add_argument(
        "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE", help="a widget's value"
    )
    command.add_argument("--root", type=Path, default=Path("dbfs"), metavar="FOLDER", help="of dbfs:/ (default: dbfs)")
    options = parser.parse_args(arguments)
    for parameter in getattr(options, "parameter", ()):
        if "=" not in parameter:
            parser.error(f"{parameter!r} is not NAME=VALUE.")
    return options.run(options)


def _convert(options: argparse.Namespace) -> int:
    from notebook_dialect.conversion import TargetExists, convert
    from streaming_base.errors import UnreadableNotebook

    try:
        print(f"Wrote {convert(options.notebook, options.output)}.")
    except (TargetExists, UnreadableNotebook, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _run(options: argparse.Namespace) -> int:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_dialect.dialect import install

    if not options.notebook.exists():
        print(f"There is no notebook {options.notebook}.", file=sys.stderr)
        return 1
    InteractiveShell.instance()  # whose magics the notebook's cells need
    dialect = install(root=options.root)
    parameters = dict(parameter.split("=", 1) for parameter in options.parameter)
    try:
        value = dialect.dbutils.notebook.run(str(options.notebook.absolute()), 0, parameters)
    except Exception as error:
        print(error, file=sys.stderr)
        return 1
    if value is not None:
        print(value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
