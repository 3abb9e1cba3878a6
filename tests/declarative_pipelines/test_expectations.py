"""Counts, and Spark's message about a record that must not be there."""

from __future__ import annotations

from declarative_pipelines.expectations import Counts, counts, violation


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
