"""Lesson 10X: the orders of ten days and their payments, computed with pandas from the dataset's files."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest

pytestmark = [pytest.mark.lesson("10X"), pytest.mark.slow]

HOUR = timedelta(hours=1)


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


def _all(folder) -> pd.DataFrame:
    """Return all lines of a folder that are JSON."""
    lines = pd.Series([line for file in sorted(folder.iterdir()) for line in file.read_text("utf-8").splitlines()])
    return pd.DataFrame([pd.io.json.ujson_loads(line) for line in lines[lines.str.endswith("}")]])


def test_which_orders_are_paid_within_the_hour(orders, watermark, shown):
    final = orders[orders.paid_at.notna() | (orders.ordered_at + HOUR < watermark)]
    by_day = final.groupby(final.ordered_at.dt.strftime("%Y-%m-%d"))["paid_at"].agg(["size", "count"])

    table = shown("10X", "l10X-13").set_index("day").astype(int)

    assert table.orders.to_dict() == by_day["size"].to_dict()
    assert table.paid.to_dict() == by_day["count"].to_dict()
    assert (table.orders - table.paid == table.not_paid).all()


def test_the_orders_that_are_still_inside(orders, watermark, lines):
    inside = orders[orders.paid_at.isna() & (orders.ordered_at + HOUR >= watermark)]

    assert lines("10X", "l10X-15")[1] == f"not yet out of the stream: {len(inside)}  of them paid: 0"


def test_a_constant_as_the_id_of_heartbeats_loses_a_payment_that_was_made_in_time(lines):
    made = {"F": "10:10", "G": None}
    *_, by_time, by_constant = lines("10X", "l10X-22")
    assert by_time == f"ids from the time: {made}"
    assert by_constant == f"a constant:        {made | {'F': None}}"
