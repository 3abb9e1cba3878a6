from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sampling import SEED, everyday
from streaming_classroom import places

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


def collected(*arguments: str, **environment: str) -> set[str]:
    """Return which tests a run of pytest would have, in an environment without this run's choices."""
    ours = {SEED, "CLASSROOM_TESTS", "CLASSROOM_LONG_TESTS", "CI", "PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS"}
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        command, cwd=places.PROJECT, env=inherited | environment, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_an_everyday_run_has_all_of_the_quick_lanes_and_a_part_of_the_others() -> None:
    everything, some = collected(CI="true"), collected()
    quick = collected("-m", "pure or spark")
    assert quick < some < everything
    slow, drawn_slow = everything - quick, some - quick
    assert 0.2 < len(drawn_slow) / len(slow) < 0.5


def test_tests_that_are_named_are_all_there() -> None:
    named = collected("tests/test_notebooks.py")
    assert named == {test for test in collected(CI="true") if test.startswith("tests/test_notebooks.py")}
