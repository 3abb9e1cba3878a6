"""The tests of a run: the everyday suite, all of them, or the everyday suite and what a change touches.

=======================  ==========================================================================================
``pytest``               the everyday suite: every test without the marker ``slow``
``pytest --all``         every test but the exhaustive ones; what is random explores, by ``--hypothesis-seed``
``pytest --exhaustive``  every test: also each wrong answer to each exercise, and mutants of each solution
``pytest --since C``     the everyday suite, and every test of each folder that differs from commit C
=======================  ==========================================================================================

A change in ``packages/X`` selects the slow tests of that package, one in a lesson's notebook or exercises those of that
lesson, one in ``tests/X``, ``tools/X`` or ``datasets`` those of that folder.  Where they would take longer than
``LIMIT``, the rest is left out and named in the last lines.  The seconds of each test file are recorded in
``tests/times.json`` by ``pytest --all --save-times``.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck

PROJECT = Path(__file__).parents[2]
TIMES = PROJECT / "tests" / "times.json"
# Recorded seconds of a run with --since, in two processes. CI needed 3,700 for 2,400; .ci/run promises 25 minutes.
LIMIT = 1900
_DAY = 24 * 60 * 60
_UNKNOWN, _UNKNOWN_SLOW = 5.0, 120.0  # seconds for a file that was never measured
# A fixture that a process has once, and the group of the tests that must share it.
_SHARED = {"_cluster": "cluster", "_session": "spark", "open_notebook": "kernel", "results": "runner"}
# Of the folders that a change touches, those of lessons come first, and of their tests those that run them.
_ORDER = ("lesson", "packages", "tests")
_RUNS_LESSONS = "tests/test_notebooks.py"

LEFT_OUT = pytest.StashKey[dict[str, float]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("suite", "the tests of a run")
    group.addoption(
        "--all", action="store_true", help="every test but the exhaustive ones, not only the everyday suite"
    )
    group.addoption("--exhaustive", action="store_true", help="every test: also each answer to each exercise")
    group.addoption("--since", metavar="COMMIT", help="also every test of each folder that differs from COMMIT")
    group.addoption("--part", metavar="K/N", help="only part K of N, each with the same share of the seconds")
    group.addoption("--save-times", action="store_true", help=f"record the seconds of each test file in {TIMES.name}")


def pytest_configure(config: pytest.Config) -> None:
    """Derandomize Hypothesis, unless a seed asks it to explore."""
    explores = config.getoption("--hypothesis-seed") is not None
    # A slow or busy machine says nothing about the code.
    hypothesis.settings.register_profile(
        "course", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=not explores
    )
    hypothesis.settings.load_profile("course")
    config.stash[LEFT_OUT] = {}


def pytest_report_header(config: pytest.Config) -> list[str]:
    if config.option.all or config.option.exhaustive:
        seed = config.getoption("--hypothesis-seed")
        which = "every test" if config.option.exhaustive else "every test but the exhaustive ones"
        return [f"{which}; --hypothesis-seed={seed} repeats its random choices" if seed else which]
    if config.option.since:
        return [f"the everyday suite, and the folders that differ from {config.option.since}"]
    return ["the everyday suite; --all runs every test"]


def lesson_cases(lessons: Iterable[Any], everyday: Collection[str] = (), otherwise: str = "slow") -> list[Any]:
    """Return lessons as the parameters of a test, slow but for those of the everyday suite.

    Parameters
    ----------
    lessons
        Numbers of lessons, such as ``"07"``, or paths of their notebooks.
    everyday
        The numbers of those that the everyday suite runs.
    otherwise
        The marker of the others: ``slow`` or ``exhaustive``.
    """
    cases = []
    for lesson in lessons:
        number = lesson if isinstance(lesson, str) else lesson.name.partition("-")[0]
        marks = [pytest.mark.lesson(number), *([] if number in everyday else [getattr(pytest.mark, otherwise)])]
        cases.append(pytest.param(lesson, id=number, marks=marks))
    return cases


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of this run, and give those that share a fixture to one process, the longest groups first."""
    for item in items:
        if (group := _group(item)) is not None:
            item.add_marker(pytest.mark.xdist_group(group))
    _keep(config, items, _selected(config, items))
    times = recorded_times()
    costs: dict[str, float] = defaultdict(float)
    for item, seconds in seconds_of(items, times).items():
        costs[_group(item) or item.nodeid] += seconds
    items.sort(key=lambda item: -costs[_group(item) or item.nodeid])


def _group(item: pytest.Item) -> str | None:
    if (lesson := lesson_of(item)) is not None:
        return f"lesson {lesson}"
    if folder_of(item) == "tests/browser":
        return "browser"
    shared = next((group for name, group in _SHARED.items() if name in getattr(item, "fixturenames", ())), None)
    # Two sessions in two processes: what one process must do alone is the least that the whole run takes.
    return "cloudfiles" if shared == "spark" and folder_of(item) == "packages/pyspark-cloudfiles" else shared


def lesson_of(item: pytest.Item) -> str | None:
    """Return the number of the lesson that a test is about, or None."""
    marker = item.get_closest_marker("lesson")
    return marker.args[0] if marker else None


def folder_of(item: pytest.Item) -> str:
    """Return the folder that a test belongs to: ``packages/X``, ``tests/X`` or ``lesson 07``."""
    lesson = lesson_of(item)
    parts = item.path.relative_to(PROJECT).parts
    return f"lesson {lesson}" if lesson else "/".join(parts[:2])


def _selected(config: pytest.Config, items: Sequence[pytest.Item]) -> set[pytest.Item]:
    left_out = {"slow": not (config.option.all or config.option.exhaustive), "exhaustive": not config.option.exhaustive}
    selected = {item for item in items if not left_out.get(_level(item))}
    if config.option.since is not None:
        slow = [item for item in items if item not in selected]
        selected |= _touched(config, slow, touched_folders(changed_files(PROJECT, config.option.since)), selected)
    if config.option.part:
        selected &= _part(config.option.part, [item for item in items if item in selected])
    return selected


def _level(item: pytest.Item) -> str:
    """Return which runs have a test: ``everyday``, ``slow`` or ``exhaustive``."""
    return next((name for name in ("exhaustive", "slow") if item.get_closest_marker(name)), "everyday")


def _keep(config: pytest.Config, items: list[pytest.Item], selected: Collection[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if item not in selected])
    items[:] = [item for item in items if item in selected]


def changed_files(project: Path, since: str) -> list[str]:
    """Return the paths that differ from a commit, uncommitted ones included.

    Parameters
    ----------
    project
        A Git repository.
    since
        A commit; ``day`` is the newest commit that is a day older than the last one.

    Raises
    ------
    pytest.UsageError
        Git does not know the commit.
    """
    base = _day_before(project) if since == "day" else since
    try:
        differing = _git(project, "diff", "--name-only", base)
        untracked = _git(project, "ls-files", "--others", "--exclude-standard")
    except subprocess.CalledProcessError as error:
        raise pytest.UsageError(f"--since {since}: {error.stderr.strip()}") from None
    return sorted({*differing.splitlines(), *untracked.splitlines()})


def _day_before(project: Path) -> str:
    newest = int(_git(project, "show", "--no-patch", "--format=%ct", "HEAD"))
    older = _git(project, "rev-list", "-1", "--first-parent", f"--before={newest - _DAY}", "HEAD")
    return older or _git(project, "rev-list", "--max-parents=0", "HEAD").splitlines()[-1]


def _git(project: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=project, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


def touched_folders(changed: Iterable[str]) -> set[str]:
    """Return the folders, as :func:`folder_of` names them, of changed files."""
    folders = set()
    for path in changed:
        if found := re.match(r"(packages/[^/]+)/(?:src|tests|pyproject)", path):
            folders.add(found[1])
        elif found := re.match(r"(?:notebooks/|exercises/lesson_)(\d\d[A-Za-z]?)\b", path):
            folders.add(f"lesson {found[1].upper()}")
        elif found := re.match(r"(?:tests|tools)/([^/]+)", path):
            folders |= {f"tests/{found[1]}", f"tests/test_{found[1]}"}
        elif found := re.match(r"(datasets|course)\b", path):
            folders |= {f"tests/{found[1]}", f"tests/test_{found[1]}.py"}
    return folders


def _touched(
    config: pytest.Config, slow: Sequence[pytest.Item], folders: Collection[str], selected: Collection[pytest.Item]
) -> set[pytest.Item]:
    """Return the other tests of the touched folders, in order, as long as they are within the limit."""
    units: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in slow:
        if folder_of(item) in folders:
            units[folder_of(item), unit_of(item)].append(item)
    seconds = seconds_of([*selected, *slow], recorded_times())
    total, kept = sum(seconds[item] for item in selected), set()
    for folder, unit in sorted(units, key=_place):
        cost = sum(seconds[item] for item in units[folder, unit])
        if total + cost > LIMIT:
            config.stash[LEFT_OUT][unit] = cost
            continue
        total += cost
        kept |= set(units[folder, unit])
    return kept


def _place(key: tuple[str, str]) -> tuple[int, bool, str]:
    folder, unit = key
    return _ORDER.index(re.split(r"[ /]", folder)[0]), not unit.startswith(_RUNS_LESSONS), unit


def _part(part: str, items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Return part K of N: whole groups and files, the longest first, each to the part with the fewest seconds."""
    number, of = map(int, part.split("/"))
    seconds = seconds_of(items, recorded_times())
    units: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        units[f"lesson {lesson_of(item)}" if lesson_of(item) else unit_of(item)].append(item)
    costs = {unit: sum(seconds[item] for item in members) for unit, members in units.items()}
    totals = [0.0] * of
    chosen: set[pytest.Item] = set()
    for unit in sorted(units, key=lambda unit: (-costs[unit], unit)):
        least = totals.index(min(totals))
        totals[least] += costs[unit]
        if least == number - 1:
            chosen |= set(units[unit])
    return chosen


def unit_of(item: pytest.Item) -> str:
    """Return the name under which the seconds of a test are recorded: its file, its lesson, and its level."""
    lesson, level = lesson_of(item), _level(item)
    suffix = "" if level == "everyday" else f" {level}"
    return item.path.relative_to(PROJECT).as_posix() + (f"[{lesson}]" if lesson else "") + suffix


def recorded_times() -> dict[str, float]:
    """Return the recorded seconds of each unit."""
    return json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.exists() else {}


def seconds_of(items: Iterable[pytest.Item], times: dict[str, float]) -> dict[pytest.Item, float]:
    """Return the expected seconds of tests: those of a unit, divided equally."""
    units: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        units[unit_of(item)].append(item)
    return {
        item: times.get(unit, _UNKNOWN_SLOW if unit.endswith((" slow", " exhaustive")) else _UNKNOWN) / len(members)
        for unit, members in units.items()
        for item in members
    }
