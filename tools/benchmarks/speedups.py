"""The seconds that each start-up trick saves: a first stream of Auto Loader with all of them, and without each in turn.

The course's session, ``load`` with inferred types, the first rows of a small folder, and those of a second stream in
the same session.  A trick that saves less than 0.3 seconds is not worth its code.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import _files, autoloader
from benchmarks._measuring import measure, medians_in_turn, print_table

ROUNDS = 5
STAGES = ("session", "load", "first rows", "again")
ALL = "nothing"


def _no_fork_server() -> None:
    from streaming_classroom.session import worker_launcher

    worker_launcher.prepare = lambda: False


def _no_archive() -> None:
    from streaming_classroom.session import spark_session

    spark_session.archive.java_options = lambda: ""


def _no_spared_lookup() -> None:
    from pyspark_cloudfiles import registration

    registration.skip_source_lookup = lambda _spark: None


def _no_warm_worker() -> None:
    from pyspark_cloudfiles import classic

    classic.warm_worker = lambda *_: None


def _no_source_made_here() -> None:
    from pyspark_cloudfiles import classic

    classic.can_create_source = lambda _spark: False


def _no_pruning() -> None:
    from pyspark_cloudfiles import classic

    classic.remember_load = lambda _without: {}


#: Each trick, and the function that switches it off in a new process.
PARTS: dict[str, Callable[[], None]] = {
    "workers forked from a warm process (worker_launcher)": _no_fork_server,
    "classes of the JVM from an archive (setup/archive)": _no_archive,
    "no lookup of packages of sources (registration)": _no_spared_lookup,
    "a worker warmed during the planning (classic)": _no_warm_worker,
    "data source made in this process (classic)": _no_source_made_here,
    "_metadata only where it is used (classic)": _no_pruning,
}


def main() -> None:
    """Measure all sides, print a table of medians, and as the last line the saved seconds as JSON."""
    with autoloader.scratch_folder() as files:
        _files.write_small(files, autoloader.FIRST_FILES, autoloader.FIRST_ROWS)
        measure(__spec__.name, ALL, str(files))  # fills caches, as on a machine that has run it before
        medians = medians_in_turn(__spec__.name, {side: [side, str(files)] for side in (ALL, *PARTS)}, ROUNDS)
    rows = [(side, *(f"{stage:.2f}" for stage in stages)) for side, stages in medians.items()]
    print_table(f"Seconds in a new session, medians of {ROUNDS}", ("without", *STAGES), rows)
    saved = {side: [stage - whole for stage, whole in zip(medians[side], medians[ALL], strict=True)] for side in PARTS}
    print(json.dumps({side: [round(seconds, 2) for seconds in stages] for side, stages in saved.items()}))


def work(side: str, files: Path) -> list[float]:
    """Return the seconds of each stage with one trick switched off."""
    if side != ALL:
        PARTS[side]()
    from streaming_classroom.session.spark_session import classic_session

    begin = time.perf_counter()
    spark = classic_session()
    session = time.perf_counter() - begin
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        job = {"work": "first", "reader": autoloader.OURS, "files": str(files), "schema": ""}
        load, rows, again = autoloader.run_first(spark, job, Path(scratch))
    spark.stop()
    return [session, load, rows - load, again]


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(work(sys.argv[1], Path(sys.argv[2]))))
