from __future__ import annotations

from io import BytesIO

import pytest
from matplotlib import image

from stream_view.table_chart import _chosen_columns, _in_order, chart_of
from stream_view.tables import Table

BY_DEVICE = Table(
    ("device", "readings"), (False, True), (("a", "5"), ("b", "3")), cut=False, types=("string", "bigint")
)
OVER_TIME = Table(
    ("hour", "ward", "readings"),
    (False, False, True),
    (("2025-06-01 00:00:00", "north", "5"), ("2025-06-01 01:00:00", "north", "6"), ("2025-06-01 00:00:00", None, "2")),
    cut=False,
    types=("timestamp", "string", "bigint"),
)
PAIRS = Table(("id", "value"), (True, True), (("1", "5"), ("2", None)), cut=False, types=("int", "double"))
NAMES = Table(("name",), (False,), (("a",),), cut=False, types=("string",))
ONE_NUMBER = Table(("count",), (True,), (("6",),), cut=False, types=("bigint",))


@pytest.mark.parametrize(
    ("table", "chosen"),
    [
        (BY_DEVICE, (0, 1, None, False)),
        (OVER_TIME, (0, 2, 1, True)),
        (PAIRS, (0, 1, None, False)),
        (NAMES, None),
        (ONE_NUMBER, None),
    ],
)
def test_the_axis_is_a_time_or_a_name_and_the_height_the_last_number(table: Table, chosen: object) -> None:
    assert _chosen_columns(table) == chosen


@pytest.mark.parametrize("table", [BY_DEVICE, OVER_TIME, PAIRS])
def test_a_chart_is_a_picture_with_colors(table: Table) -> None:
    pixels = image.imread(BytesIO(chart_of(table, "Readings")), format="png")
    assert pixels.shape[:2] == (300, 900)
    assert (pixels[..., 2] - pixels[..., 0] > 0.4).sum() > 100  # the blue of the first series


def test_numbers_along_the_axis_are_in_their_order() -> None:
    assert _in_order({"10", "9", "1"}) == ["1", "9", "10"]
    assert _in_order({"b", "10", "a"}) == ["10", "a", "b"]


def test_a_table_without_numbers_has_no_chart() -> None:
    assert chart_of(NAMES, "Names") is None
