"""The reference of a package has its public names, and starts nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from book.api_pages import api_page, module_of, public_names

PROJECT = Path(__file__).parents[2]
MODULES = [module_of(path.parent) for path in sorted((PROJECT / "packages").glob("*/pyproject.toml"))]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_documented_once(module: str) -> None:
    documented = re.findall(r"^\.\. auto\w+:: (\S+)$", api_page(module), re.MULTILINE)
    assert {f"{module}.{name}" for name in public_names(module)} <= set(documented)
    assert len(documented) == len(set(documented))


def test_what_a_name_is_decides_how_it_is_documented() -> None:
    page = api_page("declarative_pipelines")
    assert ".. autofunction:: declarative_pipelines.run_pipeline" in page
    assert ".. autoclass:: declarative_pipelines.Update\n   :members:" in page
    assert ".. autoexception:: declarative_pipelines.PipelineError" in page
    assert ".. autodata:: streaming_classroom.CRASH_POINTS" in api_page("streaming_classroom")


def test_what_a_package_gives_by_a_module_is_there_as_well() -> None:
    assert ".. autofunction:: stream_view.waiting.block_until_stream_is_ready" in api_page("stream_view")
    assert ".. autoclass:: streaming_classroom.lesson.lesson.Lesson" in api_page("streaming_classroom")


def test_no_spark_is_started(run_fresh) -> None:
    said = run_fresh(
        f"from book.api_pages import api_page\nfor module in {MODULES}: api_page(module)\n"
        "from pyspark import SparkContext\nprint(SparkContext._active_spark_context, SparkContext._gateway)"
    )
    assert said.split() == ["None", "None"]
