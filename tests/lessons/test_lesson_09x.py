"""Companion 09X: what its windows must hold, computed with pandas from the taps and the dataset's files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pandas as pd
import pytest

from .windows import MORNING, TEN, accepted, per_window, sessions, story_of_09x

pytestmark = [pytest.mark.lesson("09X"), pytest.mark.slow]


@pytest.fixture(scope="module")
def parcels() -> list[pd.DataFrame]:
    """The taps, a frame for each time at which some were received."""
    return story_of_09x()


@pytest.fixture(scope="module")
def recordings(dataset) -> list[pd.DataFrame]:
    """Time, device and minute of each row of the stream, a frame for each file."""
    files = sorted((dataset("activity") / "activity-data-stream.json").glob("*.json"))
    frames = [pd.read_json(file, lines=True)[["Recorded_At", "Device"]] for file in files]
    frames = [frame.rename(columns={"Recorded_At": "time"}) for frame in frames]
    return [frame.assign(minute=frame["time"].dt.floor("1min")) for frame in frames]


def test_how_the_rows_are_cut_decides_what_is_late(parcels, lines):
    morning = parcels[:MORNING]
    ways = [
        accepted(morning, TEN, TEN, idle=True),
        accepted(morning, TEN, TEN, idle=False),
        accepted([pd.concat(morning, ignore_index=True)], TEN, TEN, idle=False),
    ]

    expected = [
        (per_window(counted)["09:00"], sum(batch["time"].dt.floor(TEN).nunique() for batch in refused))
        for counted, refused in ways
    ]
    printed = [line.replace(",", "").split() for line in lines("09X", "l09X-39")]

    assert [(int(words[3]), int(words[-1])) for words in printed] == expected


def test_a_wrong_clock_costs_what_comes_after_it(parcels, lines):
    counted, _ = accepted(parcels, TEN, TEN, idle=True)
    plausible = [frame[frame["time"] < "2025-06-02 12:00"] for frame in parcels]
    guarded, _ = accepted([frame for frame in plausible if len(frame)], TEN, TEN, idle=True)

    without, with_filter = lines("09X", "l09X-61")

    assert without == f"counted {_later(counted)}"
    assert with_filter == f"guarded {_later(guarded)}"
    assert _later(counted) != _later(guarded)


def test_sessions_of_the_stream_miss_what_was_too_late(parcels, shown):
    five = timedelta(minutes=5)
    morning = parcels[:MORNING]
    watermark = pd.concat(morning)["time"].max() - TEN
    in_time = []
    for number, batch in enumerate(morning):
        earlier = morning[: max(0, number - 1)]
        closed = max((frame["time"].max() for frame in earlier), default=pd.Timestamp(0)) - TEN
        in_time.append(batch[batch["time"] + five > closed])  # a tap alone is a session of five minutes

    expected = [
        (str(tram), str(start), str(end), str(len(times)))
        for tram, start, end, times in sessions(pd.concat(in_time), five)
        if end <= watermark
    ]

    assert list(shown("09X", "l09X-49").itertuples(index=False, name=None)) == expected


def test_what_each_mode_hands_over(parcels, shown):
    morning = parcels[:MORNING]
    counted, _ = accepted(morning, TEN, TEN, idle=False)
    expected = []
    for number in range(MORNING):
        everything = per_window(morning[: number + 1])
        so_far = per_window(counted[: number + 1])
        changed = {start: so_far[start] for start in per_window([counted[number]])}
        expected += [("complete", number, everything), ("update", number, changed)]

    table = shown("09X", "l09X-53")
    printed = [
        (mode, int(batch), {start: int(taps) for start, taps in _pairs(text)})
        for mode, batch, text in table.itertuples(index=False, name=None)
    ]
    finals = [(start, taps) for mode, _, lines in printed if mode == "append" for start, taps in lines.items()]

    assert sorted(line for line in printed if line[0] != "append") == sorted(expected)
    assert finals == [(start, taps) for start, taps in sorted(per_window(counted).items()) if start < "09:30"]


def test_what_each_delay_loses(recordings, shown):
    everything = pd.concat(recordings).groupby(["minute", "Device"]).size()
    expected = {}
    for minutes in (10, 30, 90):
        counted, refused = accepted(recordings, timedelta(minutes=minutes), timedelta(minutes=1), idle=False)
        streamed = pd.concat(counted).groupby(["minute", "Device"]).size().reindex(everything.index)
        expected[f"{minutes} minutes"] = [
            sum(map(len, refused)),
            int((streamed != everything).sum()),
            int(streamed.isna().sum()),
            sum(len(batch.groupby(["minute", "Device"])) for batch in refused),
        ]
    expected[None] = [0, 0, 0, 0]

    table = shown("09X", "l09X-71")
    printed = {
        row.delay: [int(row.rows_lost), int(row.lines_wrong), int(row.of_them_missing), int(row.dropped_says_spark)]
        for row in table.itertuples()
    }

    assert printed == expected
    assert int(table["most_in_memory"].iloc[-1]) == len(everything)


def test_the_stream_with_ninety_minutes_is_the_table(recordings, shown):
    everything = pd.concat(recordings).groupby(["Device", "minute"]).size()
    expected = everything.groupby("Device").agg(["size", "sum", "max"]).astype(str)

    table = shown("09X", "l09X-74")

    assert list(table["Device"]) == list(expected.index)
    assert table.drop(columns="Device").to_numpy().tolist() == expected.to_numpy().tolist()


def _later(counted: Sequence[pd.DataFrame]) -> list[tuple[str, int]]:
    newest = pd.concat(counted)["time"].max()
    windows = sorted(per_window(counted).items())
    final = f"{newest - TEN:%H:%M}"
    return [(start, taps) for start, taps in windows if start >= "09:40" and _plus_ten(start) <= final]


def _plus_ten(start: str) -> str:
    return f"{pd.Timestamp('2025-06-02 ' + start) + TEN:%H:%M}"


def _pairs(text: str) -> list[list[str]]:
    return [pair.split(": ") for pair in text.split(", ")]
