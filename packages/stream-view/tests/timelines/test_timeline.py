from __future__ import annotations

import base64
import json
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stream_view.timelines.story import TimelineInput
from stream_view.timelines.timeline import timeline
from streaming_base import front_end, refreshing

# On time, early, then late into an open window, too late, on the very edge, and what moves everything on.
LANDED = [
    ["10:00:00", "10:02:00"],
    ["10:23:00"],
    ["10:05:00", "10:09:59", "10:10:00", "10:12:00", "10:13:00"],
    ["10:33:00", "10:11:00"],
    ["10:15:00", "10:19:00", "10:20:00"],
    ["10:55:00"],
    ["10:21:00", "10:31:00", "10:44:00", "10:47:00"],
]


def report(number: int, rows: int, watermark: str | None, times: tuple[str, ...] = (), dropped: int | None = 0) -> dict:
    event_time = {"watermark": f"2025-06-02T{watermark}.000Z" if watermark else "1970-01-01T00:00:00.000Z"}
    if times:
        event_time |= {"min": f"2025-06-02T{min(times)}.000Z", "max": f"2025-06-02T{max(times)}.000Z"}
        event_time["avg"] = event_time["min"]
    state = {"numRowsTotal": 1, "numRowsRemoved": 1, "numRowsDroppedByWatermark": dropped}
    return {
        "batchId": number,
        "durationMs": {"addBatch": 1},
        "numInputRows": rows,
        "eventTime": event_time,
        "stateOperators": [] if dropped is None else [state],
    }


class Query:
    """What a timeline asks of a query."""

    def __init__(self, reports: list[dict], name: str | None = "calls", error: Exception | None = None) -> None:
        self.recentProgress = reports
        self.name = name
        self.isActive = error is None
        self._error = error

    @property
    def lastProgress(self) -> dict | None:
        return self.recentProgress[-1] if self.recentProgress else None

    def exception(self) -> Exception | None:
        return self._error


REPORTS = [
    report(0, 2, None, ("10:00:00", "10:22:00")),
    report(1, 0, "10:12:00"),
    report(2, 3, "10:12:00", ("10:05:00", "10:23:00"), dropped=1),
    report(3, 0, "10:13:00"),
]
EVENTS = pd.DataFrame(
    {
        "event_time": [f"2025-06-02T{t}Z" for t in ("10:00:00", "10:22:00", "10:05:00", "10:11:00", "10:23:00")],
        "batch": [0, 0, 2, 2, 2],
        "who": ["a", "b", "c", "d", "<e>"],
    }
)


def fates(picture: Any) -> list[str]:
    return list(picture.events["fate"])


def svg(picture: Any) -> str:
    """Return what is in the image that a run without a person shows."""
    [encoded] = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', picture._repr_mimebundle_()["text/html"])
    return base64.b64decode(encoded).decode()


@pytest.fixture
def land(tmp_path: Path) -> Callable[[int, list[str]], None]:
    """Put a file with these event times in front of the stream; files are read in their order."""

    def put(number: int, times: list[str]) -> None:
        hidden, file = tmp_path / f".{number}", tmp_path / f"{number}.json"
        hidden.write_text("".join(json.dumps({"event_time": f"2025-06-02T{t}Z"}) + "\n" for t in times))
        os.utime(hidden, (1_700_000_000 + number,) * 2)
        hidden.rename(file)

    return put


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one_by_one", "window"),
    [(True, ("10 minutes",)), (False, ("10 minutes",)), (True, ("10 minutes", "5 minutes"))],
    ids=["each drained", "all at once", "sliding"],
)
def test_events_are_judged_as_spark_counts_and_drops_them(
    spark: SparkSession, tmp_path: Path, land, one_by_one: bool, window: tuple[str, ...]
) -> None:
    numbers = range(len(LANDED))
    if not one_by_one:  # no batch without data lies between them then, and Spark refuses rows one batch later
        for number in numbers:
            land(number, LANDED[number])
    calls = spark.readStream.schema("event_time TIMESTAMP").option("maxFilesPerTrigger", 1).json(tmp_path.as_uri())
    query = (
        calls.withWatermark("event_time", "10 minutes")
        .groupBy(F.window("event_time", *window))
        .count()
        .writeStream.format("memory")
        .queryName("per_window")
        .start()
    )
    for number in numbers:
        if one_by_one:
            land(number, LANDED[number])
        query.processAllAvailable()

    frames = [pd.DataFrame({"event_time": [f"2025-06-02T{t}Z" for t in times]}) for times in LANDED]
    picture = timeline(query, frames, window=window)
    events, batches = picture.events, picture.batches

    counted: Counter = Counter()
    for event in events[events["fate"] != "dropped"].itertuples():
        refused = batches.set_index("batch")["watermark_before"].get(event.batch - 1, pd.NaT)
        for start in pd.date_range(event.event_time.floor("5min") - pd.Timedelta("5min"), periods=2, freq="5min"):
            starts_here = len(window) == 2 or start.minute % 10 == 0
            end = start + pd.Timedelta("10min")
            if starts_here and event.event_time < end and not end <= refused:
                counted[str(start)] += 1
    written = {str(row.window.start): row["count"] for row in spark.table("per_window").collect()}
    assert written and written == {start: counted[start] for start in written}

    if len(window) == 1:
        dropped = events[events["fate"] == "dropped"].groupby("batch").size()
        told = batches.set_index("batch")["dropped"]
        assert set(dropped.index) == set(told[told > 0].index)
        assert all(told[batch] <= count for batch, count in dropped.items())
        assert Counter(events["fate"]) == (
            {"on time": 7, "late but counted": 5, "dropped": 6}
            if one_by_one
            else {"on time": 7, "late but counted": 11}
        )
    assert "Not shown" not in str(picture) and "Check" not in str(picture)


@pytest.mark.slow
def test_complete_mode_drops_nothing_and_deduplication_goes_by_the_time_itself(
    spark: SparkSession, tmp_path: Path, land
) -> None:
    calls = (
        spark.readStream.schema("event_time TIMESTAMP").json(tmp_path.as_uri()).withWatermark("event_time", "0 seconds")
    )
    complete = calls.groupBy(F.window("event_time", "1 minute")).count().writeStream.outputMode("complete")
    queries = [
        complete.format("noop").start(),
        calls.dropDuplicates(["event_time"]).writeStream.format("noop").start(),
    ]
    landed = [["10:20:00"], ["10:10:00", "10:20:00", "10:20:01"]]
    for number, times in enumerate(landed):
        land(number, times)
        for query in queries:
            query.processAllAvailable()
    rows = [{"event_time": f"2025-06-02T{t}Z"} for times in landed for t in times]
    frames = [pd.DataFrame(rows[:1]), pd.DataFrame(rows[1:])]
    assert fates(timeline(queries[0], frames, window="1 minute")) == [
        "on time",
        "late but counted",
        "on time",
        "on time",
    ]
    assert fates(timeline(queries[1], frames)) == ["on time", "dropped", "dropped", "on time"]


def test_a_spark_frame_of_events_is_as_good_as_a_pandas_one(spark: SparkSession) -> None:
    frame = spark.createDataFrame(EVENTS).withColumn("event_time", F.col("event_time").cast("timestamp"))
    query = Query(REPORTS)
    from_spark = timeline(query, frame, window="10 minutes", label="who")
    assert svg(from_spark) == svg(timeline(query, EVENTS, window="10 minutes", label="who"))
    with pytest.raises(TimelineInput, match=r"'batch' is of type|'batch'.*no time"):
        timeline(query, frame, time="batch")
    stream = spark.readStream.format("rate").load()
    with pytest.raises(TimelineInput, match="streaming frame"):
        timeline(query, stream, time="timestamp", batch="value")


def test_the_table_says_what_the_picture_shows() -> None:
    assert str(timeline(Query(REPORTS), EVENTS, window="10 minutes")).splitlines() == [
        "calls",
        "batch  rows  event times (UTC)  watermark before  watermark after  dropped",
        "    0     2     10:00 .. 10:22                 –            10:12        0",
        "    1     0                  –             10:12            10:12        0",
        "    2     3     10:05 .. 10:23             10:12            10:13        1",
        "    3     0                  –             10:13            10:13        0",
        "events: 3 on time; 1 late but counted; 1 dropped",
    ]


def test_each_event_has_a_fate_and_a_reason() -> None:
    events = timeline(Query(REPORTS), EVENTS, window="10 minutes", label="who").events
    assert list(events["label"]) == ["a", "b", "c", "d", "<e>"]
    assert list(events["fate"]) == ["on time", "on time", "dropped", "late but counted", "on time"]
    assert events["why"][2] == "its window 10:00–10:10 had ended at or before the watermark 10:12"
    assert events["why"][3] == "earlier than the watermark 10:12, but its window 10:10–10:20 was still open"


def test_the_picture_is_said_in_words_and_needs_no_script() -> None:
    text = svg(timeline(Query(REPORTS), EVENTS, window="10 minutes", label="who"))
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img" and root.get("width") == "900"
    assert root.get("aria-label") == (
        "Timeline of calls: 4 batches, batches 0 to 3. The watermark is not set at first, then goes from 10:12 to "
        "10:13. Of 5 events: 3 on time, 1 late but counted, 1 dropped."
    )
    assert "<script" not in text and " id=" not in text and "&lt;e&gt;" in text


def test_what_spark_counted_is_right_and_a_contradiction_is_said() -> None:
    nothing = [*REPORTS[:2], report(2, 3, "10:12:00", ("10:05:00", "10:23:00"), dropped=0), REPORTS[3]]
    picture = timeline(Query(nothing), EVENTS, window="10 minutes")
    assert "dropped" not in fates(picture)
    assert "Batch 2: by the watermark 1 of its events would be too late, but Spark dropped nothing" in str(picture)
    assert "Batch 2: Spark dropped 1, but none" in str(timeline(Query(REPORTS), EVENTS, window="1 hour"))


def test_a_query_without_a_watermark_says_so() -> None:
    reports = [report(0, 3, None) | {"eventTime": {}}]
    for text in (str(timeline(Query(reports))), svg(timeline(Query(reports)))):
        assert "This query has no watermark" in text


def test_only_the_last_twenty_batches_are_shown_and_it_says_so() -> None:
    reports = [report(n, 1, f"10:{n:02}:00", (f"10:{n + 9:02}:00",)) for n in range(43)]
    picture = timeline(Query(reports))
    assert list(picture.batches["batch"]) == list(range(23, 43))
    assert "Only the last 20 of 43 batches are shown." in svg(picture)
    assert list(timeline(Query(reports), batches=2).batches["batch"]) == [41, 42]
    assert list(timeline(Query(reports), batches=range(4, 6)).batches["batch"]) == [4, 5]
    with pytest.raises(TimelineInput, match="has reports of batches 0 to 42"):
        timeline(Query(reports), batches=[99])


def test_events_that_cannot_be_shown_are_counted() -> None:
    events = pd.concat([EVENTS, pd.DataFrame({"event_time": [None, "2025-06-02T10:00:00Z"], "batch": [0, 17]})])
    text = str(timeline(Query(REPORTS), events))
    assert "Not shown: 1 events without an event time" in text
    assert "Not shown: 1 events of batches of which the query has no report (17)." in text


def test_frames_in_a_list_came_with_the_batches_that_had_rows() -> None:
    frames = [EVENTS[["event_time"]][:2], EVENTS[["event_time"]][2:], EVENTS[["event_time"]][:1]]
    picture = timeline(Query(REPORTS), frames, window="10 minutes")
    assert list(picture.events["batch"]) == [0, 0, 2, 2, 2]
    assert "Not shown: 1 events that no batch has read yet." in str(picture)
    with pytest.raises(TimelineInput, match="no report of the batches before batch 2"):
        timeline(Query(REPORTS[2:]), frames)


def test_a_time_without_a_zone_is_utc_and_one_with_a_zone_is_what_it_says() -> None:
    times = ["2025-06-02 10:05:00", pd.Timestamp("2025-06-02 12:05", tz="Europe/Berlin"), "2025-06-02T06:05:00-04:00"]
    picture = timeline(Query(REPORTS), pd.DataFrame({"event_time": times, "batch": 2}), window="10 minutes")
    assert [str(moment) for moment in picture.events["event_time"]] == 3 * ["2025-06-02 10:05:00"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"events": EVENTS, "time": "t"}, r"no column 't'; their columns are: event_time, batch, who\. Name"),
        ({"events": EVENTS, "label": "nobody"}, "no column 'nobody'"),
        ({"events": EVENTS, "time": "batch"}, r"holds numbers and no times\. Use pd\.to_datetime"),
        ({"events": [1]}, "not as a int"),
        ({"window": "ten minutes"}, "'ten minutes' is no length of a window"),
        ({"window": "1 month"}, "'1 month' is no length"),
        ({"window": "0 seconds"}, "longer than nothing"),
        ({"window": ("1 minute", "1 hour")}, "slide further"),
    ],
)
def test_bad_input_is_one_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TimelineInput, match=sentence):
        timeline(Query(REPORTS), **arguments)


class Handle:
    def __init__(self) -> None:
        self.drawn: list[str] = []

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        assert raw
        self.drawn.append(bundle["text/plain"])

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + 120
        while not self.drawn or text not in self.drawn[-1]:
            assert time.monotonic() < deadline, self.drawn
            time.sleep(0.01)


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Handle:
    """Have a person look; give the output in which a live timeline is drawn again."""
    handle = Handle()
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    monkeypatch.setattr(refreshing, "REFRESH_INTERVAL", 0.01)
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw, display_id: handle)
    return handle


def test_a_live_timeline_is_drawn_anew_after_each_batch_until_the_query_ends(handle: Handle) -> None:
    query, frames = Query(REPORTS[:1]), [EVENTS[["event_time"]][:2]]
    picture = timeline(query, frames, window="10 minutes", live=True)
    picture._ipython_display_()
    handle.wait_for("events: 2 on time")
    query.recentProgress = REPORTS[1:]  # Spark has forgotten the first
    handle.wait_for("    2     3")
    assert "    0     2" in handle.drawn[-1]
    frames.append(EVENTS[["event_time"]][2:])
    handle.wait_for("1 dropped")
    assert len(picture.events) == 5
    query.isActive = False
    deadline = time.monotonic() + 120
    while any(thread.name == "live views" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(handle.drawn) <= 6
