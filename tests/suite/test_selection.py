from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache

import pytest

from streaming_classroom.files import directories
from suite import selection
from suite.changes import SINCE, changed_files
from suite.sampling import SEED, everyday, some_of

LANES = ("spark", "kernel", "browser", "lessons", "pipelines")  # of which an everyday run has a part
WEIGHTS = {f"unit {number}": number for number in range(1, 21)}


def drawn(seed: int, share: float = 0.35) -> set[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SEED, str(seed))
        return everyday(WEIGHTS, share)


def test_the_same_seed_draws_the_same() -> None:
    assert drawn(7) == drawn(7)
    assert len({frozenset(drawn(seed)) for seed in range(10)}) > 5


def test_each_unit_has_its_turn() -> None:
    assert set().union(*(drawn(seed) for seed in range(50))) == set(WEIGHTS)


@pytest.mark.parametrize("share", [0.1, 0.35, 0.8])
def test_what_is_drawn_is_about_its_share(share: float) -> None:
    for seed in range(20):
        weight = sum(WEIGHTS[unit] for unit in drawn(seed, share))
        assert abs(weight - share * sum(WEIGHTS.values())) <= max(WEIGHTS.values())


def test_at_least_one_is_drawn_and_all_where_all_are_wanted() -> None:
    assert len(drawn(1, 0.0)) == 1
    assert drawn(1, 1.0) == set(WEIGHTS)


COLLECT = """
import json, sys
import pytest

class Told:
    def pytest_collection_finish(self, session):
        marks = {item.nodeid: [mark.name for mark in item.iter_markers()] for item in session.items}
        print("\\n" + json.dumps(marks))

sys.exit(pytest.main(["--collect-only", "-qq", "-n", "0", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[Told()]))
"""


@cache
def collected(*arguments: str, **choices: str) -> dict[str, list[str]]:
    """Return which tests a run of pytest would have and their marks, in an environment without this run's choices."""
    ours = {SEED, SINCE, "CLASSROOM_TESTS", "CLASSROOM_LONG_TESTS", "CI", "PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS"}
    environment = {name: value for name, value in os.environ.items() if name not in ours} | choices
    command = [sys.executable, "-c", COLLECT, *arguments]
    done = subprocess.run(
        command, cwd=directories.PROJECT, env=environment, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


def everything() -> dict[str, list[str]]:
    return collected(CLASSROOM_TESTS="all")


@pytest.mark.parametrize("choices", [{}, {"CI": "true"}], ids=["every day", "in CI"])
def test_a_run_has_all_of_the_quick_lane_and_a_part_of_the_others(choices: dict[str, str]) -> None:
    if changed_files(directories.PROJECT, landed=bool(choices)):
        choices |= {SINCE: "HEAD"}  # what has changed is in every run, and is another test's
    if changed_files(directories.PROJECT):
        pytest.skip("what is not committed is in every run")
    every, some = everything(), collected(**choices).keys()
    lane = {name: {test for test, marks in every.items() if name in marks} for name in ("pure", *LANES)}
    assert lane["pure"] < some < every.keys()
    for name in LANES:
        whole, ours = (_as_chosen(tests, name) for tests in (lane[name], lane[name] & some))
        assert 0 < len(ours) < 0.7 * len(whole), name


def _as_chosen(tests: set[str], lane: str) -> set[str]:
    """Return the files of tests, since one file has more than half of the browser's; lessons share one."""
    return tests if lane == "lessons" else {test.partition("::")[0] for test in tests}


def test_a_run_of_every_day_starts_a_cluster_for_what_has_changed_only() -> None:
    if changed_files(directories.PROJECT):
        pytest.skip("what is not committed is in every run")
    on_a_cluster = {test for test, marks in everything().items() if "cluster" in marks}
    assert on_a_cluster and not on_a_cluster & collected(**{SINCE: "HEAD"}).keys()


def test_tests_that_are_named_are_all_there() -> None:
    named = collected("tests/test_notebooks.py")
    assert named.keys() == {test for test in everything() if test.startswith("tests/test_notebooks.py")}


def test_six_days_in_a_row_have_every_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    units = {object(): f"kernel packages/p/tests/test_{number}.py" for number in range(50)}
    days = []
    for part in range(selection.PARTS):
        monkeypatch.setattr(selection, "_part_of_today", lambda part=part: part)
        days.append(selection._part_by_date(units))
    assert set().union(*days) == set(units.values())
    assert sum(map(len, days)) == len(units) and all(days)


def test_what_only_the_long_form_plays_is_never_chosen_and_keeps_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in map(str, range(20)):
        monkeypatch.setenv(SEED, seed)
        cases = some_of(("01", "02", "03"), 1, only_long={"02"})
        assert [case.id for case in cases] == ["01", "02", "03"]
        [chosen] = [case.id for case in cases if not case.marks]
        assert chosen != "02"


def test_where_a_change_reaches_much_of_a_lane_ci_has_a_part_of_what_changed_itself() -> None:
    every = {f"{lane} {number}" for lane in ("kernel", "browser") for number in range(10)}
    reached = {f"kernel {number}" for number in range(9)} | {"browser 1", "browser 2"}
    few, many = {"kernel 3", "browser 1"}, {f"kernel {number}" for number in range(8)}
    assert selection._at_most_much(few, reached, every) == {"kernel 3", "browser 1", "browser 2"}
    kept = selection._at_most_much(many, reached, every) - {"browser 1", "browser 2"}
    assert len(kept) == 2 and kept < many
