"""Companion 09X: what its windows must hold, computed with pandas from the taps and the dataset's files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pandas as pd
import pytest

from .windows import MORNING, TEN, accepted, per_window, story_of_09x

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
        row.delay: [int(row.rows_lost), int(row.windows_wrong), int(row.windows_missing), int(row.dropped_reported)]
        for row in table.itertuples()
    }

    assert printed == expected
    assert int(table["most_windows"].iloc[-1]) == len(everything)


def _later(counted: Sequence[pd.DataFrame]) -> list[tuple[str, int]]:
    newest = pd.concat(counted)["time"].max()
    windows = sorted(per_window(counted).items())
    final = f"{newest - TEN:%H:%M}"
    return [(start, taps) for start, taps in windows if start >= "09:40" and _plus_ten(start) <= final]


def _plus_ten(start: str) -> str:
    return f"{pd.Timestamp('2025-06-02 ' + start) + TEN:%H:%M}"
