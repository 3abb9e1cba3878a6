"""The tests of a run: the quick ones, those that a change reaches, and of the rest a part, in CI a sixth by the date.

A run of every day draws its part by the seed.  With ``CI=true`` it is a sixth, which goes by the date, so that six
days in a row have everything.  A change at the bottom reaches nearly all of a lane, which takes CI longer than an hour:
there it has, beside its sixth, only a part of the tests and lessons that changed themselves.  ``CLASSROOM_TESTS=all``
runs all of it, and so does naming tests.
"""

from __future__ import annotations

import datetime
import os
import secrets
import zlib
from collections import Counter

import hypothesis
import pytest
from hypothesis import HealthCheck

from .changes import Reach, changed_files
from .lanes import LANES, PROJECT, group_of, lane_of, lesson_of, unit_of
from .sampling import SEED, everyday

LONG = os.environ.get("CLASSROOM_LONG_TESTS") == "1"
CHOICE = "CLASSROOM_TESTS"  # "all", or "some"
CI = os.environ.get("CI") == "true"
# Of each lane, what a run of every day has: less than twenty minutes in all, on two cores. Of the lane cluster it has
# what a change reaches: a lesson takes three times as long there.
SHARE = {"spark": 0.4, "kernel": 0.15, "browser": 0.15, "lessons": 0.15, "pipelines": 0.15}
PARTS = 6  # of which a run in CI has one, beside what was changed
MUCH = 0.2  # of a lane: CI runs no more of it for a change
# Tests that run more than they import: a kernel, a page, whole lessons.
_RUN_MORE = ("kernel", "browser", "lessons", "cluster")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed of everything random once, for all processes; the environment may name it."""
    os.environ.setdefault(SEED, str(secrets.randbelow(10**6)))
    os.environ.setdefault(CHOICE, "all" if _is_asked_for(config) else "some")
    # A machine that others use as well is slow at times, which says nothing about what is tested.
    hypothesis.settings.register_profile("course", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    hypothesis.settings.load_profile("course")


def _is_asked_for(config: pytest.Config) -> bool:
    """Return whether somebody asks for the long form, or for tests by name."""
    named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    return bool(LONG or named or config.option.keyword or config.option.markexpr)


def pytest_report_header() -> list[str]:
    lines = [f"{SEED}={os.environ[SEED]} repeats this run's random choices"]
    if os.environ[CHOICE] == "some":
        part = f"a sixth of the rest, part {_part_of_today() + 1} of {PARTS}" if CI else "a part of the rest"
        changed = changed_files(PROJECT, landed=CI)
        what = "nothing, as Git does not say what has changed" if changed is None else f"{len(changed)} changed files"
        lines.append(f"all quick tests, what {what} reach{'es' * (changed is None)}, {part}; {CHOICE}=all runs all")
    return lines


@pytest.hookimpl(tryfirst=True)  # before pytest looks for the markers that were asked for, and xdist for groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each test its lane, and those that share something one process; keep those of this run."""
    for item in items:
        if item.get_closest_marker("long") and not LONG:
            item.add_marker(pytest.mark.skip(reason="part of CLASSROOM_LONG_TESTS=1"))
        item.add_marker(lane_of(item))
        if (group := group_of(item)) is not None:
            item.add_marker(pytest.mark.xdist_group(group))
    if os.environ[CHOICE] == "some":
        _keep_a_part(config, items)
    # What one process does alone comes first. Stable: within a lane the order stays.
    items.sort(key=lambda item: (item.get_closest_marker("xdist_group") is None, LANES.index(lane_of(item))))


def _keep_a_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take from the items what this run leaves to others: whole files, or lessons."""
    units = {item: unit for item in items if (unit := unit_of(item)) is not None}
    kept = _reached(units) | (_part_by_date(units) if CI else _drawn(units))
    config.hook.pytest_deselected(items=[item for item, unit in units.items() if unit not in kept])
    items[:] = [item for item in items if item not in units or units[item] in kept]


def _reached(units: dict[pytest.Item, str]) -> set[str]:
    """Return the units that a change reaches."""
    changed = changed_files(PROJECT, landed=CI)
    if not changed:
        return set()
    reach = Reach(PROJECT, changed)
    itself = {unit for item, unit in units.items() if reach.changed(item.path, lesson_of(item))}
    reached = {
        unit
        for item, unit in units.items()
        if reach.has(item.path, lesson_of(item), by_package=lane_of(item) in _RUN_MORE)
    }
    return _at_most_much(itself, reached, set(units.values())) if CI else reached


def _at_most_much(itself: set[str], reached: set[str], every: set[str]) -> set[str]:
    """Return what is reached; of a lane of which that is much, a part of what changed itself."""
    kept: set[str] = set()
    for lane in {unit.partition(" ")[0] for unit in every}:
        whole, ours, own = (
            {unit for unit in units if unit.startswith(f"{lane} ")} for units in (every, reached, itself)
        )
        most = int(MUCH * len(whole))
        kept |= ours if len(ours) <= most else set(sorted(own, key=_of_today)[:most])
    return kept


def _of_today(unit: str) -> int:
    """Return where a unit stands today, by name and date, so that every process has the same order."""
    return zlib.crc32(f"{unit} {datetime.datetime.now(datetime.UTC).date()}".encode())


def _part_by_date(units: dict[pytest.Item, str]) -> set[str]:
    """Return the part that is today's, of each lane as many: by name and date, so that every process has the same."""
    today: set[str] = set()
    for lane in LANES:
        of_lane = {unit for unit in units.values() if unit.startswith(f"{lane} ")}
        today.update(sorted(of_lane, key=lambda unit: zlib.crc32(unit.encode()))[_part_of_today() :: PARTS])
    return today


def _part_of_today() -> int:
    return datetime.datetime.now(datetime.UTC).date().toordinal() % PARTS


def _drawn(units: dict[pytest.Item, str]) -> set[str]:
    """Return the part that the seed draws, a share of each lane."""
    drawn: set[str] = set()
    for lane, share in SHARE.items():
        drawn |= everyday(Counter(unit for unit in units.values() if unit.startswith(f"{lane} ")), share)
    return drawn
