"""``python -m declarative_pipelines run|dry-run FILE...``: an update from the shell, in a Spark of its own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from declarative_pipelines.pipeline import run_pipeline
from declarative_pipelines.updates.results import FlowProgress, Progress, State
from streaming_base.errors import ExplainedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def main(arguments: Sequence[str] | None = None, get_session: Callable[[], SparkSession] | None = None) -> int:
    """Run one update and print the result; return 1 if it failed, and 2 if it could not begin.

    ``get_session`` returns the session; by default Spark's own, as configured by ``spark-defaults.conf``.
    """
    parser = argparse.ArgumentParser("declarative_pipelines", description="Update a declarative pipeline.")
    parser.add_argument("command", choices=("run", "dry-run"), help="dry-run only plans, and writes nothing")
    parser.add_argument("files", nargs="+", metavar="FILE", help="Python, SQL, notebooks, or folders of them")
    parser.add_argument("--full-refresh", default="", metavar="NAME,...", help="empty these and read them again")
    parser.add_argument("--full-refresh-all", action="store_true", help="empty everything and read it again")
    parser.add_argument("--refresh", default="", metavar="NAME,...", help="update only these")
    parser.add_argument("--database", help="where the tables are")
    parser.add_argument("--storage", help="where checkpoints and the event log are")
    parser.add_argument("--name", help="what the pipeline is called")
    parser.add_argument("--production", action="store_true", help="try a flow that fails again")
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting for the update")
    asked = parser.parse_args(arguments)

    def own_session() -> SparkSession:
        from pyspark.sql import SparkSession

        return SparkSession.builder.appName("declarative_pipelines").getOrCreate()

    try:
        update = run_pipeline(
            *asked.files,
            full_refresh=_names(asked.full_refresh),
            full_refresh_all=asked.full_refresh_all,
            refresh=_names(asked.refresh),
            development=not asked.production,
            dry_run=asked.command == "dry-run",
            database=asked.database,
            storage=asked.storage,
            name=asked.name,
            configuration=dict(pair.split("=", 1) for pair in asked.conf),
            observer=_print,
            spark=(get_session or own_session)(),
        )
    except ExplainedError as error:
        print(error, file=sys.stderr)
        return 2
    print(update)
    return 0 if update.error is None else 1


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _print(progress: Progress) -> None:
    if isinstance(progress, FlowProgress) and progress.state in (State.COMPLETED, State.FAILED, State.SKIPPED):
        rows = progress.counts.get(progress.dataset)
        written = "" if rows is None else f", {rows.written} rows"
        print(f"{progress.name}: {progress.state.value}{written}, {progress.seconds:.1f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
