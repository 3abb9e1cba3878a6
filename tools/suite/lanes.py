"""The lane of a test: pure, spark, pipelines, kernel, lessons, cluster or browser.

A lane is what a test needs: ``pure`` tests need nothing and go to whichever process is free; those of ``spark`` share a
session, as do those of ``pipelines``, each of which takes seconds; ``kernel`` starts kernels and JVMs of its own,
``lessons`` are about one run of the lessons, those of ``cluster`` take turns on a master with two workers, ``browser``
has a JupyterLab and a Chromium.
"""

from __future__ import annotations

from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
# The long ones first, the small ones fill the gaps.
LANES = ("lessons", "cluster", "spark", "pipelines", "kernel", "browser", "pure")
# Fixtures that tell what a test needs.
_NEEDS = {"_session": "spark", "open_notebook": "kernel", "run_python": "kernel", "connect_server": "kernel"}
_NEEDS["_cluster"] = "cluster"
# Fixtures that a process has once, so that all who use one must be with it, and the groups of those.
_SHARED = {"_cluster": "cluster", "_session": "spark", "lesson_runs": "lessons", "open_notebook": "kernel"}


def room_of(item: pytest.Item) -> str:
    """Return what a test is about: a package, or a folder or file of the tests of the course as a whole."""
    return item.path.relative_to(PROJECT).parts[1]  # below packages/ or tests/


def lane_of(item: pytest.Item) -> str:
    """Return what a test needs: what it is marked with, else what its folder or its fixtures say."""
    marked = next((lane for lane in LANES if item.get_closest_marker(lane)), None)
    if marked is not None:
        return marked
    room = room_of(item)
    if room in ("browser", "lessons"):
        return room
    needs = {_NEEDS[name] for name in getattr(item, "fixturenames", ()) if name in _NEEDS}
    lane = next((lane for lane in LANES if lane in needs), "pure")
    return "pipelines" if lane == "spark" and room == "declarative-pipelines" else lane


def group_of(item: pytest.Item) -> str | None:
    """Return which tests must be run by the same process as this one; None where it is all the same."""
    if lane_of(item) == "browser":
        return "browser"
    shared = next((group for name, group in _SHARED.items() if name in getattr(item, "fixturenames", ())), None)
    # Two sessions, in two processes: what one must do alone is what the whole run takes at least.
    return "cloudfiles" if shared == "spark" and room_of(item) == "pyspark-cloudfiles" else shared


def lesson_of(item: pytest.Item) -> str | None:
    """Return the number of the lesson that a test needs to be run; None if it needs none."""
    if "lesson_runs" not in getattr(item, "fixturenames", ()):
        return None
    # pytest loads this before anything else, and few runs need it.
    from streaming_classroom.runner import lesson_number

    lesson = getattr(item, "callspec", None) and item.callspec.params.get("lesson")
    return lesson_number(lesson.name) if lesson else item.path.stem.removeprefix("test_lesson_").upper()


def unit_of(item: pytest.Item) -> str | None:
    """Return with which others a test is chosen; None for one that every run has.

    A kernel or a page serves a file, so that a part of a file costs as much as all of it; a run of a lesson serves all
    tests about it.
    """
    lane = lane_of(item)
    if lane == "pure":
        return None
    name = lesson_of(item) if lane == "lessons" else None
    return f"{lane} {name or item.path.relative_to(PROJECT).as_posix()}"
