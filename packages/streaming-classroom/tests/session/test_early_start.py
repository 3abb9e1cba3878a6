"""Spark that starts while a person reads (early_start.py)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kernel_harness import Notebook

pytestmark = pytest.mark.slow

SET_UP = "from streaming_classroom import set_up_notebook\nset_up_notebook(globals())"
AT_START = "%load_ext streaming_classroom.kernel_start"  # what the kernels of the course's environment load
HAS_SPARK = """
from pyspark import SparkContext
print(SparkContext._active_spark_context is not None)
"""
BEGUN = "(__import__('streaming_classroom.kernel_start', fromlist=['_early'])._early is not None)"


@pytest.fixture
def opened(open_notebook: Callable[..., Notebook], tmp_path: Path) -> Callable[..., Notebook]:
    """Open a notebook among the learner's copies, as Jupyter's server does, with these cells in its file."""

    def opened(*cells: str, home: Path = tmp_path / "home", **environment: str) -> Notebook:
        lesson = tmp_path / "work" / "lesson.ipynb"
        lesson.parent.mkdir(exist_ok=True)
        lesson.write_text(json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]}))
        environment = {"CLASSROOM_WORK": str(lesson.parent), "JPY_SESSION_NAME": str(lesson)} | environment
        notebook = open_notebook(home, **environment)
        notebook.run(AT_START)
        return notebook

    return opened


def wait_for_spark(notebook: Notebook) -> None:
    end = time.monotonic() + 60
    while "True" not in notebook.ok(HAS_SPARK).text:
        assert time.monotonic() < end, "nothing has been started"
        time.sleep(0.2)


def test_a_lessons_kernel_has_spark_before_set_up_which_takes_it_over(opened: Callable[..., Notebook]) -> None:
    notebook = opened(SET_UP)
    wait_for_spark(notebook)
    notebook.ok("early = SparkContext._active_spark_context")
    notebook.ok(SET_UP)
    assert notebook.value("spark.sparkContext is early and spark.range(3).count() == 3")
    # What asks for the active session, asks for it in the kernel's own thread.
    assert notebook.value("type(spark).getActiveSession() is spark")
    notebook.close()


def test_what_the_learner_changes_before_set_up_holds(opened: Callable[..., Notebook]) -> None:
    notebook = opened(SET_UP)
    wait_for_spark(notebook)
    notebook.ok("jvm = SparkContext._gateway.proc")
    notebook.ok("import os; os.environ['SPARK_MASTER'] = 'local[3]'")
    notebook.ok(SET_UP)
    assert notebook.value("(spark.sparkContext.master, spark.range(3).count())") == ("local[3]", 3)
    assert notebook.value("jvm.wait(timeout=120) is not None")
    notebook.close()


def test_of_one_home_a_single_kernel_has_a_spark_that_nobody_has_asked_for(opened: Callable[..., Notebook]) -> None:
    first, second = opened(SET_UP), opened(SET_UP)
    assert (first.value(BEGUN), second.value(BEGUN)) == (True, False)
    second.ok(SET_UP)  # which has its own, as ever
    assert second.value("spark.range(3).count()") == 3
    first.ok(SET_UP)  # and now it is no longer one that waits
    third = opened(SET_UP)
    assert third.value(BEGUN)
    for notebook in (first, second, third):
        notebook.close()


@pytest.mark.parametrize(
    ("cells", "environment"),
    [
        (["from pyspark.sql import SparkSession"], {}),  # a notebook that makes a session of its own
        ([SET_UP], {"CLASSROOM_EARLY_START": "0"}),
        ([SET_UP], {"SPARK_REMOTE": "sc://localhost:1"}),
        ([SET_UP], {"SPARK_MASTER": "spark://localhost:1"}),
        ([SET_UP], {"CLASSROOM_WORK": "/elsewhere"}),  # not a lesson
    ],
)
def test_nothing_is_started_that_may_not_be_wanted(
    opened: Callable[..., Notebook], cells: list[str], environment: dict[str, str]
) -> None:
    notebook = opened(*cells, **environment)
    assert not notebook.value(BEGUN)
    notebook.close()


def test_a_home_that_is_somebody_elses_is_left_alone(opened: Callable[..., Notebook], tmp_path: Path) -> None:
    strangers = tmp_path / "strangers"
    strangers.mkdir()
    (strangers / "thesis.txt").write_text("years")
    notebook = opened(SET_UP, CLASSROOM_HOME=str(strangers))
    assert not notebook.value(BEGUN)
    assert [path.name for path in strangers.iterdir()] == ["thesis.txt"]
    assert "was not made by the course" in notebook.run(SET_UP).error
    notebook.close()


def test_a_start_that_fails_is_seen_in_the_set_up_cell(opened: Callable[..., Notebook]) -> None:
    notebook = opened(SET_UP, JDK_JAVA_OPTIONS="-XX:NoSuchOption")
    assert notebook.run(SET_UP).ename == "SetupError"
    notebook.close()
