"""What each part that only saves time saves: a first stream of Auto Loader with all of them, and without each in turn.

In fresh processes, in turn: the course's session, ``load`` with types inferred, the first rows of a small folder, and
those of a second stream in the same session.  What saves less than 0.3 seconds is not worth its code.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import _first_rows
from benchmarks._files_to_ingest import small_files
from benchmarks._fresh_process import measured

ROUNDS = 5
TIMEOUT = 600  # seconds for one process
STAGES = ("session", "load", "first rows", "again")
ALL = "all parts"


def _no_fork_server() -> None:
    from streaming_classroom.session.worker_python import launcher

    launcher.prepare = lambda: False


def _no_archive() -> None:
    from streaming_classroom.session import spark_session

    spark_session.archive.java_options = lambda: ""


def _no_spared_lookup() -> None:
    from pyspark_cloudfiles.session import registration

    registration.spare_lookup = lambda _spark: None


def _no_warm_worker() -> None:
    from pyspark_cloudfiles.session import worker_warmup

    worker_warmup.warm = lambda *_: None


def _no_source_made_here() -> None:
    from pyspark_cloudfiles.session import source_creation

    source_creation.is_here = lambda _spark: False


def _no_pruning() -> None:
    from pyspark_cloudfiles.session import metadata_pruning

    metadata_pruning.remembered = lambda _without: {}


#: Each part, and what switches it off in a process that has not begun.
PARTS: dict[str, Callable[[], None]] = {
    "workers forked from a warm process (worker_python)": _no_fork_server,
    "classes of the JVM from an archive (setup/archive)": _no_archive,
    "no look for packages of sources (registration)": _no_spared_lookup,
    "a worker warmed beside the planning (worker_warmup)": _no_warm_worker,
    "data source made in this process (source_creation)": _no_source_made_here,
    "_metadata only where it is used (metadata_pruning)": _no_pruning,
}


def main() -> None:
    """Run all, print a table of medians, and as the last line the figures as JSON."""
    sides = [ALL, *PARTS]
    taken: dict[str, list[list[float]]] = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as scratch:
        source = str(Path(scratch) / "files")
        small_files(Path(source), _first_rows.FILES, _first_rows.ROWS_A_FILE)
        measured(__spec__.name, ALL, source, timeout=TIMEOUT)  # fills caches, as on a machine that has run it before
        for _round in track(range(ROUNDS), "Rounds", console=Console(stderr=True), transient=True):
            for side in sides:
                taken[side].append(measured(__spec__.name, side, source, timeout=TIMEOUT))
    medians = {side: [statistics.median(stage) for stage in zip(*runs, strict=True)] for side, runs in taken.items()}
    _print_table(medians)
    print(json.dumps({side: _saved(medians, side) for side in PARTS}))


def _print_table(medians: dict[str, list[float]]) -> None:
    title = f"Seconds in a new session, medians of {ROUNDS} runs in turn; each part switched off alone"
    table = Table(title=title, title_justify="left")
    for heading in ("without", *STAGES, "saved: session", "load to rows", "again"):
        table.add_column(heading, justify="left" if heading == "without" else "right", no_wrap=True)
    for side, stages in medians.items():
        saved = [] if side == ALL else [f"{seconds:+.2f}" for seconds in _saved(medians, side).values()]
        name = "nothing" if side == ALL else side
        table.add_row(name, *(f"{stage:.2f}" for stage in stages), *saved)
    Console(width=140).print(table)


def _saved(medians: dict[str, list[float]], side: str) -> dict[str, float]:
    """Return the seconds that a part saves: until there is a session, from load to the first rows, the second time."""
    alone, whole = medians[side], medians[ALL]
    seconds = (alone[0] - whole[0], sum(alone[1:3]) - sum(whole[1:3]), alone[3] - whole[3])
    return dict(zip(("session_s", "load_to_rows_s", "again_s"), (round(one, 2) for one in seconds), strict=True))


def _wait(side: str, source: Path) -> list[float]:
    """Return the seconds of each stage with one part switched off."""
    if side != ALL:
        PARTS[side]()
    from streaming_classroom.session.spark_session import classic_session

    begin = time.perf_counter()
    spark = classic_session()
    session = time.perf_counter() - begin
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        load, rows = _first_rows._first_of(spark, "inferred", source, Path(scratch) / "one")
        _, again = _first_rows._first_of(spark, "inferred", source, Path(scratch) / "two")
    spark.stop()
    return [session, load, rows - load, again]


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(_wait(sys.argv[1], Path(sys.argv[2]))))
