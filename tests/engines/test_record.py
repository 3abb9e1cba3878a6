"""The record keeps one run of each lesson on each engine, the newest."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines import record
from engines.record import Run


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(record, "RECORD", tmp_path / "measured.jsonl")
    return tmp_path / "measured.jsonl"


def run(lesson: str, engine: str, cell: int | None = None, says: str = "") -> Run:
    return Run(lesson, engine, cell, says, "4.2.0", "2026-11-27")


def test_what_was_never_measured_is_not_in_it(file: Path) -> None:
    assert not file.exists() and record.read() == {}


def test_a_run_takes_the_place_of_the_one_before_and_leaves_the_others(file: Path) -> None:
    record.write([run("00", "local"), run("01", "local", 3, "Ärger: no broker")])
    record.write([run("01", "local")])
    assert record.read() == {("00", "local"): run("00", "local"), ("01", "local"): run("01", "local")}
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2


def test_lines_are_sorted_so_that_a_change_shows_what_was_measured(file: Path) -> None:
    record.write([run("02", "connect"), run("00", "standalone"), run("00", "local")])
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(lines)


def test_a_run_that_stopped_at_a_cell_has_not_passed() -> None:
    assert run("00", "local").passed and not run("00", "local", 4, "why").passed
