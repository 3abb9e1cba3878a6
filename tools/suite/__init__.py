"""What the tests of the classroom share: lanes, a seed, one Spark session, one run of the lessons.

A lane is what a test needs, and is run by one process: ``pure`` tests need nothing and go to whichever process is free;
those of ``spark`` share a session, as do those of ``pipelines``, each of which takes seconds; ``kernel`` starts
kernels and JVMs of its own, ``lessons`` are about one run of every lesson, ``browser`` has a JupyterLab and a Chromium.

All of it takes twice as long as one likes to wait.  So a run of every day has all of ``pure`` and ``spark``, a part of
the others, which the seed draws; with ``CI=true``, in the long form, and where tests are named, it is all of them.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import hypothesis
import nbformat
import pytest
from hypothesis import HealthCheck
from pyspark.sql import DataFrame, SparkSession

from connect_server import running_connect_server
from kernel_harness import Notebook
from sampling import SEED, everyday
from streaming_classroom import places

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from streaming_classroom.runner import LessonResult

# What would make the session another one than a learner's on a laptop.
_ELSEWHERE = ("SPARK_REMOTE", "SPARK_MASTER", "SPARK_HOME", "SPARK_CONF_DIR", "DATABRICKS_RUNTIME_VERSION")
_ELSEWHERE += ("CLASSROOM_USER", "CLASSROOM_FAST_START", "CLASSROOM_ANSI")

RunPython = Callable[..., subprocess.CompletedProcess[str]]

LONG = os.environ.get("CLASSROOM_LONG_TESTS") == "1"
CHOICE = "CLASSROOM_TESTS"  # "all", or "some" of the lanes that take long
# Of each: less than twenty minutes in all, on two cores.
SHARE = {"spark": 0.5, "kernel": 0.2, "browser": 0.2, "lessons": 0.2, "pipelines": 0.2}
# The long ones first, the small ones fill the gaps.
LANES = ("lessons", "spark", "pipelines", "kernel", "browser", "pure")
PROJECT = Path(__file__).parents[2]
# Fixtures that tell what a test needs.
_NEEDS = {"_session": "spark", "open_notebook": "kernel", "run_python": "kernel", "connect_server": "kernel"}
# Fixtures that a process has once, so that all who use one must be with it, and the groups of those.
_SHARED = {"_session": "spark", "lesson_runs": "lessons", "open_notebook": "kernel"}


def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed of everything random once, for all processes; the environment may name it."""
    os.environ.setdefault(SEED, str(secrets.randbelow(10**6)))
    os.environ.setdefault(CHOICE, "some" if _is_everyday(config) else "all")
    # A machine that others use as well is slow at times, which says nothing about what is tested.
    hypothesis.settings.register_profile("course", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    hypothesis.settings.load_profile("course")


def _is_everyday(config: pytest.Config) -> bool:
    """Return whether somebody runs the tests, not CI, and asks for none by name."""
    named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    return not (LONG or os.environ.get("CI") == "true" or named or config.option.keyword or config.option.markexpr)


def pytest_report_header() -> list[str]:
    lines = [f"{SEED}={os.environ[SEED]} repeats this run's random choices"]
    if os.environ[CHOICE] == "some":
        lines.append(f"a part of the lanes {', '.join(SHARE)}; {CHOICE}=all or CI=true runs all of them")
    return lines


@pytest.hookimpl(tryfirst=True)  # before pytest looks for the markers that were asked for, and xdist for groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each test its lane, and those that share something one process; draw those of an everyday run."""
    for item in items:
        if item.get_closest_marker("long") and not LONG:
            item.add_marker(pytest.mark.skip(reason="part of CLASSROOM_LONG_TESTS=1"))
        lane = _lane(item)
        item.add_marker(lane)
        if (group := _group(item)) is not None:
            item.add_marker(pytest.mark.xdist_group(group))
    if os.environ[CHOICE] == "some":
        _keep_a_part(config, items)
    # What one process does alone comes first. Stable: within a lane the order stays.
    items.sort(key=lambda item: (item.get_closest_marker("xdist_group") is None, LANES.index(_lane(item))))


def _keep_a_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take from the items what this run leaves to others: of a lane that takes long whole files, or lessons."""
    units = {item: unit for item in items if (unit := _unit(item)) is not None}
    left: set[str] = set()
    for lane, share in SHARE.items():
        weights = Counter(unit for unit in units.values() if unit.startswith(f"{lane} "))
        left |= weights.keys() - everyday(weights, share)
    config.hook.pytest_deselected(items=[item for item, unit in units.items() if unit in left])
    items[:] = [item for item in items if units.get(item) not in left]


def _unit(item: pytest.Item) -> str | None:
    """Return with which others a test is drawn: a kernel or a page serves a file, a run of a lesson all its tests."""
    lane = _lane(item)
    if lane not in SHARE:
        return None
    place = _lesson_of(item) if lane == "lessons" else item.path.relative_to(PROJECT).as_posix()
    return f"{lane} {place}" if place else None


def _lane(item: pytest.Item) -> str:
    """Return what a test needs: what it is marked with, else what its place or its fixtures say."""
    marked = next((lane for lane in LANES if item.get_closest_marker(lane)), None)
    if marked is not None:
        return marked
    room = item.path.relative_to(PROJECT).parts[1]  # below tests/ or packages/
    if room in ("browser", "lessons"):
        return room
    needs = {_NEEDS[name] for name in getattr(item, "fixturenames", ()) if name in _NEEDS}
    lane = next((lane for lane in LANES if lane in needs), "pure")
    return "pipelines" if lane == "spark" and room == "declarative-pipelines" else lane


def _group(item: pytest.Item) -> str | None:
    """Return which tests must be run by the same process as this one; None where it is all the same."""
    if _lane(item) == "browser":
        return "browser"
    shared = next((group for name, group in _SHARED.items() if name in getattr(item, "fixturenames", ())), None)
    # Two sessions, in two processes: what one must do alone is what the whole run takes at least.
    return "cloudfiles" if shared == "spark" and "pyspark-cloudfiles" in item.path.parts else shared


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Give random choices that the seed repeats, others in each test."""
    return random.Random(f"{os.environ[SEED]} {request.node.nodeid}")


@pytest.fixture(scope="session")
def lesson_runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LessonRuns:
    """Have every lesson that a test of this run is about executed once, and compared with its file."""
    return LessonRuns(request.session.items, tmp_path_factory.mktemp("lessons") / "home")


class LessonRuns:
    """One run of some lessons by the runner, in an order that the seed decides.

    Parameters
    ----------
    items
        The tests of this process: of each in the lane ``lessons`` the lesson is run that it has as a parameter
        ``lesson``, or that its module is named after.
    home
        Where the run's homes and executed notebooks are.
    """

    def __init__(self, items: Sequence[pytest.Item], home: Path) -> None:
        self._numbers = sorted({number for item in items if (number := _lesson_of(item))})
        self._home = home

    @cached_property
    def _results(self) -> dict[str, LessonResult]:
        from streaming_classroom.runner import find_lessons, lesson_number, run_lessons

        lessons = find_lessons(self._numbers, places.notebooks())
        random.Random(os.environ[SEED]).shuffle(lessons)
        done = run_lessons(lessons, jobs=2, cell_timeout=240, lesson_timeout=900, home=self._home, compare=True)
        return {lesson_number(result.lesson): result for result in done.lessons}

    def result(self, number: str) -> LessonResult:
        """Return how a lesson went."""
        return self._results[number]

    def executed(self, number: str) -> NotebookNode:
        """Return a lesson as the run left it.

        Raises
        ------
        AssertionError
            The lesson did not pass; its own test says why.
        """
        result = self.result(number)
        assert result.outcome == "passed", f"lesson {number} {result.outcome}"
        return nbformat.read(result.executed, as_version=4)


def _lesson_of(item: pytest.Item) -> str | None:
    """Return the number of the lesson that a test needs to be run."""
    if "lesson_runs" not in getattr(item, "fixturenames", ()):
        return None
    from streaming_classroom.runner import lesson_number

    lesson = getattr(item, "callspec", None) and item.callspec.params.get("lesson")
    return lesson_number(lesson.name) if lesson else item.path.stem.removeprefix("test_lesson_").upper()


@pytest.fixture(scope="session")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start the session that all tests share; its home is the tests' own, its jars are the project's."""
    from stream_view import listener, waiting
    from streaming_classroom import get_spark

    with patch.dict(os.environ, {"CLASSROOM_HOME": str(tmp_path_factory.mktemp("home"))}):
        for name in _ELSEWHERE:
            os.environ.pop(name, None)
        spark = get_spark()
        listener.watch(spark)
        yield spark
        waiting.stop_streams(spark.streams.active)
        spark.stop()


@pytest.fixture
def spark(_session: SparkSession) -> Iterator[SparkSession]:
    """Give the shared session; afterwards no stream and no view is left, and the default database is current."""
    from stream_view import waiting

    yield _session
    waiting.stop_streams(_session.streams.active)
    _session.catalog.setCurrentDatabase("default")
    for view in (table.name for table in _session.catalog.listTables() if table.isTemporary):
        _session.catalog.dropTempView(view)


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what this machine's environment says about where Spark is."""
    for name in _ELSEWHERE:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def open_notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Notebook]]:
    """Open notebooks in a folder beside the course's includes; all kernels end with the tests."""
    notebooks: list[Notebook] = []

    def open(home: Path | None = None, **environment: str) -> Notebook:
        base = tmp_path_factory.mktemp("project")
        (base / "notebooks").mkdir()
        for source in places.notebooks().glob("*.sql"):  # of pipelines, which lessons name
            shutil.copy(source, base / "notebooks")
        (base / "Includes").symlink_to(places.PROJECT / "Includes", target_is_directory=True)
        with patch.dict(os.environ):
            notebooks.append(Notebook(base / "notebooks", home or base / "home", **environment))
        return notebooks[-1]

    yield open
    for notebook in notebooks:
        notebook.close()


@pytest.fixture
def connect_server(tmp_path: Path) -> Iterator[str]:
    """Give the address of a Spark Connect server that is somebody else's."""
    with running_connect_server(tmp_path) as address:
        yield address


@pytest.fixture
def run_python(tmp_path: Path) -> RunPython:
    """Run code in a Python of its own, with a home below the test's directory and a deadline."""

    def run(code: str, timeout: float = 180, **environment: str) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
        env = inherited | {"CLASSROOM_HOME": str(tmp_path / "home"), "PYTHONUTF8": "1"} | environment
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=timeout)

    return run


@pytest.fixture
def land(tmp_path: Path) -> Callable[..., None]:
    """Put a file with a row for each value in front of the streams."""

    def put(*values: int) -> None:
        rows = "".join(json.dumps({"id": value}) + "\n" for value in values)
        (tmp_path / f".{time.monotonic_ns()}").write_text(rows)
        [hidden] = tmp_path.glob(".[0-9]*")
        hidden.rename(tmp_path / f"{hidden.name[1:]}.json")

    return put


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path, land: Callable[..., None]) -> DataFrame:
    """Give a streaming frame of the rows that are landed; three are there already."""
    land(1, 2, 3)
    return spark.readStream.schema("id INT").json(tmp_path.as_uri())
