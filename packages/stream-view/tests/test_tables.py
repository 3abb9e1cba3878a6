from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import NamedTuple

import pandas as pd
import pytest
from pyspark.sql import Row, SparkSession

from stream_view.tables import KEPT_CHARACTERS, SHOWN_CHARACTERS, SHOWN_ROWS, Table, first_rows, newest_rows, rows_of

OneTable = Callable[..., Table]


@pytest.fixture
def of(spark: SparkSession) -> OneTable:
    """Make the table of a query's result."""
    return lambda query, **options: first_rows(spark.sql(query), **options)


@pytest.fixture
def berlin(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    yield
    spark.conf.set("spark.sql.session.timeZone", "UTC")


class Cells(HTMLParser):
    """Collect the tags and the text of each cell."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        self.tags.add(tag)
        if tag in ("th", "td"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("NULL", None),
        ("'NULL'", "NULL"),
        ("''", ""),
        ("true", "true"),
        ("1.50BD", "1.50"),
        ("double('NaN')", "NaN"),
        ("X'DEADBEEF'", "DEADBEEF"),
        ("named_struct('a', 1, 'b', NULL)", "{1, null}"),
        ("array(map('k', array(1, 2)))", "[{k -> [1, 2]}]"),
        ("date'2025-06-01'", "2025-06-01"),
        ("interval '1' year", "INTERVAL '1' YEAR"),
        ("double(1748907413)", "1748907413.0"),
        ("array(float(20000000), 0.5F)", "[20000000.0, 0.5]"),
        ("named_struct('d', 1e9D, 's', '1.0E9')", "{1.0E9, 1.0E9}"),
        ("parse_json('{\"a\": [1]}')", '{"a":[1]}'),
    ],
)
def test_a_value_looks_as_it_does_in_spark(of: OneTable, expression: str, text: str | None) -> None:
    assert of(f"SELECT {expression} AS value").rows == ((text,),)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("interval '1' day", "1 d"),
        ("timestamp'2025-06-01 09:04' - timestamp'2025-06-01 09:00'", "4 min"),
        ("interval '1 01:00:04.5' day to second", "1 d 1 h 4.5 s"),
        ("interval '-01:30' hour to minute", "-1 h 30 min"),
        ("interval '0' second", "0 s"),
        ("CAST(NULL AS interval day to second)", None),
    ],
)
def test_an_interval_is_in_words(of: OneTable, expression: str, text: str | None) -> None:
    assert of(f"SELECT {expression} AS value").rows == ((text,),)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_a_timestamp_is_in_the_sessions_zone_whatever_pythons(
    of: OneTable, berlin: None, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert of("SELECT timestamp'2025-06-01 12:00:00Z'").rows == (("2025-06-01 14:00:00",),)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_columns_of_one_name_are_both_shown(of: OneTable) -> None:
    table = of("SELECT * FROM VALUES (1, 'x') AS a(id, name) JOIN VALUES (1, 'y') AS b(id, name) ON a.id = b.id")
    assert table.columns == ("id", "name", "id", "name")
    assert table.rows == (("1", "x", "1", "y"),)


def test_html_in_data_is_text(of: OneTable) -> None:
    html = of("SELECT '<script>alert(1)</script>' AS `<b>&</b>`").to_html(title="<i>title</i>")
    parsed = Cells(html)
    assert parsed.tags == {"div", "table", "thead", "tbody", "tr", "th", "td"}
    assert parsed.cells[0] == "<b>&</b>"
    assert parsed.cells[1].startswith("<script>alert(1)</script>")
    assert "&lt;i&gt;title" in html


@pytest.mark.parametrize(
    ("rows", "shown", "cut", "caption"),
    [
        (0, 0, False, "0 rows"),
        (1, 1, False, "1 row"),
        (SHOWN_ROWS, SHOWN_ROWS, False, "1,000 rows"),
        (SHOWN_ROWS + 1, SHOWN_ROWS, True, "first 1,000 rows"),
    ],
)
def test_more_rows_than_fit_are_cut_and_it_is_said(
    spark: SparkSession, rows: int, shown: int, cut: bool, caption: str
) -> None:
    table = first_rows(spark.range(rows))
    assert (len(table.rows), table.cut, table.caption) == (shown, cut, caption)
    assert caption in table.to_html() and caption in table.to_text()


def test_the_text_form_lines_up_its_columns(of: OneTable) -> None:
    text = of("SELECT * FROM VALUES (1, 'long value'), (NULL, 'b') AS t(number, name)").to_text("silver")
    assert text.splitlines() == [
        "number        name",
        "     1  long value",
        "  NULL           b",
        "(silver: 2 rows)",
    ]


def test_the_newest_rows_are_the_last_ones_the_last_first(spark: SparkSession) -> None:
    table = newest_rows(spark.range(5), limit=2)
    assert table.rows == (("4",), ("3",))
    assert table.caption == "newest 2 rows"
    assert newest_rows(spark.range(2), limit=2).caption == "2 rows"


class Named(NamedTuple):
    name: str
    size: int


FRAME = pd.DataFrame({"name": ["a", None], "size": [1, 2]})


@pytest.mark.parametrize(
    "rows",
    [
        FRAME,
        [Named("a", 1), Named(None, 2)],
        [{"name": "a", "size": 1}, {"name": None, "size": 2}],
        [Row(name="a", size=1), Row(name=None, size=2)],
    ],
    ids=["pandas", "named tuples", "dictionaries", "Spark rows"],
)
def test_rows_of_python_are_a_table(rows: object) -> None:
    table = rows_of(rows)
    assert table == Table(("name", "size"), (False, True), (("a", "1"), (None, "2")), cut=False)


@pytest.mark.parametrize(
    "value", [[], [1, 2], ["text"], [("a",), ("a", "b")], [{"a": 1}, {"b": 1}], "text", {"a": 1}, None, pd.Series([1])]
)
def test_what_is_no_list_of_rows_is_no_table(value: object) -> None:
    assert rows_of(value) is None


def test_one_huge_cell_does_not_widen_the_text_of_the_others(of: OneTable) -> None:
    query = (
        "SELECT id, IF(id = 7, repeat('x', 2000000), 'y') AS text, CAST(repeat('z', 2000000) AS BINARY) FROM range(201)"
    )
    table = of(query)
    assert sum(len(value) for row in table.rows for value in row) < 201 * 6000 + 6000
    assert len(table.rows[7][1]) == KEPT_CHARACTERS + 1 and table.rows[7][1].endswith("x…")
    assert len(table.to_text()) < 201 * 3 * SHOWN_CHARACTERS
    assert len(table.to_html()) < 201 * 7000
