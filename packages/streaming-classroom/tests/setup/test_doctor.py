from __future__ import annotations

import sys
from pathlib import Path

import pytest

from standalone_cluster import running_cluster
from streaming_classroom.session import cluster as clusters
from streaming_classroom.setup import doctor, java
from streaming_classroom.setup.doctor import Finding, Report

GOOD = Finding(True, "fine", "nothing")
BAD = Finding(False, "[broken]", "Repair it.")
NOTE = Finding(False, "odd", "Nothing: it goes on.", matters=False)


def test_the_table_has_a_line_a_check_and_shows_the_fix_of_failing_ones_only(monkeypatch, capsys) -> None:
    checks = {"a": lambda: GOOD, "b": lambda: BAD, "c": lambda: NOTE}
    monkeypatch.setattr(doctor, "checks", lambda: checks)
    doctor.main()
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:] == [
        ["a", "ok", "fine"],
        ["b", "fix", "[broken]", "Repair", "it."],
        ["c", "note", "odd", "Nothing:", "it", "goes", "on."],
    ]


def test_all_is_well_where_the_tests_run(monkeypatch, capsys) -> None:
    assert doctor.main() == 0, capsys.readouterr().out
    assert java.find().java is not None
    assert sys.version_info >= (3, 11)


# --- With --fix -------------------------------------------------------------------------------------------------------


class Broken:
    """A check that fails until its repair has run, and always if the repair fails."""

    def __init__(self, error: Exception | None = None, helps: bool = True) -> None:
        self.error, self.helps, self.repaired = error, helps, False

    def __call__(self) -> Finding:
        if self.repaired and self.helps:
            return Finding(True, "whole")
        return Finding(False, "in pieces", "Glue it.", repair=self.repair)

    def repair(self, report: Report) -> None:
        report("glues what is broken")
        if self.error:
            raise self.error
        self.repaired = True


def fixed(monkeypatch, **every) -> int:
    monkeypatch.setattr(doctor, "checks", lambda: every)
    return doctor.main(fix=True)


def test_a_repair_says_what_it_does_and_is_checked(monkeypatch, capsys) -> None:
    assert fixed(monkeypatch, vase=Broken()) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "vase: glues what is broken",
        "vase: repaired, whole",
        "Nothing is left that stands in the way.",
    ]


def test_what_is_for_the_user_to_do_is_named_and_nothing_else_is_touched(monkeypatch, capsys) -> None:
    well = Broken()
    well.repaired = True
    assert fixed(monkeypatch, vase=Broken(), disk=lambda: BAD, odd=lambda: NOTE, well=well) == 1
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "For you to do, as the table says: disk."
    assert said.count("glues") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "says"), [(0, "no executor that works in 3 s."), (1, "1 cores; a shuffle has 1 partitions.")]
)
def test_a_cluster_is_well_or_says_what_it_lacks(run_python, tmp_path: Path, workers: int, says: str) -> None:
    code = "from streaming_classroom.setup import doctor; print(doctor.checks()['cluster']())"
    with running_cluster(tmp_path, workers=workers) as running:
        done = run_python(code, SPARK_MASTER=running.master, **{clusters.WAIT_VARIABLE: "60" if workers else "3"})
    assert says in done.stdout, done.stderr
