from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_view.live.reports import LONGEST, WINDOW, Work, latest_rate


def steady(interval: float, rows: int, took: float, batches: int) -> list[Work]:
    return [Work(1000 + number * interval, took, rows) for number in range(batches)]


@given(st.floats(0.1, LONGEST - 0.1), st.floats(0.01, 1.0), st.integers(1, 1000))
def test_a_steady_stream_has_the_rate_of_its_source_whatever_its_interval(
    interval: float, share: float, rows: int
) -> None:
    rate = latest_rate(steady(interval, rows, interval * share, batches=120))
    assert rate.by_clock == pytest.approx(rows / interval, rel=0.001, abs=0.001)
    assert rate.capacity == pytest.approx(rows / (interval * share), rel=0.001, abs=0.001)


def test_batches_that_are_longer_than_the_window_count_by_their_own_length() -> None:
    assert latest_rate(steady(60, rows=600, took=60, batches=5)).by_clock == 10


def test_a_long_batch_after_a_pause_counts_by_its_own_length() -> None:
    assert latest_rate([Work(1000, 1, 5), Work(1090, 20, 200)]).by_clock == 10


def test_the_source_of_five_rows_a_second_is_neither_fifty_nor_eight() -> None:
    uneven = [Work(1000 + second, 0.3 + 0.5 * (second % 2), 5) for second in range(20)]
    assert latest_rate(uneven).by_clock == pytest.approx(5, rel=0.1)


def test_a_pause_before_a_batch_does_not_count() -> None:
    batches = [*steady(1, rows=5, took=0.5, batches=10), Work(1060, 0.5, 100)]
    assert latest_rate(batches).by_clock == 100 / WINDOW


def test_the_first_batch_of_a_stream_is_no_burst() -> None:
    assert latest_rate([Work(1000, 0.1, 50)]).by_clock == 50
    assert latest_rate([Work(1000, 4, 50)]).by_clock == 12.5


def test_of_a_batch_that_began_before_the_window_only_its_share_counts() -> None:
    rate = latest_rate([Work(1000, 1, 10), Work(1060, 10, 100), Work(1070, 1, 10)])
    assert rate.by_clock == pytest.approx(rate.capacity)


SECONDS = st.sampled_from([0.1, 1.0, 4.0, 6.0, 20.0, 60.0])


@given(st.lists(st.tuples(SECONDS, SECONDS, st.integers(0, 10**6)), min_size=1, max_size=8))
def test_no_stream_processes_more_than_it_could(batches: list[tuple[float, float, int]]) -> None:
    began, works = 0.0, []
    for pause, took, rows in batches:  # one after the other, as a query's are
        began += pause
        works.append(Work(began, took, rows))
        began += took
    rate = latest_rate(works)
    assert rate.capacity is None or rate.by_clock <= rate.capacity * 1.001 + 0.001


def test_rows_that_have_left_the_window_do_not_count() -> None:
    batches = [Work(1000, 1, 500), *(Work(1001.0 + second, 0.1, 0) for second in range(10))]
    assert latest_rate(batches)[:2] == (0.0, None)


def test_batches_without_rows_add_no_processing_time_to_the_capacity() -> None:
    assert latest_rate([Work(1000, 2, 100), Work(1002, 1, 0)]).capacity == 50


@pytest.mark.parametrize(("interval", "holds"), [(0.5, 5.5), (4, 9), (10, 15), (60, 5)])
def test_a_stream_is_idle_after_the_window_and_one_of_its_intervals(interval: float, holds: float) -> None:
    assert latest_rate(steady(interval, rows=1, took=0.1, batches=4)).holds == holds


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100), st.integers(0, 10**12)), min_size=1, max_size=20))
def test_any_batches_have_a_rate_that_is_a_number(batches: list[tuple[float, float, int]]) -> None:
    rate = latest_rate([Work(*batch) for batch in sorted(batches)])
    assert rate.by_clock >= 0 and rate.holds >= WINDOW
