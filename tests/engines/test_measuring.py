"""The record is what an engine gives: of each run of the tests, one lesson on one engine is run again."""

from __future__ import annotations

import sys

import pytest

from engines import record
from engines.engine import ENGINES
from engines.measuring import lasting, measure
from suite.sampling import some_of

BY_NAME = {engine.name: engine for engine in ENGINES}
RECORDED = sorted(record.read())
NAMES = ["-".join(one) for one in RECORDED]
#: Lessons that take seconds and have no Python source, for which Spark starts a Python and waits ten seconds at most.
EVERYDAY = ("00", "02L", "07W")
ONLY_LONG = {name for name in NAMES if not name.startswith(tuple(f"{lesson}-" for lesson in EVERYDAY))}


@pytest.mark.kernel
@pytest.mark.usefixtures("clean_environment")
@pytest.mark.parametrize(("lesson", "engine"), some_of(RECORDED, 1, NAMES, ONLY_LONG))
def test_a_lesson_goes_as_far_as_it_is_recorded(lesson: str, engine: str) -> None:
    seen, recorded = measure(lesson, BY_NAME[engine]), record.read()[lesson, engine]
    assert (seen.cell, seen.says) == (recorded.cell, recorded.says)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("no file at file:/tmp/x1/home/runs/a b", "no file at ... b"),
        ("'/tmp/x1/home/file.json' is missing", "'...' is missing"),
        ("broker 127.0.0.1:4711 and localhost:9092 are gone", "broker 127.0.0.1:... and localhost:... are gone"),
        ("query 0b1c2d3e-0000-4000-8000-0123456789ab ended", "query ... ended"),
        ("another folder, /tmp/x2/home, stays", "another folder, /tmp/x2/home, stays"),
        (f"Command '['{sys.executable}', '-c']' failed", "Command '['python', '-c']' failed"),
        ("word " * 100, "word " * 43 + "..."),
    ],
)
def test_what_another_run_has_otherwise_is_left_out(said: str, kept: str) -> None:
    assert lasting(said, "/tmp/x1") == kept
