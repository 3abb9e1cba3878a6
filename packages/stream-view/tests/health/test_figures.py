from __future__ import annotations

import pytest

from stream_view.health.service_target import duration, size, whole


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (0, "0 s"), (0.004, "0 s"), (0.25, "0.25 s"), (3.14159, "3.1 s"), (60, "60 s"), (119.4, "119 s"),
     (120, "2 min"), (7_200, "2 h"), (200_000, "2 d")],
)  # fmt: skip
def test_seconds_are_told_in_a_unit_of_which_there_are_two(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("number", "text"), [(None, "–"), (0, "0 B"), (1023, "1,023 B"), (2**20, "1 MiB"), (1.5 * 2**30, "1.5 GiB")]
)
def test_bytes_are_told_in_the_largest_unit(number: float | None, text: str) -> None:
    assert size(number) == text


@pytest.mark.parametrize(("number", "text"), [(None, "–"), (0.0, "0"), (2.25, "2.2"), (3.0, "3"), (1234.5, "1,234")])
def test_rows_have_a_digit_after_the_point_only_where_there_are_few(number: float | None, text: str) -> None:
    assert whole(number) == text
