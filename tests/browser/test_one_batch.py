"""On a machine without a free core, all that a view shows is of one batch whenever one looks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

SET_UP = """%run ../Includes/Classroom-Setup
from streaming_classroom import start_lesson
DA = start_lesson("one-batch", dataset="device-readings/readings", into_table="bronze")
DA.data_factory.load()"""
VIEW = 'display(spark.readStream.table("bronze").groupBy("device_id").count(), streamName="per_device")'
LAND = "DA.data_factory.load(continuous=True, interval=0.7)"
BUSY_PROCESSES = 2
LOOKS, EVERY = 60, 300  # times, and milliseconds between two of them
FEW_BATCHES = 5  # of which at least so many must have been seen, else it was not looked at while it moved
# Header, table, chart, dashboard and raw report, looked at with nothing between that could change them.
LOOK = r"""
view => {
  const number = (text) => (text === undefined ? null : Number(text.replaceAll(",", "")));
  const open = (name) => [...view.querySelectorAll("[role=tab]")].find((tab) => tab.textContent === name).click();
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  const bars = (svg) => [...svg.querySelectorAll("rect title")].map((one) => /: (.*) at (.*)/.exec(one.textContent));
  const header = view.querySelector(".sc-numbers").textContent;
  open("Table");
  const rows = [...view.querySelectorAll("tbody tr")].map((tr) => [...tr.cells].map((td) => td.textContent.replace(/^(new|changed) /, "")));
  open("Chart");
  const chart = bars(view.querySelector(".sc-canvas svg")).map(([, count]) => number(count));
  open("Dashboard");
  const dashboard = bars(view.querySelector(".sc-dashboard svg[aria-label^='rows per batch']"));
  open("Raw");
  const raw = JSON.parse(view.querySelector(".sc-raw").textContent);
  return {
    header: [number(/batch ([\d,]+)/.exec(header)?.[1]), number(/([\d,]+) rows so far/.exec(header)?.[1])],
    table: sum(rows.map((row) => number(row[1]))),
    chart: sum(chart),
    dashboard: [Math.max(...dashboard.map(([, , batch]) => number(batch))), sum(dashboard.map(([, count]) => number(count)))],
    raw: raw.batchId,
  };
}
"""  # noqa: E501


@pytest.fixture
def busy_machine() -> Iterator[None]:
    """Keep the machine's cores busy."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY_PROCESSES)]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


def test_header_table_chart_and_dashboard_are_of_one_batch(open_notebook, busy_machine, screenshot) -> None:
    notebook = open_notebook("one-batch", SET_UP, VIEW, LAND)
    notebook.run(0)
    notebook.run(1)
    view = notebook.view(1)
    expect(view.locator(".sc-numbers")).to_contain_text("rows so far")
    notebook.start(2)
    seen = []
    for _ in range(LOOKS):
        seen.append(view.evaluate(LOOK))
        notebook.page.wait_for_timeout(EVERY)
    screenshot(notebook, "looked-at")
    told = [one for one in seen if one["header"][1] is not None]
    assert len({one["header"][0] for one in told}) >= FEW_BATCHES
    for one in told:
        batch, rows = one["header"]
        assert (one["table"], one["chart"], one["dashboard"], one["raw"]) == (rows, rows, [batch, rows], batch), one
