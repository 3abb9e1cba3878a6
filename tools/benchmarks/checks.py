"""The seconds of each check of a right answer, in lessons that are run with their solutions.

``CLASSROOM_BENCH_LESSONS=05,07L`` chooses lessons; by default all that have exercises are run, one after the other.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from pathlib import Path

import nbformat

from benchmarks._measuring import print_table
from streaming_classroom.exercises import catalogue
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import CHECK, find_lessons
from streaming_classroom.runner.suite import run_lessons


def main() -> None:
    """Run the lessons, print a table, and as the last line the figures as JSON."""
    names = os.environ.get("CLASSROOM_BENCH_LESSONS")
    lessons = find_lessons(names.split(",") if names else catalogue.lessons(), directories.notebooks())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        result = run_lessons(lessons, solved=True, home=Path(home), course=directories.notebooks())
        seconds = {name: taken for lesson in result.lessons for name, taken in _checks(lesson.executed).items()}
    hidden = {name: taken for name, taken in seconds.items() if catalogue.find(name).hidden}
    groups = {"with a hidden test": hidden, "without": {n: s for n, s in seconds.items() if n not in hidden}}
    rows = [
        (group, str(len(of)), f"{statistics.median(of.values()):.1f}", f"{max(of.values()):.1f}", max(of, key=of.get))
        for group, of in groups.items()
        if of
    ]
    print_table("Seconds of a check of a right answer", ("check", "exercises", "median", "longest", "which"), rows)
    print(json.dumps(dict(sorted(seconds.items()))))


def _checks(executed: Path | None) -> dict[str, float]:
    """Return the seconds of each check of an executed notebook."""
    if executed is None:
        return {}
    cells = nbformat.read(executed, as_version=4).cells
    found = ((match["id"], cell) for cell in cells if (match := CHECK.match(cell.source.strip())))
    return {name: round(cell.metadata.papermill.duration, 2) for name, cell in found}


if __name__ == "__main__":
    main()
