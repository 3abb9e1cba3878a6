"""The script of the live view in a page without JupyterLab, kernel or Spark: a model that the tests set."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser_harness import faint_texts
from stream_view.live.static_frame import interactive_html
from stream_view.live.widgets import SCRIPT, STYLE, fallback_html
from stream_view.tables import Table

SECONDS = 60  # a deadline; there is no kernel to wait for
THEMES = Path(sys.prefix) / "share/jupyter/lab/themes/@jupyterlab"
MODEL = """
async ({script, values}) => {
  const url = URL.createObjectURL(new Blob([script], {type: "text/javascript"}));
  const handlers = {};
  window.model = {
    sent: [],
    widget_manager: { get kernel() { return window.kernel; }, context: window.context },
    get: (name) => values[name],
    on: (event, handler) => (handlers[event] ||= []).push(handler),
    off: () => {},
    send: (message) => window.model.sent.push(message),
    put: (name, value) => { values[name] = value; (handlers[`change:${name}`] || []).forEach((handler) => handler()); },
  };
  const widget = (await import(url)).default;
  await widget.initialize?.({model: window.model});
  widget.render({model: window.model, el: document.getElementById("view")});
}
"""
HEADER = {"name": "per_device", "state": "running", "batch": 7, "rows": 1234, "rate": 4.8}


class View:
    """A live view in a page, whose values a test sets as the kernel would."""

    def __init__(
        self,
        browser: Browser,
        width: int = 1000,
        theme: str = "light",
        zoom: float = 1,
        page_css: str = "",
        clock: bool = False,
        kernel: dict[str, str] | None = None,
    ):
        self.page: Page = browser.new_page(
            viewport={"width": int(width / zoom), "height": 1000}, device_scale_factor=zoom, reduced_motion="reduce"
        )
        self.page.set_default_timeout(SECONDS * 1000)
        if clock:
            self.page.clock.install()
        self.page.set_content(
            f'<!doctype html><body data-jp-theme-light="{str(theme == "light").lower()}"'
            ' style="background: var(--jp-layout-color0); margin: 8px"><div id="view"></div><p id="below">below</p>'
        )
        for css in filter(
            None, ((THEMES / f"theme-{theme}-extension/index.css").read_text(encoding="utf-8"), STYLE, page_css)
        ):
            self.page.add_style_tag(content=css)
        if kernel:
            self.page.evaluate("kernel => { window.kernel = kernel; }", kernel)
        values = {"name": "sc-1", "header": HEADER, "table": {}, "reports": {}, "raw": ""}
        self.page.evaluate(MODEL, {"script": SCRIPT, "values": values})

    def put(self, name: str, value: Any) -> None:
        self.page.evaluate("([name, value]) => window.model.put(name, value)", [name, value])

    def open(self, tab: str) -> None:
        self.page.get_by_role("tab", name=tab).click()

    def chart_of(self, columns: dict[str, str], rows: list[list[str | None]]) -> str:
        """Draw rows on the tab *Chart*, and return what the chart says it is."""
        self.put("table", table(columns, rows))
        self.open("Chart")
        return self.page.locator(".sc-canvas svg").get_attribute("aria-label")

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_text_contents()


@pytest.fixture
def view(browser: Browser) -> Iterator[Callable[..., View]]:
    """Open views, and close their pages."""
    views: list[View] = []

    def make(**options: Any) -> View:
        views.append(View(browser, **options))
        return views[-1]

    yield make
    for one in views:
        one.page.close()


NUMBERS = ("int", "bigint", "double")


def table(columns: dict[str, str], rows: list[list[str | None]]) -> dict[str, Any]:
    described = [{"name": name, "type": kind, "numeric": kind in NUMBERS} for name, kind in columns.items()]
    return {"columns": described, "rows": rows, "caption": f"{len(rows)} rows"}


LOG = {"value": "bigint", "text": "string"}


def log(newest: int, oldest: int = 0) -> dict[str, Any]:
    """Return a table that is appended to, the newest row first."""
    return table(LOG, [[str(number), f"row {number}"] for number in range(newest, oldest - 1, -1)])


def reports(batches: int = 40) -> dict[str, Any]:
    numbers = range(batches)
    varied = {
        "rows": 40, "rate": 5.5, "capacity": 80.25, "addBatch": 130, "walCommit": 20, "stateRows": 12_345, "dropped": 3,
        "stateBytes": 2.3e6, "watermarkLag": 600, "backlog": 7,
    }  # fmt: skip
    columns = {name: [most * (1 + number % 5) / 5 for number in numbers] for name, most in varied.items()}
    return {"batch": list(numbers), **columns, "watermark": [True] * batches, "watermarkText": "2025-06-01T10:00:00Z"}


# ---------------------------------------------------------------- header and dashboard


def test_a_view_that_hears_nothing_says_lost_contact_and_goes_on_when_it_hears_again(view) -> None:
    one = view(clock=True)
    state, alert = one.page.locator(".sc-state"), one.page.get_by_role("alert")
    one.page.clock.fast_forward(19_000)
    expect(state).to_have_text("running")
    one.put("beat", 1)
    one.page.clock.fast_forward(19_000)
    expect(state).to_have_text("running")
    one.page.clock.fast_forward(4_000)
    expect(state).to_have_text("lost contact")
    expect(alert).to_contain_text("Nothing was heard of this stream for 20 seconds")
    one.put("beat", 2)
    expect(state).to_have_text("running")
    expect(alert).to_be_hidden()


@pytest.mark.parametrize(("rate", "shown"), [(0.456, "0.456"), (5.5, "5.5"), (1240.4, "1,240"), (12_345, "12,300")])
def test_the_header_has_one_format_for_its_numbers(view, rate: float, shown: str) -> None:
    one = view()
    one.put("header", HEADER | {"rows": 60_000, "rate": rate})
    expect(one.page.locator(".sc-numbers")).to_have_text(f"batch 7 · 60,000 rows so far · {shown} rows/s")


FRAMED = Table(
    ("n", "<b>text</b>"), (True, False), (("1", "a & \"b\" 'c'"), ("2", None), ("3", "x" * 300)), cut=False,
    types=("int", "string"),
)  # fmt: skip


@pytest.mark.parametrize("error", ["", "It failed.\nAll of <it>.\nMore."])
@pytest.mark.parametrize("rows", [FRAMED, Table((), (), (), cut=False)], ids=["rows", "no rows"])
def test_the_page_keeps_the_same_frame_as_the_kernel(view, rows: Table, error: str) -> None:
    older = fallback_html("sc-1", interactive_html(PLAIN, "older"))
    columns = [
        {"name": name, "type": kind, "numeric": number}
        for name, kind, number in zip(rows.columns, rows.types, rows.numeric, strict=True)
    ]
    values = {"columns": columns, "rows": rows.rows, "caption": rows.caption} if columns else {}
    header = HEADER | {"state": "failed", "error": error}
    kept = view().page.evaluate(RENEWED, {"script": SCRIPT, "arguments": [older, "sc-1", header, values]})
    title = "per_device · failed · batch 7"
    assert kept["text/html"] == fallback_html("sc-1", interactive_html(rows, title, error))
    assert kept["text/plain"] == f"{rows.to_text(title)}\n{error}".rstrip()


RENEWED = """
async ({script, arguments: values}) => {
  const url = URL.createObjectURL(new Blob([`${script}\nexport { renewedFrame };`], {type: "text/javascript"}));
  return (await import(url)).renewedFrame(...values);
}
"""


# ---------------------------------------------------------------- what is drawn first

DAYS = [f"2025-06-{day:02} 00:00:00" for day in range(1, 29)]
HOURS = [f"2025-06-01 {hour:02}:00:00" for hour in range(5)]
WINDOW = "struct<start:timestamp,end:timestamp>"
WINDOWS = [f"{{{start}, {end}}}" for start, end in pairwise(HOURS)]


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        pytest.param(
            {"odd": "int", "count": "bigint"}, [["0", "9"], ["1", "8"]],
            "count by odd: bar chart of count, 2 values", id="an integer key",
        ),
        pytest.param(
            {"odd": "int", "count": "bigint", "total": "double"}, [["0", "9", "1.5"], ["1", "8", "2.5"]],
            "total by odd: bar chart of total, 2 values", id="an integer key and two measures",
        ),
        pytest.param(
            {"a": "int", "b": "int", "count": "bigint"}, [[a, b, "1"] for a in "012" for b in "01"],
            "count by a: bar chart of 0, 1, 6 values", id="two integer keys",
        ),
        pytest.param(
            {"late": "boolean", "count": "bigint"}, [["true", "1"], ["false", "2"]],
            "count by late: bar chart of count, 2 values", id="a boolean",
        ),
        pytest.param(
            {"window": WINDOW, "count": "bigint", "mean": "double"},
            [[window, str(count), "1.5"] for count, window in enumerate(WINDOWS)],
            "mean by window: line chart of mean, 4 values", id="windows, whose count is no key",
        ),
        pytest.param(
            {"window": WINDOW, "odd": "int", "count": "bigint"}, [[w, odd, "1"] for w in WINDOWS for odd in "01"],
            "count by window: line chart of 0, 1, 8 values", id="a window and a key",
        ),
        pytest.param(
            {"text": "string", "n": "int"}, [["a", "1"], ["a", "2"]],
            "n by text: bar chart of n, 1 values", id="the last number is measured",
        ),
        pytest.param(
            {"x": "double", "y": "double"}, [["1.5", "2.5"], ["2.5", "3.5"]],
            "y by x: scatter chart of y, 2 values", id="two measures",
        ),
        pytest.param(
            {"x": "int", "y": "int"}, [[str(n), "1"] for n in range(60)],
            "y by x: scatter chart of y, 60 values", id="too many values for a key",
        ),
        pytest.param(
            {"mean": "double", "odd": "int", "count": "bigint"}, [["1.5", "0", "9"], ["2.5", "1", "8"]],
            "count by odd: bar chart of count, 2 values", id="a key that is not the first column",
        ),
        pytest.param(
            {"activity": "string", "time": "double"}, [["sit", "1.4e9"], ["sit", "1.5e9"], ["walk", "1.6e9"]],
            "number of rows by activity: bar chart of rows, 2 values", id="a number that is a moment is not summed",
        ),
        pytest.param(
            {"x": "double", "epoch": "double"}, [["1.5", "1.4e9"], ["2.5", "1.5e9"]],
            "x by epoch: scatter chart of x, 2 values", id="a number that is a moment is what one measures by",
        ),
    ],
)  # fmt: skip
def test_keys_are_names_and_windows_are_times(view, columns, rows, expected: str) -> None:
    assert view().chart_of(columns, rows) == expected


def test_every_group_of_a_chart_looks_unlike_the_others(view) -> None:
    one = view()
    rows = [["2025-05-01", str(group), "1"] for group in range(12)]
    one.chart_of({"day": "date", "user": "string", "count": "bigint"}, rows)
    for kind in ("bar", "line", "scatter"):
        one.page.get_by_label("Chart", exact=True).select_option(kind)
        swatches = one.page.locator(".sc-canvas .sc-swatch").evaluate_all("all => all.map((one) => one.style.cssText)")
        marks = one.page.locator(".sc-canvas :is(rect, circle)").evaluate_all(
            "all => all.map((one) => `${one.getAttribute('fill')} ${one.getAttribute('stroke')}`)"
        )
        assert len(set(swatches)) == len(set(marks)) == 12


def test_a_guess_is_made_anew_until_the_reader_has_chosen(view) -> None:
    one, columns = view(), {"a": "int", "b": "int"}
    assert "bar chart" in one.chart_of(columns, [["1", "2"]])
    one.put("table", table(columns, [["1", "2"], ["1", "3"]]))
    assert "scatter chart" in one.page.locator(".sc-canvas svg").get_attribute("aria-label")
    one.page.get_by_label("Chart", exact=True).select_option("line")
    one.put("table", table(columns, [["1", "2"], ["2", "3"]]))
    assert "line chart" in one.page.locator(".sc-canvas svg").get_attribute("aria-label")


def test_the_bars_of_integer_keys_are_in_their_order_and_large_keys_are_whole(view) -> None:
    one = view()
    one.chart_of({"key": "bigint", "count": "bigint"}, [["10", "1"], ["9007199254740993", "1"], ["2", "1"]])
    titles = one.texts(".sc-canvas rect title")
    assert titles == ["count: 1 at 10", "count: 1 at 9007199254740993", "count: 1 at 2"]
    lefts = [float(bar.get_attribute("x")) for bar in one.page.locator(".sc-canvas rect").all()]
    assert lefts[2] < lefts[0] < lefts[1]


SHOPS = [["shop 10", "3"], ["ale", "9"], ["shop 9", "5"]]


def left_to_right(one: View) -> list[str]:
    """Return the names of a chart's bars as they stand."""
    bars = [(float(bar.get_attribute("x")), bar.locator("title")) for bar in one.page.locator(".sc-canvas rect").all()]
    return [title.text_content().split(" at ")[1] for _x, title in sorted(bars, key=lambda bar: bar[0])]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        pytest.param(None, ["ale", "shop 9", "shop 10"], id="by name, unless another is chosen"),
        pytest.param("value", ["ale", "shop 9", "shop 10"], id="the largest first"),
        pytest.param("table", ["shop 10", "ale", "shop 9"], id="as the query has them"),
    ],
)
def test_bars_have_an_order_that_can_be_chosen(view, order: str | None, expected: list[str]) -> None:
    one = view()
    rows = SHOPS if order != "value" else [["shop 10", "3"], ["ale", "8"], ["ale", "1"], ["shop 9", "5"]]
    one.chart_of({"shop": "string", "count": "bigint"}, rows)
    if order:
        one.page.get_by_label("order", exact=True).select_option(order)
    assert left_to_right(one) == expected
    one.page.get_by_label("Chart", exact=True).select_option("line")
    assert one.page.get_by_label("order", exact=True).is_visible()  # of the names, whatever stands above them


@pytest.mark.parametrize("width", [520, 700, 1000])
@pytest.mark.parametrize("names", [8, 12, 20])
def test_every_bar_has_a_label_where_there_is_room_for_a_line_of_text(view, width: int, names: int) -> None:
    one = view(width=width)
    one.chart_of({"shop": "string", "n": "int"}, [[f"a long name {n:02}", str(n)] for n in range(names)])
    labels = one.texts(".sc-canvas .sc-axis:not(.sc-tick)")
    assert len([text for text in labels if text.startswith("a long name")]) == names
    assert one.page.evaluate(OVERFLOW) == {"outside": [], "wider": 0}


# ---------------------------------------------------------------- axes


@pytest.mark.parametrize(
    ("days", "labels"),
    [
        pytest.param(HOURS, ["00:00", "01:00", "02:00", "03:00", "04:00"], id="one day"),
        pytest.param(
            ["2025-06-01 23:00:00", "2025-06-02 01:00:00"], ["06-01 23:00", "06-02 00:00"], id="over midnight"
        ),
        pytest.param(DAYS, ["2025-06-01", "2025-06-26"], id="days"),
    ],
)
def test_times_on_an_axis_have_the_date_when_there_are_two(view, days: list[str], labels: list[str]) -> None:
    one = view()
    one.chart_of({"start": "timestamp", "count": "bigint"}, [[day, "3"] for day in days])
    shown = one.texts(".sc-canvas .sc-axis:not(.sc-tick)")
    assert set(labels) <= set(shown)
    assert ("start, 2025-06-01" in shown) == (days is HOURS)


def test_numbers_of_an_axis_and_of_its_points_have_no_exponent_and_are_told_apart(view) -> None:
    one = view()
    one.chart_of({"x": "double", "reading": "double"}, [[str(n + 0.5), str(1748907413 + 9 * n)] for n in range(60)])
    ticks = one.texts(".sc-canvas .sc-tick")
    assert len(set(ticks)) == len(ticks) > 2
    assert all(text.startswith("1,748,90") for text in ticks)
    assert one.texts(".sc-canvas circle title")[0] == "reading: 1,748,907,413 at 0.5"


# ---------------------------------------------------------------- rows under the eye

FIRST_VISIBLE = """
() => {
  const box = document.querySelector(".sc-scroll").getBoundingClientRect();
  const head = document.querySelector("thead").getBoundingClientRect().height;
  const rows = [...document.querySelectorAll("tbody tr")];
  const row = rows.find((tr) => tr.getBoundingClientRect().bottom > box.top + head);
  return [row.querySelector("td:last-child").textContent, row.getBoundingClientRect().top];
}
"""


def scroll_to(one: View, top: int) -> None:
    one.page.evaluate("top => { document.querySelector('.sc-scroll').scrollTop = top; }", top)


@pytest.mark.slow
def test_the_rows_that_one_reads_stay_when_others_come_in_above(view) -> None:
    one = view()
    one.put("table", log(800))
    scroll_to(one, 3011)
    row, top = one.page.evaluate(FIRST_VISIBLE)
    for newest in (*range(801, 840), 1500):
        one.put("table", log(newest, oldest=newest - 999 if newest > 999 else 0))
        assert one.page.evaluate(FIRST_VISIBLE) == [row, pytest.approx(top, abs=1)]


@pytest.mark.slow
def test_new_and_changed_rows_are_marked_for_three_seconds_by_more_than_colour(view) -> None:
    one, columns = view(), {"device": "int", "count": "bigint"}
    one.put("table", table(columns, [["1", "5"], ["2", "5"]]))
    expect(one.page.locator(".sc-fresh")).to_have_count(0)
    one.put("table", table(columns, [["1", "6"], ["2", "5"], ["3", "1"]]))
    one.page.wait_for_timeout(1500)
    one.put("table", table(columns, [["1", "6"], ["2", "5"], ["3", "1"], ["4", "1"]]))  # the marks outlive updates
    assert one.texts(".sc-fresh td:first-child") == ["changed 1", "new 3", "new 4"]
    said = one.page.locator(".sc-fresh .sc-hidden").first
    assert said.bounding_box()["width"] <= 1
    assert "inset" in one.page.locator(".sc-fresh td").first.evaluate("td => getComputedStyle(td).boxShadow")
    one.page.wait_for_timeout(1700)
    assert one.texts(".sc-fresh td:first-child") == ["new 4"]
    expect(one.page.locator(".sc-fresh")).to_have_count(0, timeout=120_000)
    assert one.texts("tbody td:first-child") == ["1", "2", "3", "4"]


def below(one: View) -> float:
    return one.page.locator("#below").bounding_box()["y"]


def test_what_stands_below_stays_when_rows_go_and_the_stream_stops(view) -> None:
    one = view()
    one.put("table", log(30))
    at = below(one)
    one.put("table", log(1))
    one.put("header", HEADER | {"state": "stopped", "rate": 0})
    assert below(one) == at


TEXTS = {"device_id": "int", "text": "string"}


@pytest.mark.parametrize("text", ["word " * 80, "\n".join("abcdefgh")], ids=["long", "many lines"])
def test_a_long_text_is_cut_and_stays_open_once_it_is_opened(view, text: str) -> None:
    one = view()
    one.put("table", table(TEXTS, [["1", text], ["2", text]]))
    cell = one.page.locator("tbody tr").nth(1).locator("td").nth(1)
    assert len(cell.locator("span").text_content()) <= 121
    assert cell.bounding_box()["height"] < 60
    more = cell.get_by_role("button")
    more.click()
    for _update in range(2):
        changed = f"{text} changed"  # by its key the row is the same one
        one.put("table", table(TEXTS, [["0", "above"], ["1", text], ["2", changed]]))
        text = changed
        cell = one.page.locator("tbody tr").nth(2).locator("td").nth(1)
        assert cell.locator("span").last.text_content() == text
        expect(cell.get_by_role("button", name="less")).to_be_focused()
    cell.get_by_role("button", name="less").click()
    assert len(cell.locator("span").last.text_content()) <= 121


def test_the_head_that_sorts_keeps_the_focus_over_updates(view) -> None:
    one = view()
    one.put("table", log(5))
    head = one.page.get_by_role("button", name="value")
    head.focus()
    one.page.keyboard.press("Enter")
    assert one.texts("tbody td:first-child")[0] == "0"
    one.put("table", log(6))
    expect(head).to_be_focused()
    assert one.texts("thead button") == ["value ▲", "text"]


# ---------------------------------------------------------------- choices


def test_a_choice_keeps_the_focus_and_its_options_over_updates(view) -> None:
    one, columns = view(), {"device": "int", "count": "bigint"}
    one.chart_of(columns, [["1", "1"]])
    box = one.page.get_by_label("y", exact=True)
    box.focus()
    first = box.locator("option").first.element_handle()
    for count in "23":
        one.put("table", table(columns, [["1", count]]))
        expect(box).to_be_focused()
        assert first.evaluate("option => option.isConnected")
    one.put("table", table({"device": "int", "total": "double"}, [["1", "1.5"]]))
    expect(box).to_be_focused()
    assert one.texts("select[aria-label=y] option") == ["device", "total", "number of rows"]


# ---------------------------------------------------------------- dark pages, large type

EVERY_KIND = table(
    {"device": "int", "text": "string", "nothing": "string"}, [["1", "word " * 50, None], ["2", "short", None]]
)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_of_the_view_has_enough_contrast(view, theme: str) -> None:
    one = view(theme=theme)
    one.put("table", EVERY_KIND)
    one.put("table", EVERY_KIND | {"rows": [["0", "new", None], *EVERY_KIND["rows"]]})
    one.put("reports", reports())
    one.put("raw", '{"batchId": 7}')
    for state in ("starting", "running", "waiting", "stopped", "failed", "ended with its kernel", "lost contact"):
        one.put("header", HEADER | {"state": state, "error": "It failed.\nAll of it."})
        assert faint_texts(one.page.locator(".sc-header")) == []
    for tab in ("Table", "Chart", "Dashboard", "Raw"):
        one.open(tab)
        assert faint_texts(one.page.locator("#view")) == []


PLAIN = Table(("n", "text"), (True, False), (("1", "a"), ("2", None)), cut=False, types=("int", "string"))


OVERFLOW = """
() => {
  const outside = [...document.querySelectorAll("svg")].flatMap((svg) => {
    const box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter((text) => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      return left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1;
    }).map((text) => text.textContent);
  });
  const page = document.documentElement;
  return { outside, wider: page.scrollWidth - page.clientWidth };
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"width": 900}, id="900 px"),
        pytest.param({"width": 900, "zoom": 1.5}, id="900 px at 150 %"),
        pytest.param({"width": 900, "page_css": ":root { --sc-scale: 1.5 }"}, id="900 px, scale 1.5"),
        pytest.param({"width": 900, "page_css": ":root { --sc-scale: 2 }"}, id="900 px, scale 2"),
    ],
)
def test_nothing_is_wider_than_the_page(view, options: dict[str, Any]) -> None:
    one = view(**options)
    nights = ["2025-06-01 20:00:00", "2025-06-02 04:00:00"]  # whose labels stand at both ends of the axis
    columns = {"start": "timestamp", "text": "string", "count_" * 30: "bigint"}
    one.put("table", table(columns, [[night, "x" * 500, "5"] for night in nights]))
    one.put("reports", reports())
    one.put("raw", '{"path": "' + "x" * 500 + '"}')
    for tab in ("Table", "Chart", "Dashboard", "Raw"):
        one.open(tab)
        assert one.page.evaluate(OVERFLOW) == {"outside": [], "wider": 0}, tab
        assert not any("…" in title for title in one.texts(".sc-dashboard .sc-title"))


# ---------------------------------------------------------------- map

EDITS = {"country": "string", "lat": "double", "lon": "double", "edits": "bigint"}
PLACED = [
    ["DE", "52.5", "13.4", "25"],
    ["JP", "35.7", "139.7", "100"],
    ["??", None, None, "7"],
    ["AU", "-33.9", "151.2", "4"],
]


def map_of(one: View, columns: dict[str, str], rows: list[list[str | None]]) -> View:
    one.put("table", table(columns, rows))
    one.open("Map")
    return one


def test_rows_with_a_place_have_a_map(view) -> None:
    one = map_of(view(), EDITS, PLACED)
    assert one.page.locator(".sc-map svg").get_attribute("aria-label") == "edits on the map: map of 3 places"
    assert one.texts(".sc-map circle title") == ["JP: 100", "DE: 25", "AU: 4"]
    assert one.texts(".sc-map .sc-caption") == ["1 of 4 rows have no place or are zero."]


def test_a_circles_area_is_its_number(view) -> None:
    one = map_of(view(), EDITS, PLACED)
    radii = [float(circle.get_attribute("r")) for circle in one.page.locator(".sc-map circle").all()]
    assert math.isclose(radii[0] ** 2 / radii[1] ** 2, 4, rel_tol=0.01)


def test_a_place_is_where_it_is(view) -> None:
    one = map_of(view(), EDITS, [["null island", "0", "0", "1"], ["east", "0", "90", "1"]])
    middle, east = (float(circle.get_attribute("cx")) for circle in one.page.locator(".sc-map circle").all())
    width = float(one.page.locator(".sc-map svg").get_attribute("width"))
    assert math.isclose(middle, width / 2, abs_tol=0.2) and math.isclose(east, width * 0.75, abs_tol=0.2)


@pytest.mark.parametrize("names", [("latitude", "longitude"), ("lat", "lng"), ("LAT", "Lon")])
def test_the_usual_names_of_columns_are_known(view, names: tuple[str, str]) -> None:
    columns = dict(zip(names, ("double", "double"), strict=True))
    assert map_of(view(), columns, [["1", "2"]]).texts(".sc-map .sc-title") == ["places on the map"]


def test_rows_without_a_place_have_no_map(view) -> None:
    one = view()
    one.put("table", table({"wiki": "string", "count": "bigint"}, [["enwiki", "4"]]))
    expect(one.page.get_by_role("tab", name="Map")).to_be_hidden()
    one.open("Chart")
    one.page.get_by_role("tab", name="Chart").press("ArrowRight")
    expect(one.page.get_by_role("tab", name="Dashboard")).to_have_attribute("aria-selected", "true")


def test_odd_places_are_left_out(view) -> None:
    odd = [
        ["a", "91", "0", "1"],
        ["b", "0", "181", "1"],
        ["c", "0", "0", "0"],
        ["d", "0", "0", "-3"],
        ["e", "NaN", "0", "1"],
    ]
    assert map_of(view(), EDITS, odd).texts(".sc-map circle title") == []
