from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

from declarative_pipelines.engine.session_settings import temporary_settings
from declarative_pipelines.updates import flow_runs

PARTITIONS = "spark.sql.shuffle.partitions"


def test_settings_are_there_for_a_while_and_then_what_was_before(spark) -> None:
    before = spark.conf.get(PARTITIONS)
    with temporary_settings(spark, {PARTITIONS: "7", "pipelines.never.set": "x"}):
        assert (spark.conf.get(PARTITIONS), spark.conf.get("pipelines.never.set")) == ("7", "x")
    assert (spark.conf.get(PARTITIONS), spark.conf.get("pipelines.never.set", None)) == (before, None)


def test_a_setting_that_a_session_refuses_leaves_the_others_and_the_next_flow_as_they_were(spark) -> None:
    before = spark.conf.get(PARTITIONS)
    refused = {PARTITIONS: "7", "spark.sql.warehouse.dir": "/elsewhere"}
    with pytest.raises(PySparkException), flow_runs._settings(spark, refused):
        raise AssertionError("not reached")
    assert spark.conf.get(PARTITIONS) == before
    assert not flow_runs._setting.locked()
