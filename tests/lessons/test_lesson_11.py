"""Lesson 11: silences, timers and what a processor of batches finds, computed from the dataset's files."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest

pytestmark = [pytest.mark.lesson("11"), pytest.mark.slow]

LIMIT = DELAY = timedelta(minutes=10)
FILES_PER_BATCH = 6


@pytest.fixture(scope="module")
def beats(dataset) -> pd.DataFrame:
    """The heartbeats by oven and time, with the number of their batch and the next heartbeat of the oven."""
    files = sorted((dataset("bakery") / "heartbeats").iterdir())
    parts = (pd.read_json(file, lines=True).assign(batch=i // FILES_PER_BATCH) for i, file in enumerate(files))
    frame = pd.concat(parts).sort_values(["oven", "at"]).assign(at=lambda rows: pd.to_datetime(rows["at"]))
    return frame.assign(following=frame.groupby("oven")["at"].shift(-1)).reset_index(drop=True)


@pytest.fixture(scope="module")
def over(beats) -> pd.DataFrame:
    """The silences that ended."""
    return beats[beats.following - beats["at"] > LIMIT]


@pytest.fixture(scope="module")
def lasting(beats) -> pd.DataFrame:
    """Those that did not."""
    return beats[beats.following.isna() & (beats["at"] < beats["at"].max() - LIMIT)]


def _times(column: pd.Series) -> list[str]:
    return [f"{time:%Y-%m-%d %H:%M:%S}" for time in column]


def test_silences_that_a_query_over_rows_finds(over, displayed):
    expected = over.sort_values("at")

    table = displayed("11", "l11-07")

    assert table["oven"].tolist() == expected.oven.tolist()
    assert table["last_heard"].astype(str).tolist() == _times(expected["at"])
    assert table["status"].tolist() == expected.status.tolist()
    minutes = (expected.following - expected["at"]) // timedelta(minutes=1)
    assert table["minutes"].astype(int).tolist() == minutes.tolist()


def test_silences_that_it_does_not_find(lasting, displayed):
    table = displayed("11", "l11-10").sort_values("oven")

    assert table["oven"].tolist() == lasting.oven.tolist()
    assert table["last_heard"].astype(str).tolist() == _times(lasting["at"])
    assert table["status"].tolist() == lasting.status.tolist()


def test_a_session_window_finds_both_kinds(over, lasting, displayed):
    expected = pd.concat([over, lasting]).sort_values("at")

    table = displayed("11", "l11-13")

    assert table["alarm_at"].astype(str).tolist() == _times(expected["at"] + LIMIT)
    assert table["oven"].tolist() == expected.oven.tolist()


def test_a_timer_fires_only_if_no_row_comes_before_it_in_a_batch(beats, shown):
    """Batches are processed as Spark does: the rows first, then the timers that the watermark has passed."""
    watermark, timers, fired = None, {}, []
    for number in [*sorted(beats.batch.unique()), None]:  # the last one is without rows
        rows = beats[beats.batch == number]
        timers |= (rows.groupby("oven")["at"].max() + LIMIT).to_dict()
        for oven, at in list(timers.items()):
            if watermark is not None and at <= watermark:
                fired.append((oven, timers.pop(oven)))
        if len(rows):
            watermark = beats[beats.batch <= number]["at"].max() - DELAY

    alarms = shown("11", "l11-23")

    assert len(fired) == 2 and sorted(alarms["oven"]) == sorted(oven for oven, _ in fired)
    assert sorted(alarms["alarm_at"].astype(str)) == sorted(_times(pd.Series([at for _, at in fired])))


def test_all_silences_whatever_the_batches(over, lasting, lines):
    every = len(over) + len(lasting)

    assert lines("11", "l11-26") == [f"alarms: {every}   missing: 0   not a session's: 0"]
    assert lines("11", "l11-28") == [f"{every} alarms"]
    assert lines("11", "l11-31") == ["new alarms: 0"]


def test_what_the_state_has_in_the_end(beats, lasting, displayed):
    newest = beats.groupby("oven")["at"].max()

    table = displayed("11", "l11-38").set_index("oven")

    assert table["last_heard"].astype(str).to_dict() == dict(zip(newest.index, _times(newest), strict=True))
    waiting = newest.drop(lasting.oven)
    timers = table["timer"].dropna().astype(str)
    assert timers[timers != "NULL"].to_dict() == dict(zip(waiting.index, _times(waiting + LIMIT), strict=True))


def test_what_a_ttl_forgets(beats, lines):
    in_batches = beats.groupby("batch")["oven"].nunique().sum()

    assert lines("11", "l11-44") == [f"an hour:       {beats.oven.nunique()} rows"]
    assert lines("11", "l11-46") == [f"a millisecond: {in_batches} rows"]
