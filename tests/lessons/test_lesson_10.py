"""Lesson 10: what is left of duplicates, computed from the dataset's files."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest

pytestmark = [pytest.mark.lesson("10"), pytest.mark.slow]

FILES = 14  # half hours that the lesson lands
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def received(dataset) -> pd.DataFrame:
    """The transactions that the lesson lands, in the order of arrival, with the number of their file."""
    files = sorted((dataset("bank") / "transactions").iterdir())[:FILES]
    frame = pd.concat(_json(file).assign(part=part) for part, file in enumerate(files))
    return frame.assign(**{time: pd.to_datetime(frame[time]) for time in ("event_time", "received_at")})


def _json(file) -> pd.DataFrame:
    return pd.read_json(file, lines=True, convert_dates=False, dtype={"transaction_id": str})


def _survivors(received: pd.DataFrame, time: str, delay: timedelta, kept: timedelta) -> tuple[list[str], int]:
    """Return the ids that pass, one file a batch, and how many are remembered at the end.

    An id is kept until the watermark has passed its time plus ``kept``. A batch refuses by the watermark that the
    batch before it worked with.
    """
    passed, known = [], {}
    before = now = None
    for _, batch in received.groupby("part"):
        for at, name in zip(batch[time], batch.transaction_id, strict=True):
            if name not in known and (before is None or at >= before):
                known[name] = at + kept
                passed.append(name)
        known = {name: until for name, until in known.items() if now is None or until > now}
        newest = received[received.part <= batch.part.iloc[0]][time].max()
        before, now = now, newest - delay
    # The batch without data at the end works with the last watermark.
    return passed, sum(until > now for until in known.values())


def test_how_often_a_transaction_comes(received, displayed):
    times = received.transaction_id.value_counts().value_counts().sort_index()

    table = displayed("10", "l10-07").astype(float)

    assert dict(zip(table["times"], table["transactions"], strict=True)) == times.to_dict()
    assert table["percent"].tolist() == [round(100 * n / times.sum(), 1) for n in times]


def test_how_late_payments_are_and_how_late_repeats(received, shown):
    first = received.groupby("transaction_id")["received_at"].transform("min")
    late = (first - received.event_time) // timedelta(minutes=1)
    after = (received.received_at - first) // timedelta(minutes=1)

    is_repeat = received.groupby("transaction_id")["received_at"].rank(method="first") > 1  # not by the time between
    expected = [late.max(), (is_repeat & (after < 10)).sum(), (after >= 10).sum(), after.max()]

    assert shown("10", "l10-09").iloc[0].astype(int).tolist() == expected


@pytest.mark.parametrize(
    ("query", "time", "minutes"),
    [("arrival_10m", "received_at", 10), ("event_10m", "event_time", 10), ("event_2h", "event_time", 120)],
)
def test_what_a_deduplication_lets_through_and_loses(received, displayed, query, time, minutes):
    delay = timedelta(minutes=minutes)
    passed, _ = _survivors(received, time, delay, kept=delay)

    judged = displayed("10", "l10-19").set_index("query").loc[query].astype(int)

    there = received.transaction_id.nunique()
    assert judged.tolist() == [len(passed), len(passed) - len(set(passed)), there - len(set(passed))]


def test_without_forgetting_each_transaction_comes_once(received, displayed):
    there = received.transaction_id.nunique()

    assert displayed("10", "l10-19").set_index("query").loc["forever"].astype(int).tolist() == [there, 0, 0]


def test_how_many_ids_are_remembered(received, lines):
    two_hours = 2 * HOUR
    _, remembered = _survivors(received, "event_time", two_hours, kept=two_hours)
    there = received.transaction_id.nunique()

    at_end = {line.split()[0]: int(line.split()[-1]) for line in lines("10", "l10-21")}

    assert at_end["forever"] == at_end["id_only"] == there
    assert at_end["event_2h"] == remembered


def test_a_merge_inserts_each_new_id_once_a_second_one_none_and_a_careless_one_every_row(received, displayed):
    inserted = [int(displayed("10", cell)["num_inserted_rows"].iloc[0]) for cell in ("l10-71", "l10-74", "l10-76")]

    assert inserted == [received.transaction_id.nunique(), 0, len(received)]
