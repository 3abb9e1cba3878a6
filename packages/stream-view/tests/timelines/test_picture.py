from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stream_view.timelines.drawing import picture
from stream_view.timelines.layout import LEFT, RIGHT, WIDTH, axis_of, lanes_of
from stream_view.timelines.story import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Batch,
    Event,
    Outcome,
    Windows,
    batches_of,
    duration_text,
    outcome_of,
    parse_time,
    story_of,
    time_text,
    windows_of,
)

times = st.one_of(
    st.none(),
    st.just("1970-01-01T00:00:00.000Z"),
    st.text(max_size=5),
    st.datetimes(timezones=st.just(UTC)).map(lambda t: t.isoformat(timespec="milliseconds")),
    st.integers(0, 90).map(lambda m: (datetime(2025, 6, 2, 10, tzinfo=UTC) + timedelta(minutes=m)).isoformat()),
)
reports = st.fixed_dictionaries(
    {
        "batchId": st.integers(0, 30),
        "durationMs": st.sampled_from([{"addBatch": 1}, {"addBatch": 1}, {}]),
        "numInputRows": st.one_of(st.none(), st.integers(0, 10**12)),
        "eventTime": st.dictionaries(st.sampled_from(["min", "max", "avg", "watermark"]), times),
        "stateOperators": st.lists(
            st.dictionaries(
                st.sampled_from(["numRowsTotal", "numRowsRemoved", "numRowsDroppedByWatermark"]),
                st.one_of(st.none(), st.integers(0, 99)),
            ),
            max_size=2,
        ),
    }
)
moments = st.one_of(
    st.integers(parse_time("0001-01-01"), parse_time("9999-12-31")),
    st.integers(0, 90 * 60).map(lambda s: parse_time("2025-06-02T10:00:00Z") + s * SECOND),
)
events = st.builds(Event, moments, st.one_of(st.none(), st.integers(0, 30)), st.text(max_size=30))
windows = st.one_of(
    st.none(),
    st.tuples(st.integers(1, 7 * DAY), st.integers(1, 7 * DAY), st.integers(0, DAY)).map(
        lambda w: Windows(max(w[:2]), min(w[:2]), w[2])
    ),
    st.sampled_from(
        [Windows(10 * MINUTE, 10 * MINUTE), Windows(10 * MINUTE, 5 * MINUTE), Windows(DAY, DAY, 12 * HOUR)]
    ),
)


@settings(deadline=None, max_examples=100)
@given(st.lists(reports, max_size=25), st.lists(events, max_size=60), windows, st.text(max_size=40))
def test_whatever_is_reported_a_picture_is_drawn_with_all_marks_inside(reports, events, windows, name) -> None:
    story = story_of(name, batches_of(reports), events, windows, notes=["\ud800 &"])
    text = picture(story)
    root = ElementTree.fromstring(text.encode())
    height = float(root.get("height"))
    assert text == picture(story)
    assert "nan" not in re.sub('>[^<]*<|aria-label="[^"]*"', "", text)
    lanes = lanes_of(story, axis_of(story), 150)
    assert sum(mark.count for lane in lanes for mark in lane.marks) == len(story.events)
    for lane in lanes:
        for mark in lane.marks:
            assert LEFT <= mark.x <= RIGHT and lane.top < mark.y < lane.bottom
    for shape in root.iter():
        for attribute, most in (("x", WIDTH), ("cx", WIDTH), ("y", height), ("cy", height)):
            assert -20 <= float(shape.get(attribute, 0)) <= most


def test_it_lies_on_a_light_card_of_its_own_as_the_page_may_be_dark() -> None:
    root = ElementTree.fromstring(picture(story_of("q", [Batch(0, rows=1)])))
    card = root[0].attrib
    assert (card["width"], card["height"], card["fill"]) == (root.get("width"), root.get("height"), "#ffffff")
    assert "opacity" not in card


minutes = st.integers(0, 60).map(lambda m: parse_time("2025-06-02T10:00:00Z") + m * MINUTE)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.builds(Event, minutes, st.integers(0, 11), st.text("abcWm 1", min_size=1, max_size=12)), max_size=60)
)
def test_no_label_lies_on_another_or_on_a_mark(events: list[Event]) -> None:
    story = story_of("q", [Batch(number, rows=1, dropped=0) for number in range(12)], events)
    for lane in lanes_of(story, axis_of(story), 150):
        for one, other in combinations(lane.marks, 2):
            if one.y == other.y:
                left, right = sorted((one, other), key=lambda mark: mark.x)
                assert right.x - left.x >= 11
                reach = 0 if left.end else 5.5 * len(left.label)
                begin = 5.5 * len(right.label) if right.end else 0
                assert left.x + reach < right.x - begin
            else:
                assert abs(one.y - other.y) >= 20


@given(moments, windows.filter(bool))
def test_windows_hold_their_time(time: int, windows: Windows) -> None:
    ends = windows.ends(time)
    assert ends and all(end - windows.size <= time < end for end in ends)
    assert all((end - windows.size - windows.start) % windows.slide == 0 for end in ends)
    assert ends[0] + windows.slide - windows.size > time


def test_windows_are_written_as_for_spark() -> None:
    assert windows_of(None) is None
    assert windows_of("10 minutes") == Windows(10 * MINUTE, 10 * MINUTE)
    assert windows_of(("1 hour 30 minutes", "5 minutes")) == Windows(90 * MINUTE, 5 * MINUTE)
    assert windows_of(("24 hours", None, "12 hours")) == Windows(DAY, DAY, 12 * HOUR)
    assert windows_of(("interval 1 week",)) == Windows(7 * DAY, 7 * DAY)


@pytest.mark.parametrize(
    ("time", "refused", "before", "window", "fate"),
    [
        (9, None, None, 10, Outcome.ON_TIME),
        (9, 9, 9, 10, Outcome.ON_TIME),  # as late as the watermark itself is not late
        (8, 9, 9, 10, Outcome.LATE),
        (9, 10, 10, 10, Outcome.DROPPED),  # a window that ends at the watermark is closed
        (9, None, 10, 10, Outcome.LATE),  # the batch that closes a window counts its own rows first
        (9, 8, 10, None, Outcome.LATE),
        (9, 9, 10, None, Outcome.DROPPED),  # without windows, at the watermark is too late
    ],
)
def test_the_rule(time: int, refused: int | None, before: int | None, window: int | None, fate: Outcome) -> None:
    batch = Batch(1, rows=1, before=before, refused=refused, dropped=1)
    assert outcome_of(time, batch, window and Windows(window, window))[0] is fate


def test_an_event_that_one_of_its_windows_still_takes_is_counted() -> None:
    batch = Batch(1, rows=1, before=12, refused=12, dropped=1)
    fate, why = outcome_of(9, batch, Windows(10, 5))
    assert fate is Outcome.LATE and why.endswith("1 of its 2 windows were still open")


def test_the_watermark_after_the_last_batch_follows_from_the_delay() -> None:
    first = {"batchId": 0, "durationMs": {"addBatch": 1}, "numInputRows": 1, "stateOperators": []}
    first["eventTime"] = {"max": "2025-06-02T10:30:00.000Z", "watermark": "1970-01-01T00:00:00.000Z"}
    second = first | {"batchId": 1}
    second["eventTime"] = {"max": "2025-06-02T10:40:00.000Z", "watermark": "2025-06-02T10:20:00.000Z"}
    batches = batches_of([first, second])
    assert [time_text(batch.after) for batch in batches] == ["10:20", "10:30"]
    assert batches_of([first])[0].after is None


def test_times_are_short() -> None:
    assert time_text(parse_time("2025-06-02T10:00:00Z")) == "10:00"
    assert time_text(parse_time("2025-06-02T10:00:07.250Z"), date=True) == "2 Jun 10:00:07.25"
    assert [duration_text(n) for n in (90 * MINUTE, HOUR, 2 * DAY, 1500)] == ["90 min", "1 h", "2 d", "0.0015 s"]
