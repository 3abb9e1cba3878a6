"""Lesson 10: what is left of repeats and what joins bring, computed with pandas from the dataset's files."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest

FILES = 14  # half hours that the lesson lands
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def received(dataset) -> pd.DataFrame:
    """The transactions that the lesson lands, in the order of arrival, with the number of their file."""
    files = sorted((dataset("bank") / "transactions").iterdir())[:FILES]
    frame = pd.concat(_json(file).assign(part=part) for part, file in enumerate(files))
    return frame.assign(**{time: pd.to_datetime(frame[time]) for time in ("event_time", "received_at")})


@pytest.fixture(scope="module")
def orders(dataset) -> pd.DataFrame:
    """Each readable order once, with the time of its payment if that is within the hour."""
    once = _all(dataset("retail") / "orders").drop_duplicates("order_id")
    once = once.assign(ordered_at=pd.to_datetime(once.ordered_at, format="%Y-%m-%dT%H:%M:%SZ", errors="coerce"))
    statuses = _all(dataset("retail") / "order-statuses")
    paid = statuses[statuses.status == "paid"].set_index("order_id").changed_at
    once = once.dropna(subset="ordered_at").assign(paid_at=pd.to_datetime(once.order_id.map(paid), utc=True))
    once["paid_at"] = once.paid_at.dt.tz_localize(None).where(lambda at: at - once.ordered_at <= HOUR)
    return once


@pytest.fixture(scope="module")
def watermark(dataset, orders: pd.DataFrame) -> pd.Timestamp:
    """Twelve hours behind the newest row of the slower stream."""
    statuses = _all(dataset("retail") / "order-statuses")
    newest_payment = pd.to_datetime(statuses[statuses.status == "paid"].changed_at).max().tz_localize(None)
    return min(orders.ordered_at.max(), newest_payment) - 12 * HOUR


def _json(file) -> pd.DataFrame:
    return pd.read_json(file, lines=True, convert_dates=False, dtype={"transaction_id": str})


def _all(folder) -> pd.DataFrame:
    """Return all lines of a folder that are JSON."""
    lines = pd.Series([line for file in sorted(folder.iterdir()) for line in file.read_text("utf-8").splitlines()])
    return pd.DataFrame([pd.io.json.ujson_loads(line) for line in lines[lines.str.endswith("}")]])


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


def test_how_often_a_transaction_comes(received, shown):
    times = received.transaction_id.value_counts().value_counts().sort_index()

    assert [tuple(map(int, row)) for row in shown("10", "l10-07").to_numpy()] == list(times.items())


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
def test_what_a_deduplication_lets_through_and_loses(received, shown, query, time, minutes):
    delay = timedelta(minutes=minutes)
    passed, _ = _survivors(received, time, delay, kept=delay)

    judged = shown("10", "l10-19").set_index("query").loc[query].astype(int)

    there = received.transaction_id.nunique()
    assert judged.tolist() == [len(passed), len(passed) - len(set(passed)), there - len(set(passed))]


def test_without_forgetting_each_transaction_comes_once(received, shown):
    there = received.transaction_id.nunique()

    assert shown("10", "l10-19").set_index("query").loc["for_ever"].astype(int).tolist() == [there, 0, 0]


def test_how_many_ids_are_remembered(received, lines):
    two_hours = 2 * HOUR
    _, remembered = _survivors(received, "event_time", two_hours, kept=two_hours)
    there = received.transaction_id.nunique()

    at_end = {line.split()[0]: int(line.split()[-1]) for line in lines("10", "l10-21")}

    assert at_end["for_ever"] == at_end["id_only"] == there
    assert at_end["event_2h"] == remembered


def test_which_orders_are_paid_within_the_hour(orders, watermark, shown):
    final = orders[orders.paid_at.notna() | (orders.ordered_at + HOUR < watermark)]
    by_day = final.groupby(final.ordered_at.dt.strftime("%Y-%m-%d"))["paid_at"].agg(["size", "count"])

    table = shown("10", "l10-62").set_index("day").astype(int)

    assert table.orders.to_dict() == by_day["size"].to_dict()
    assert table.paid.to_dict() == by_day["count"].to_dict()
    assert (table.orders - table.paid == table.not_paid).all()


def test_the_orders_that_are_still_inside(orders, watermark, lines):
    inside = orders[orders.paid_at.isna() & (orders.ordered_at + HOUR >= watermark)]

    assert lines("10", "l10-64")[1] == f"not yet out of the stream: {len(inside)}  of them paid: 0"
