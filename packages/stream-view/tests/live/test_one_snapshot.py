"""What a view shows is of one batch, whatever comes when: header, rows and reports."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from stream_view.displaying import display
from stream_view.live import live_view
from stream_view.live.live_view import LiveView
from stream_view.tables import Table
from streaming_base import front_end, listener

ROWS = 10  # of each batch


class Frame:
    def update(self, bundle: dict[str, str], raw: bool) -> None:
        self.text = bundle["text/plain"]


class Query:
    """A stream whose batches end when a test says so, and whose reports come when it says so."""

    def __init__(self) -> None:
        self.name = "counts"
        self.runId, self.id = "run", "id"
        self.isActive, self.recentProgress = True, []
        self.status = {"message": "Waiting for data to arrive", "isTriggerActive": False, "isDataAvailable": False}
        self.ended = self.reported = -1
        self.error: Exception | None = None

    def exception(self) -> Exception | None:
        return self.error

    def end_batch(self) -> None:
        self.ended += 1

    def report(self, view: LiveView) -> None:
        if self.reported < self.ended:
            self.reported += 1
            view._reports.add(report(self.reported))


def report(batch: int) -> dict[str, Any]:
    durations = {"addBatch": 5, "triggerExecution": 9}
    return {
        "batchId": batch, "numInputRows": ROWS, "durationMs": durations, "timestamp": "2025-06-01T10:00:00.000Z",
        "sources": [{"numInputRows": ROWS}],
    }  # fmt: skip


class Shown:
    """Rows that say of which batch they are the result."""

    def __init__(self, query: Query, takes: float = 0.0) -> None:
        self._query, self.takes = query, takes

    def read(self, reported) -> tuple[int, Table]:
        batch = self._query.ended
        rows = ((str(ROWS * (batch + 1)),),) if batch >= 0 else ()
        return batch, Table(("rows so far",), (True,), rows, cut=False, types=("bigint",))

    def warning(self) -> str:
        return ""


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def _no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_view, "show_with_fallback", lambda widget, frame: Frame())
    monkeypatch.setattr(front_end, "running_cell", lambda: (None, None))
    monkeypatch.setattr(listener, "subscribe", lambda *_: None)
    monkeypatch.setattr(listener, "unsubscribe", lambda *_: None)


ACTIONS = st.lists(st.sampled_from(["batch", "report", "tick", "wait", "busy", "idle"]), max_size=40)


@pytest.mark.usefixtures("_no_kernel")
@settings(max_examples=300, deadline=None)
@given(actions=ACTIONS, ends=st.sampled_from(["stopped", "failed", "running"]))
def test_header_rows_and_reports_are_of_one_batch_after_any_order_of_events(actions: list[str], ends: str) -> None:
    clock, query = Clock(), Query()
    before, live_view.time = live_view.time, clock
    try:
        view = LiveView(query, Shown(query))
        sent: list[dict[str, Any]] = []
        view._widget.send_state = lambda key=None: sent.append(_state(view))  # type: ignore[method-assign]
        for action in actions:
            clock.now += 3.0 if action == "wait" else 0.05
            if action == "batch":
                query.end_batch()
            elif action == "report":
                query.report(view)
            elif action in ("busy", "idle"):
                query.status = query.status | {"isTriggerActive": action == "busy", "isDataAvailable": action == "busy"}
            else:
                assert view.tick()
            assert_one_batch(_state(view))
        while query.reported < query.ended:
            query.report(view)
        query.isActive, query.error = ends == "running", RuntimeError("broken") if ends == "failed" else None
        clock.now += 10
        view.tick()
        view.tick()
        assert_one_batch(_state(view))
        assert view._widget.header["batch"] == query.ended  # and at last it is the newest
        for state in sent:
            assert_one_batch(state)
    finally:
        live_view.time = before


def _state(view: LiveView) -> dict[str, Any]:
    widget = view._widget
    return {"header": widget.header, "table": widget.table, "reports": widget.reports, "raw": widget.raw}


def assert_one_batch(state: dict[str, Any]) -> None:
    header, rows = state["header"], state["table"].get("rows", [])
    if not rows:
        assert header["batch"] == -1 and header["rows"] == 0
        return
    batch = int(rows[0][0]) // ROWS - 1
    assert header["batch"] == batch
    reported = state["reports"].get("batch", [])[-1:]
    if reported == [batch]:
        assert header["rows"] == ROWS * (batch + 1) and json.loads(state["raw"])["batchId"] == batch
    else:  # no report came in time
        assert header["rows"] is None and reported < [batch]


@pytest.mark.usefixtures("_no_kernel")
def test_a_view_that_is_behind_says_so_and_one_that_waits_is_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, query = Clock(), Query()
    monkeypatch.setattr(live_view, "time", clock)
    view = LiveView(query, Shown(query))
    query.status = query.status | {"isTriggerActive": True, "isDataAvailable": True}
    query.end_batch()
    query.report(view)
    view.tick()
    view._next_reading = clock.now + 60  # a machine on which reading takes long
    query.end_batch()
    query.report(view)
    view.tick()
    assert (view._widget.header["batch"], view._widget.header["ahead"]) == (0, -1)
    clock.now += 1.5
    view.tick()
    assert (view._widget.header["batch"], view._widget.header["ahead"]) == (0, 1)
    query.status = query.status | {"isTriggerActive": False, "isDataAvailable": False}
    view.tick()
    assert (view._widget.header["batch"], view._widget.header["ahead"]) == (1, -1)


@pytest.mark.usefixtures("_no_kernel")
def test_however_slow_reading_is_rows_are_read_again_after_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, query = Clock(), Query()
    monkeypatch.setattr(live_view, "time", clock)

    class Slow(Shown):
        def read(self, reported) -> tuple[int, Table]:
            clock.now += 1.0
            return super().read(reported)

    view = LiveView(query, Slow(query))
    query.status = query.status | {"isTriggerActive": True, "isDataAvailable": True}
    for _ in range(20):  # five batches a second
        query.end_batch()
        query.report(view)
    view.tick()
    begin, shown = clock.now, view._widget.header["batch"]
    while view._widget.header["batch"] == shown:
        clock.now += 0.2
        query.end_batch()
        query.report(view)
        view.tick()
        assert clock.now < begin + live_view.MOST_BETWEEN + 1.5


@pytest.mark.slow
def test_in_real_spark_the_rows_are_those_of_the_batch_in_the_header(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches come as fast as Spark can; each state that would be sent is one of a batch."""
    sent: list[tuple[int, int, int]] = []

    def note(view: LiveView) -> None:
        table = view._widget.table.get("rows", [])
        if table:
            sent.append((view._widget.header["batch"], view._widget.header["rows"], int(table[0][0])))

    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    monkeypatch.setattr(live_view, "show_with_fallback", lambda widget, frame: Frame())
    tick = LiveView.tick
    monkeypatch.setattr(LiveView, "tick", lambda view: (tick(view), note(view))[0])
    frame = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS).load().groupBy().count()
    display(frame, streamName="counted")
    deadline = time.monotonic() + 60
    while len(set(sent)) < 6 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(set(sent)) >= 6
    assert [one for one in sent if not one[1] == one[2] == ROWS * (one[0] + 1)] == []
