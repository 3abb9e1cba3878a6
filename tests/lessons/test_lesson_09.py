"""Lesson 09 and 09X: what their windows must hold, computed with pandas from the taps and the datasets' files."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from datetime import timedelta

import nbformat
import pandas as pd
import pytest

from streaming_classroom.files import directories

TEN = timedelta(minutes=10)
MORNING = 6  # the parcels of taps before the one with the wrong clock


@pytest.fixture(scope="module")
def parcels() -> list[pd.DataFrame]:
    """The taps as the lesson lists them, a frame for each time at which some were received."""
    [path] = directories.notebooks().glob("09X-*.ipynb")  # which has those of lesson 09, too
    story = {}
    for node in (n for c in nbformat.read(path, as_version=4).cells if c.source.startswith("story") for n in _tree(c)):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "story":
            story |= ast.literal_eval(node.value)
    frames = [pd.DataFrame(taps, columns=["tap", "tram", "time"]) for taps in story.values()]
    return [frame.assign(time=pd.to_datetime("2025-06-02 " + frame["time"])) for frame in frames]


@pytest.fixture(scope="module")
def recordings(dataset) -> list[pd.DataFrame]:
    """Time, device and minute of each row of the stream, a frame for each file."""
    files = sorted((dataset("activity") / "activity-data-stream.json").glob("*.json"))
    frames = [pd.read_json(file, lines=True)[["Recorded_At", "Device"]] for file in files]
    frames = [frame.rename(columns={"Recorded_At": "time"}) for frame in frames]
    return [frame.assign(minute=frame["time"].dt.floor("1min")) for frame in frames]


def _tree(cell) -> list[ast.stmt]:
    return ast.parse(cell.source).body


def _accepted(
    batches: Sequence[pd.DataFrame], delay: timedelta, size: timedelta, *, idle: bool
) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
    """Return for each batch the rows that are counted and those that are refused.

    A row is refused if its window has been closed by an earlier batch. With ``idle`` time between the batches, a
    batch without data has closed all that the newest event so far allows; without, the batch before has closed only
    what was known when it began.
    """
    counted, refused = [], []
    for number, batch in enumerate(batches):
        seen = batches[: number if idle else max(0, number - 1)]
        closed = max((frame["time"].max() for frame in seen), default=None)
        late = pd.Series(False, index=batch.index) if closed is None else _end(batch, size) <= closed - delay
        counted.append(batch[~late])
        refused.append(batch[late])
    return counted, refused


def _end(batch: pd.DataFrame, size: timedelta) -> pd.Series:
    return batch["time"].dt.floor(size) + size


def _per_window(frames: Sequence[pd.DataFrame]) -> dict[str, int]:
    starts = pd.concat(frames)["time"].dt.floor(TEN)
    return {f"{start:%H:%M}": int(count) for start, count in starts.value_counts().items()}


def test_seven_taps_come_after_one_that_happened_later(parcels, lines):
    times = pd.concat(parcels[:MORNING])["time"]

    assert lines("09", "l09-06")[-1] == f"overtaken: {(times < times.cummax()).sum()}"


def test_the_table_has_every_tap_and_the_stream_those_in_time(parcels, displayed):
    morning = parcels[:MORNING]
    counted, _ = _accepted(morning, TEN, TEN, idle=True)
    watermark = pd.concat(morning)["time"].max() - TEN

    table = displayed("09", "l09-34")
    happened, streamed = _per_window(morning), _per_window(counted)

    assert {begins[11:16]: int(n) for begins, n in zip(table["begins"], table["happened"], strict=True)} == happened
    for row in table.itertuples():
        final = pd.Timestamp(row.begins) + TEN <= watermark
        assert row.streamed == (str(streamed[row.begins[11:16]]) if final else None)


def test_the_fate_of_each_tap(parcels, lines):
    expected, watermark = [], pd.Timestamp(0)
    for batch in parcels[:MORNING]:
        for tap in batch.itertuples():
            late, over = tap.time < watermark, tap.time.floor(TEN) + TEN <= watermark
            expected.append((tap.tap, "dropped" if over else "late but counted" if late else "on time"))
        watermark = max(watermark, batch["time"].max() - TEN)

    printed = [(line[0], line.split(": ")[0].split(", ")[2]) for line in lines("09", "l09-31")]

    assert printed == expected


def test_the_late_rows_are_the_taps_that_were_dropped(parcels, displayed):
    _, refused = _accepted(parcels[:MORNING], TEN, TEN, idle=True)
    rows = [len(batch) for batch in refused if len(batch)]
    sums = [batch["time"].dt.floor(TEN).nunique() for batch in refused if len(batch)]

    late, counts = displayed("09", "l09-92"), displayed("09", "l09-93")

    assert list(late["tap"]) == sorted(pd.concat(refused)["tap"])
    assert list(late["happened"]) == [f"{time:%H:%M}" for time in pd.concat(refused).sort_values("tap")["time"]]
    assert [list(map(int, counts[column])) for column in ("rows", "counted", "dropped")] == [rows, sums, sums]


def test_how_the_rows_are_cut_decides_what_is_late(parcels, lines):
    morning = parcels[:MORNING]
    ways = [
        _accepted(morning, TEN, TEN, idle=True),
        _accepted(morning, TEN, TEN, idle=False),
        _accepted([pd.concat(morning, ignore_index=True)], TEN, TEN, idle=False),
    ]

    expected = [
        (_per_window(counted)["09:00"], sum(batch["time"].dt.floor(TEN).nunique() for batch in refused))
        for counted, refused in ways
    ]
    printed = [line.replace(",", "").split() for line in lines("09X", "l09X-39")]

    assert [(int(words[3]), int(words[-1])) for words in printed] == expected


def test_a_wrong_clock_costs_what_comes_after_it(parcels, lines):
    counted, _ = _accepted(parcels, TEN, TEN, idle=True)
    plausible = [frame[frame["time"] < "2025-06-02 12:00"] for frame in parcels]
    guarded, _ = _accepted([frame for frame in plausible if len(frame)], TEN, TEN, idle=True)

    without, with_filter = lines("09X", "l09X-61")

    assert without == f"counted {_later(counted)}"
    assert with_filter == f"guarded {_later(guarded)}"
    assert _later(counted) != _later(guarded)


def _later(counted: Sequence[pd.DataFrame]) -> list[tuple[str, int]]:
    newest = pd.concat(counted)["time"].max()
    windows = sorted(_per_window(counted).items())
    final = f"{newest - TEN:%H:%M}"
    return [(start, taps) for start, taps in windows if start >= "09:40" and _plus_ten(start) <= final]


def _plus_ten(start: str) -> str:
    return f"{pd.Timestamp('2025-06-02 ' + start) + TEN:%H:%M}"


def test_three_kinds_of_windows(parcels, displayed):
    taps = pd.concat(parcels[:MORNING])
    five = timedelta(minutes=5)

    first = taps["time"].dt.floor(five)
    starts = pd.concat([first, first - five]).value_counts().sort_index()
    sliding = [(str(start), str(start + TEN), str(count)) for start, count in starts.items()]
    sessions = [(str(tram), str(start), str(end), str(len(times))) for tram, start, end, times in _sessions(taps, five)]

    tumbling = displayed("09", "l09-87")
    assert {begins[11:16]: int(n) for begins, n in zip(tumbling["begins"], tumbling["taps"], strict=True)} == (
        _per_window([taps])
    )
    assert list(displayed("09", "l09-43").itertuples(index=False, name=None)) == sliding
    assert list(displayed("09", "l09-97").itertuples(index=False, name=None)) == sessions


def test_how_late_the_payments_are_first_and_again(dataset, displayed):
    files = sorted((dataset("bank") / "transactions").glob("*.json"))
    payments = pd.concat([pd.read_json(file, lines=True) for file in files], ignore_index=True)
    payments["late"] = pd.to_datetime(payments["received_at"]) - pd.to_datetime(payments["event_time"])
    payments["is_first"] = ~payments.sort_values("received_at")["transaction_id"].duplicated()
    late = payments[payments["late"] > TEN]
    expected = [
        (str(first).lower(), str(len(some)), str(some["late"].max() // timedelta(minutes=1)))
        for first, some in late.groupby("is_first")
    ]

    [everything] = displayed("09", "l09-106").itertuples(index=False, name=None)

    assert everything[:2] == (str(len(payments)), str(len(late)))
    assert list(displayed("09", "l09-108").itertuples(index=False, name=None)) == expected


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
        for tram, start, end, times in _sessions(pd.concat(in_time), five)
        if end <= watermark
    ]

    assert list(shown("09X", "l09X-49").itertuples(index=False, name=None)) == expected


def _sessions(taps: pd.DataFrame, pause: timedelta) -> list[tuple[int, pd.Timestamp, pd.Timestamp, pd.Series]]:
    found = []
    for tram, mine in taps.sort_values("time").groupby("tram"):
        number = (mine["time"].diff() > pause).cumsum()
        found += [(tram, t.min(), t.max() + pause, t) for _, t in mine["time"].groupby(number)]
    return found


def test_what_each_mode_hands_over(parcels, shown):
    morning = parcels[:MORNING]
    counted, _ = _accepted(morning, TEN, TEN, idle=False)
    expected = []
    for number in range(MORNING):
        everything = _per_window(morning[: number + 1])
        so_far = _per_window(counted[: number + 1])
        changed = {start: so_far[start] for start in _per_window([counted[number]])}
        expected += [("complete", number, everything), ("update", number, changed)]

    table = shown("09X", "l09X-53")
    printed = [
        (mode, int(batch), {start: int(taps) for start, taps in _pairs(text)})
        for mode, batch, text in table.itertuples(index=False, name=None)
    ]
    finals = [(start, taps) for mode, _, lines in printed if mode == "append" for start, taps in lines.items()]

    assert sorted(line for line in printed if line[0] != "append") == sorted(expected)
    assert finals == [(start, taps) for start, taps in sorted(_per_window(counted).items()) if start < "09:30"]


def _pairs(text: str) -> list[list[str]]:
    return [pair.split(": ") for pair in text.split(", ")]


def test_what_each_delay_loses(recordings, shown):
    everything = pd.concat(recordings).groupby(["minute", "Device"]).size()
    expected = {}
    for minutes in (10, 30, 90):
        counted, refused = _accepted(recordings, timedelta(minutes=minutes), timedelta(minutes=1), idle=False)
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
