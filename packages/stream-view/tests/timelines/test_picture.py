from __future__ import annotations

from xml.etree import ElementTree

import pytest

from stream_view.timelines.drawing import picture
from stream_view.timelines.story import (
    DAY,
    HOUR,
    MINUTE,
    Batch,
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


def test_it_lies_on_a_light_card_of_its_own_as_the_page_may_be_dark() -> None:
    root = ElementTree.fromstring(picture(story_of("q", [Batch(0, rows=1)])))
    card = root[0].attrib
    assert (card["width"], card["height"], card["fill"]) == (root.get("width"), root.get("height"), "#ffffff")
    assert "opacity" not in card


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
