"""Counts, and Spark's message about a record that must not be there."""

from __future__ import annotations

from pyspark.sql import SparkSession

from declarative_pipelines.definitions.model import Expectation, Violation
from declarative_pipelines.planning.expectations import Counts, apply_expectations, counts, violation


def test_counts_of_batches_are_added() -> None:
    assert Counts(3, 1, (2, 0)) + Counts(4, 0, (1, 1)) == Counts(7, 1, (3, 1))
    assert Counts() + Counts(4, 1, (1, 1)) == Counts(4, 1, (1, 1))


def test_what_spark_observed_is_read_by_dataset_and_the_rest_is_somebody_elses() -> None:
    observed = {
        "expectations of t": {"records": 12, "dropped": 1, **{f"failed_{number}": number for number in range(11)}},
        "mine": {"n": 1},
    }
    assert counts(observed) == {"t": Counts(12, 1, tuple(range(11)))}


def test_a_violation_is_found_in_sparks_message() -> None:
    text = (
        "[STREAM_FAILED] [USER_RAISED_EXCEPTION] [EXPECTATION_VIOLATION.VERBOSITY_OUTPUT] Flow 'f' failed to meet the "
        "expectation of 't'. Violated expectations: 'a', 'it''s'. Output record: '{\"v\":\"it's\"}' SQLSTATE: P0001"
    )
    found = violation(text)
    assert found is not None
    assert (found.dataset, found.flow, found.record) == ("t", "f", '{"v":"it\'s"}')
    assert found.expectations[0] == "a"
    assert violation("[DIVIDE_BY_ZERO]") is None


def test_conditions_are_kept_apart_however_they_are_written(spark: SparkSession) -> None:
    small = Expectation("small", "v = 1 OR v = 2 -- not more", Violation.DROP)
    large = Expectation("large", "v = 2 /* OR */ OR v = 3", Violation.DROP)
    kept = apply_expectations(spark.range(5).toDF("v"), "d", "f", [small, large])
    assert [row.v for row in kept.collect()] == [2]


def test_a_row_for_which_a_condition_is_null_does_not_meet_it(spark: SparkSession) -> None:
    frame = spark.sql("SELECT * FROM VALUES (1), (NULL), (-1) AS t(v)")
    kept = apply_expectations(frame, "d", "f", [Expectation("positive", "v > 0", Violation.DROP)])
    assert [row.v for row in kept.collect()] == [1]
