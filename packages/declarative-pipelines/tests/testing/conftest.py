"""Pipelines under test, each of a source in a folder of its own, all closed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.testing import PipelineTest


@pytest.fixture
def under_test(spark: SparkSession, tmp_path: Path) -> Iterator[Callable[..., PipelineTest]]:
    """Make a test of a source."""
    made: list[PipelineTest] = []

    def make(text: str, name: str = "pipeline.py", **more: object) -> PipelineTest:
        (tmp_path / name).write_text(dedent(text))
        made.append(PipelineTest(tmp_path, spark=spark, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()
