"""The map of a view, in a page without JupyterLab, kernel or Spark."""

from __future__ import annotations

import math

import pytest
from playwright.sync_api import expect

from test_view_script import View, browser, table, view  # noqa: F401  (fixtures)

EDITS = {"country": "string", "lat": "double", "lon": "double", "edits": "bigint"}
ROWS = [["DE", "52.5", "13.4", "25"], ["JP", "35.7", "139.7", "100"], ["??", None, None, "7"], ["AU", "-33.9", "151.2", "4"]]


def opened(one: View, columns: dict[str, str], rows: list[list[str | None]]) -> View:
    one.put("table", table(columns, rows))
    one.open("Map")
    return one


def test_rows_with_a_place_have_a_map(view) -> None:  # noqa: F811
    one = opened(view(), EDITS, ROWS)
    assert one.page.locator(".sc-map svg").get_attribute("aria-label") == "edits on the map: map of 3 places"
    assert one.texts(".sc-map circle title") == ["JP: 100", "DE: 25", "AU: 4"]
    assert one.texts(".sc-map .sc-caption") == ["1 of 4 rows have no place or are zero."]


def test_a_circles_area_is_its_number(view) -> None:  # noqa: F811
    one = opened(view(), EDITS, ROWS)
    radii = [float(circle.get_attribute("r")) for circle in one.page.locator(".sc-map circle").all()]
    assert math.isclose(radii[0] ** 2 / radii[1] ** 2, 4, rel_tol=0.01)


def test_a_place_is_where_it_is(view) -> None:  # noqa: F811
    one = opened(view(), EDITS, [["null island", "0", "0", "1"], ["east", "0", "90", "1"]])
    middle, east = (float(circle.get_attribute("cx")) for circle in one.page.locator(".sc-map circle").all())
    width = float(one.page.locator(".sc-map svg").get_attribute("width"))
    assert math.isclose(middle, width / 2, abs_tol=0.2) and math.isclose(east, width * 0.75, abs_tol=0.2)


@pytest.mark.parametrize("names", [("latitude", "longitude"), ("lat", "lng"), ("LAT", "Lon")])
def test_the_usual_names_of_columns_are_known(view, names: tuple[str, str]) -> None:  # noqa: F811
    columns = dict(zip(names, ("double", "double"), strict=True))
    assert opened(view(), columns, [["1", "2"]]).texts(".sc-map .sc-title") == ["places on the map"]


def test_rows_without_a_place_have_no_map(view) -> None:  # noqa: F811
    one = view()
    one.put("table", table({"wiki": "string", "count": "bigint"}, [["enwiki", "4"]]))
    expect(one.page.get_by_role("tab", name="Map")).to_be_hidden()
    one.page.get_by_role("tab", name="Chart").focus()
    one.page.keyboard.press("ArrowRight")
    expect(one.page.get_by_role("tab", name="Dashboard")).to_have_attribute("aria-selected", "true")


def test_a_map_that_is_open_gives_way_to_the_table_where_places_are_gone(view) -> None:  # noqa: F811
    one = opened(view(), EDITS, ROWS)
    one.put("table", table({"wiki": "string"}, [["enwiki"]]))
    expect(one.page.get_by_role("tab", name="Table")).to_have_attribute("aria-selected", "true")


def test_odd_places_are_left_out(view) -> None:  # noqa: F811
    odd = [["a", "91", "0", "1"], ["b", "0", "181", "1"], ["c", "0", "0", "0"], ["d", "0", "0", "-3"], ["e", "NaN", "0", "1"]]
    assert opened(view(), EDITS, odd).texts(".sc-map circle title") == []
