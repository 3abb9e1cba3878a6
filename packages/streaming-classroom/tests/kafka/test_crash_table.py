"""What is lost and what is twice after a crash, at each point of a batch, from each source to each sink.

The table is in docs/crashes.md. The long form runs all of it and brings the table up to date; each day a few are run.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from streaming_classroom import CRASH_POINTS, kill_at
from streaming_classroom.files import directories
from streaming_classroom.kafka.topics import LessonKafka

from . import crashing_copy
from .crashing_copy import BATCH, BATCHES, SINKS, SOURCES, Copy

pytestmark = pytest.mark.slow

CRASHING = 1  # the batch that is interrupted
PAGE = directories.PROJECT / "docs" / "crashes.md"
_UNKNOWN = ["?"] * len(CRASH_POINTS)
EVERYDAY = (
    ("files", "after the sink's write", list(SINKS)),
    ("Delta", "in mid-batch", ["files"]),
    ("Kafka", "after the offset log", ["Kafka", "Delta"]),
)

Crash = Callable[[str, str, list[str]], list[str]]


@pytest.fixture
def crash(spark: SparkSession, kafka: LessonKafka, tmp_path: Path) -> Crash:
    """Kill copies from a source to some sinks at a point, start them again, and return what has become of the rows."""

    def made(source: str, sink: str) -> Copy:
        name = f"copy{len(list(tmp_path.iterdir()))}"
        (tmp_path / name).mkdir()
        topics = [kafka.create_topic(f"{name}-{end}", partitions=1) for end in ("from", "to")]
        copy = Copy(name, source, sink, str(tmp_path / name), dict(kafka.options), *topics)
        crashing_copy.land(spark, copy, lambda _topic, rows: kafka.send(f"{name}-from", rows))
        return copy

    def run(source: str, point: str, sinks: list[str]) -> list[str]:
        copies = [made(source, sink) for sink in sinks]
        program = [sys.executable, str(Path(crashing_copy.__file__)), crashing_copy.as_argument(copies)]
        kill_at(point, program, CRASHING, [copy.name for copy in copies])
        for copy in copies:
            _expect_logs(Path(copy.folder) / "checkpoint", point)
        return [_restarted(spark, copy) for copy in copies]

    return run


def _restarted(spark: SparkSession, copy: Copy) -> str:
    refused = ""
    try:
        crashing_copy.start(spark, copy).awaitTermination()
    except AnalysisException as error:
        refused = str(error)
    return _verdict(crashing_copy.copied(spark, copy), refused)


def _expect_logs(checkpoint: Path, point: str) -> None:
    """The logs must be those of a crash at the point, or the table would tell of another one."""
    planned, ended = ((checkpoint / log / str(CRASHING)).exists() for log in ("offsets", "commits"))
    at = CRASH_POINTS.index(point)
    assert (planned, ended) == (at >= 1, at >= 4), point


def _verdict(found: list[int], refused: str) -> str:
    """Return in words which rows are missing, and which are there twice."""
    wanted, counts = set(range(BATCH * BATCHES)), Counter(found)
    assert counts.keys() <= wanted
    lost, doubled = len(wanted - counts.keys()), sum(count > 1 for count in counts.values())
    if refused:
        assert "does not support recovering from checkpoint" in refused
        return "restart refused, all rows lost" if lost == len(wanted) else "restart refused"
    said = [f"{_some(lost)} lost"] if lost else []
    said += [f"{_some(doubled)} twice"] if doubled else []
    return ", ".join(said) or "exactly once"


def _some(rows: int) -> str:
    return "the batch" if rows == BATCH else "some rows" if rows < BATCH else "several batches"


@pytest.mark.parametrize(("source", "point", "sinks"), EVERYDAY)
def test_a_crash_leaves_what_the_table_says(crash: Crash, source: str, point: str, sinks: list[str]) -> None:
    assert crash(source, point, sinks) == [_table()[source, sink][CRASH_POINTS.index(point)] for sink in sinks]


@pytest.mark.parametrize("point", CRASH_POINTS)
@pytest.mark.parametrize("source", SOURCES)
def test_the_table_is_what_crashes_leave(crash: Crash, source: str, point: str) -> None:
    """All sinks at once, of which each query stands still; in mid-batch one after the other."""
    together = [[sink] for sink in SINKS] if point == "in mid-batch" else [list(SINKS)]
    found = [verdict for sinks in together for verdict in crash(source, point, sinks)]
    before = [_table().get((source, sink), _UNKNOWN)[CRASH_POINTS.index(point)] for sink in SINKS]
    if before != found:
        _write(source, point, dict(zip(SINKS, found, strict=True)))
    assert before == found, f"{PAGE.name} was brought up to date: look at the difference"


def _table() -> dict[tuple[str, str], list[str]]:
    """Return the verdicts of the page, one for each point, by source and sink."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in _lines()]
    return {(row[0], row[1]): row[2:] for row in rows if len(row) == 2 + len(CRASH_POINTS) and row[0] in SOURCES}


def _lines() -> list[str]:
    return [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]


def _write(source: str, point: str, found: dict[str, str]) -> None:
    table = _table()
    for sink, verdict in found.items():
        cells = table.setdefault((source, sink), list(_UNKNOWN))
        cells[CRASH_POINTS.index(point)] = verdict
    order = [(one, other) for one in SOURCES for other in SINKS if (one, other) in table]
    rows = ["| " + " | ".join([*key, *table[key]]) + " |" for key in order]
    head = ["| source | sink | " + " | ".join(CRASH_POINTS) + " |", "| --- " * (2 + len(CRASH_POINTS)) + "|"]
    lines = "\n".join([*head, *rows])
    text = PAGE.read_text(encoding="utf-8")
    text = re.sub(r"^\| source \|.*?(?=\n\n)", lambda _match: lines, text, flags=re.DOTALL | re.MULTILINE)
    PAGE.write_text(text, encoding="utf-8")


def test_the_table_is_whole() -> None:
    assert list(_table()) == [(source, sink) for source in SOURCES for sink in SINKS]
    assert not any("?" in cells for cells in _table().values())
