"""Lesson 10J: what an outer join emits after each landing, computed without Spark."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest

pytestmark = [pytest.mark.lesson("10J"), pytest.mark.slow]

#: The orders of the shop's morning and when each was paid, in hours and minutes, in the order in which rows arrive.
_MORNING = (
    {"orders": {"A": "09:00", "B": "09:05", "C": "09:12"}},
    {"payments": {"A": "09:04"}},
    {"orders": {"D": "10:30"}},
    {"payments": {"C": "09:50"}},
    {"payments": {"D": "10:32"}},
    {"orders": {"E": "10:40"}},
)
_HALF_HOUR, _DELAY = timedelta(minutes=30), timedelta(minutes=10)


def _emitted(batches, beat: str | None = None) -> dict[str, str | None]:
    """Return each order that a left outer join has emitted, with its payment or None."""
    orders, payments = ({}, {})
    for batch in batches:
        orders |= {name: pd.Timestamp(time) for name, time in batch.get("orders", {}).items()}
        payments |= {name: pd.Timestamp(time) for name, time in batch.get("payments", {}).items()}
    times = [*payments.values(), *([pd.Timestamp(beat)] if beat else [])]
    if not times:
        return {}
    watermark = min(max(orders.values()), max(times)) - _DELAY
    in_time = {name: at for name, at in payments.items() if orders[name] <= at <= orders[name] + _HALF_HOUR}
    final = {name for name, at in orders.items() if at + _HALF_HOUR < watermark}
    return {name: f"{in_time[name]:%H:%M}" if name in in_time else None for name in sorted(final | set(in_time))}


@pytest.mark.parametrize(
    ("cell", "batches"), [("l10J-41", 2), ("l10J-43", 3), ("l10J-45", 4), ("l10J-47", 5), ("l10J-51", 6)]
)
def test_what_the_outer_join_has_emitted_after_each_landing(shown, cell, batches):
    table = shown("10J", cell)

    assert dict(zip(table.order_id, table.paid, strict=True)) == _emitted(_MORNING[:batches])


def test_a_heartbeat_of_the_payments_alone_does_not_emit_the_last_order(shown):
    table = shown("10J", "l10J-86")

    assert dict(zip(table.order_id, table.paid, strict=True)) == _emitted(_MORNING, beat="11:30")
