"""What differs between releases of Spark's own engine."""

from __future__ import annotations

from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from declarative_pipelines.engine.spark_engine import SparkEngine


class Graph:
    """Spark's graph as py4j shows that of a release: with one way to be resolved."""

    def __init__(self, parameters: int) -> None:
        self.parameters = parameters

    def resolve(self, *arguments: Any) -> tuple:
        if len(arguments) != self.parameters:
            raise Py4JError("An error occurred while calling o1.resolve. Trace:\nMethod resolve([]) does not exist")
        return arguments


@pytest.fixture
def engine(spark: SparkSession) -> SparkEngine:
    return SparkEngine(spark, "spark_catalog", "default", "file:/nowhere")


@pytest.mark.parametrize(("parameters", "given"), [(0, ()), (1, (False,))])
def test_a_graph_is_resolved_as_4_2_and_as_4_3_have_it(engine: SparkEngine, parameters: int, given: tuple) -> None:
    assert engine._resolved(Graph(parameters)) == given


def test_an_error_of_sparks_is_no_other_release(engine: SparkEngine, spark: SparkSession) -> None:
    class Failing:
        def resolve(self, *arguments: Any) -> None:
            assert arguments == ()
            spark._jvm.java.lang.Integer.parseInt("does not exist")

    with pytest.raises(Exception, match="does not exist"):
        engine._resolved(Failing())
