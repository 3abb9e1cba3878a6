"""Lesson 09: what its windows must hold, computed with pandas from the taps and the dataset's files."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest

from .windows import MORNING, TEN, accepted, per_window, sessions, story_of_09x

pytestmark = [pytest.mark.lesson("09"), pytest.mark.slow]


@pytest.fixture(scope="module")
def parcels() -> list[pd.DataFrame]:
    """The taps, a frame for each time at which some were received; the companion has those of the lesson, too."""
    return story_of_09x()


def test_seven_taps_come_after_one_that_happened_later(parcels, lines):
    times = pd.concat(parcels[:MORNING])["time"]

    assert lines("09", "l09-06")[-1] == f"overtaken: {(times < times.cummax()).sum()}"


def test_the_table_has_every_tap_and_the_stream_those_in_time(parcels, displayed):
    morning = parcels[:MORNING]
    counted, _ = accepted(morning, TEN, TEN, idle=True)
    watermark = pd.concat(morning)["time"].max() - TEN

    table = displayed("09", "l09-34")
    happened, streamed = per_window(morning), per_window(counted)

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
    _, refused = accepted(parcels[:MORNING], TEN, TEN, idle=True)
    rows = [len(batch) for batch in refused if len(batch)]
    sums = [batch["time"].dt.floor(TEN).nunique() for batch in refused if len(batch)]

    late, counts = displayed("09", "l09-92"), displayed("09", "l09-93")

    assert list(late["tap"]) == sorted(pd.concat(refused)["tap"])
    assert list(late["happened"]) == [f"{time:%H:%M}" for time in pd.concat(refused).sort_values("tap")["time"]]
    assert [list(map(int, counts[column])) for column in ("rows", "counted", "dropped")] == [rows, sums, sums]


def test_three_kinds_of_windows(parcels, displayed):
    taps = pd.concat(parcels[:MORNING])
    five = timedelta(minutes=5)

    first = taps["time"].dt.floor(five)
    starts = pd.concat([first, first - five]).value_counts().sort_index()
    sliding = [(str(start), str(start + TEN), str(count)) for start, count in starts.items()]
    of_trams = [(str(tram), str(start), str(end), str(len(times))) for tram, start, end, times in sessions(taps, five)]

    tumbling = displayed("09", "l09-87")
    assert {begins[11:16]: int(n) for begins, n in zip(tumbling["begins"], tumbling["taps"], strict=True)} == (
        per_window([taps])
    )
    assert list(displayed("09", "l09-43").itertuples(index=False, name=None)) == sliding
    assert list(displayed("09", "l09-97").itertuples(index=False, name=None)) == of_trams


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
