"""The live view without a browser: what it sends to the screen, and what it leaves there."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from stream_view.displaying import display
from stream_view.live import live_view, static_frame
from stream_view.live.widgets import StreamWidget
from streaming_base import front_end, listener


class Output:
    """An output cell with a widget in it, and the frame that stands for it where there is no kernel."""

    def __init__(self, widget: StreamWidget, frame: dict[str, str]) -> None:
        self.widget = widget
        self.frame = frame
        self.batches: list[int] = []
        widget.observe(lambda change: self.batches.append(change["new"]["batch"]), "header")

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        assert raw
        self.frame = bundle

    @property
    def rows(self) -> list[list[str | None]]:
        return self.widget.table.get("rows", [])

    def wait_for(self, condition: Callable[[Output], bool], seconds: float = 20) -> None:
        deadline = time.monotonic() + seconds
        while not condition(self):
            assert time.monotonic() < deadline, (self.widget.header, self.widget.table, self.frame)
            time.sleep(0.02)

    def wait_for_frame(self, text: str) -> None:
        self.wait_for(lambda output: text in output.frame.get("text/plain", ""))


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[Output]:
    """Have a person look; give the outputs as they are made."""
    outputs: list[Output] = []
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)

    def show(widget: StreamWidget, frame: dict[str, str]) -> Output:
        outputs.append(Output(widget, frame))
        return outputs[-1]

    monkeypatch.setattr(live_view, "show_with_fallback", show)
    return outputs


def rows_held(query) -> int:
    """Return how many rows a query has in memory."""
    return query._jsq.streamingQuery().sink().allData().size()


def followers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "live views"]


def test_the_first_batch_is_on_the_screen_when_the_cell_ends(
    spark: SparkSession, stream: DataFrame, outputs: list[Output]
) -> None:
    display(stream, streamName="rows")
    [output] = outputs
    assert output.widget.header["name"] == "rows"
    assert output.widget.header["batch"] == 0
    assert output.widget.header["rows"] == 3
    assert sorted(output.rows) == [["1"], ["2"], ["3"]]
    assert output.widget.table["columns"] == [{"name": "id", "type": "int", "numeric": True}]
    assert output.widget.reports["rows"] == [3]
    assert json.loads(output.widget.raw)["name"] == "rows"


def test_stop_ends_the_query_and_leaves_a_frame_that_needs_no_kernel(
    spark: SparkSession, stream: DataFrame, outputs: list[Output]
) -> None:
    display(stream, streamName="rows")
    [output] = outputs
    output.widget._handle_custom_msg({"do": "stop"}, [])
    output.wait_for_frame("(rows · stopped · batch 0: 3 rows)")
    assert spark.streams.active == []
    assert output.widget.header["rate"] == 0
    assert set(output.frame) == {"text/html", "text/plain"}
    assert "<td" in output.frame["text/html"]
    output.wait_for(lambda _output: followers() == [])
    assert listener._endings.subscribers == {}


def test_a_stream_that_fails_at_once_raises_in_its_cell_and_says_so_on_the_screen(
    stream: DataFrame, outputs: list[Output]
) -> None:
    with pytest.raises(StreamingQueryException, match="no sensor"):
        display(stream.selectExpr("raise_error('no sensor')"), streamName="rows")
    outputs[0].wait_for_frame("rows · failed · no batch")


def test_the_last_rows_stay_when_a_lesson_that_starts_over_takes_the_table(
    spark: SparkSession, stream: DataFrame, outputs: list[Output]
) -> None:
    display(stream, streamName="rows")
    spark.catalog.dropTempView("rows")
    spark.streams.active[0].stop()
    outputs[0].wait_for_frame("(rows · stopped · batch 0: 3 rows)")


def test_a_view_without_a_name_keeps_what_it_shows_and_no_more(
    spark: SparkSession, stream: DataFrame, land, outputs: list[Output], monkeypatch
) -> None:
    monkeypatch.setattr(static_frame, "EMPTY_INTERVAL", 0.0)
    land(*range(10, 1300))
    display(stream)
    [query] = spark.streams.active
    outputs[0].wait_for(lambda _output: rows_held(query) == 0)
    assert len(outputs[0].rows) == 1000
    land(5000)
    outputs[0].wait_for(lambda output: output.rows[0] == ["5000"])
    assert len(outputs[0].rows) == 1000
    assert rows_held(query) < 1000


def test_a_view_with_a_name_keeps_the_table_and_says_when_it_is_large(
    spark: SparkSession, stream: DataFrame, land, outputs: list[Output], monkeypatch
) -> None:
    monkeypatch.setattr(static_frame, "EMPTY_INTERVAL", 0.0)
    monkeypatch.setattr(static_frame, "LARGE", 1000)
    land(*range(10, 1300))
    display(stream, streamName="rows")
    land(5000)
    outputs[0].wait_for(lambda output: output.rows[0] == ["5000"])
    assert spark.table("rows").count() == 1294
    assert "the table rows holds 1,294 rows in memory" in outputs[0].widget.table["caption"]
