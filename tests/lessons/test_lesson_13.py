"""Lesson 13: what quarantine, silver and gold must hold, computed with pandas from the dataset's files."""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal

import pandas as pd
import pytest

pytestmark = [pytest.mark.lesson("13"), pytest.mark.slow]

Order = dict[str, object]
DAYS = 8  # that have landed when the lesson counts; the exercise has the other two


@pytest.fixture(scope="module")
def delivered(dataset) -> list[str]:
    """Every line of the days that have landed."""
    return [line for file in sorted((dataset("retail") / "orders").iterdir())[:DAYS] for line in _lines_of(file)]


@pytest.fixture(scope="module")
def repaired(dataset) -> list[Order]:
    """The orders that support put right."""
    return [json.loads(line) for line in _lines_of(dataset("retail") / "orders-repaired.json")]


@pytest.fixture(scope="module")
def customers(dataset) -> set[int]:
    """Who is known to the shop when the days have landed."""
    return _known(dataset, DAYS)


def _known(dataset, days: int) -> set[int]:
    snapshot = pd.read_csv(dataset("retail") / "customers.csv").customer_id
    files = sorted((dataset("retail") / "customer-changes").iterdir())[:days]
    return {*snapshot, *(json.loads(line)["customer_id"] for file in files for line in _lines_of(file))}


def _lines_of(file) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def _reason(line: str, customers: set[int]) -> str | None:
    """Return what is wrong with a line, if anything is; none has two faults."""
    try:
        order = json.loads(line)
    except json.JSONDecodeError:
        return "unreadable"
    faults = {
        "bad time": not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", order["ordered_at"]),
        "no customer": order["customer_id"] is None,
        "unknown customer": order["customer_id"] is not None and order["customer_id"] not in customers,
        "bad quantity": any(item["quantity"] <= 0 for item in order["items"]),
    }
    found = [fault for fault, is_there in faults.items() if is_there]
    assert len(found) <= 1
    return found[0] if found else None


@pytest.fixture(scope="module")
def reasons(delivered: list[str], customers: set[int]) -> pd.Series:
    return pd.Series([_reason(line, customers) for line in delivered], dtype=object)


@pytest.fixture(scope="module")
def good(delivered: list[str], reasons: pd.Series) -> list[Order]:
    """The good lines, repeats among them."""
    return [json.loads(line) for line, reason in zip(delivered, reasons, strict=True) if reason is None]


def _by_day(orders: list[Order]) -> dict[str, list[str]]:
    """Return number and revenue of the orders of each day, as text."""
    once = {order["order_id"]: order for order in orders}.values()
    frame = pd.DataFrame({"day": order["ordered_at"][:10], "revenue": _revenue(order)} for order in once)
    days = frame.groupby("day")["revenue"].agg(["size", "sum"])
    return {day: [str(count), f"{revenue:.2f}"] for day, count, revenue in days.itertuples()}


def _revenue(order: Order) -> Decimal:
    return sum(item["quantity"] * Decimal(str(item["price"])) for item in order["items"])


def test_every_bad_line_is_in_quarantine_with_its_reason(reasons, displayed):
    table = displayed("13", "l13-16").set_index("reason").lines.astype(int)

    assert table.to_dict() == reasons.value_counts().to_dict()


def test_every_line_is_somewhere(delivered, reasons, good, repaired, lines):
    once = {order["order_id"] for order in good}
    bad, repeats = reasons.notna().sum(), len(good) - len(once)

    before, after = lines("13", "l13-30")[-1], lines("13", "l13-33")[-1]

    assert before == f"{len(delivered)} lines = {len(once)} orders + {bad} in quarantine + {repeats} repeats"
    assert after.startswith(f"{len(delivered) + len(repaired)} lines = {len(once) + len(repaired)} orders + {bad} in")


def test_the_repair_changes_the_report_by_what_was_repaired(repaired, shown):
    table = shown("13", "l13-35").set_index("day")

    assert {day: [row.orders, row.revenue] for day, row in table.iterrows()} == _by_day(repaired)


def test_orders_wait_for_their_customers_and_are_tried_again(dataset, delivered, displayed):
    week = delivered[: sum(len(_lines_of(file)) for file in sorted((dataset("retail") / "orders").iterdir())[:7])]
    counts = [Counter(_reason(line, _known(dataset, days)) for line in week)["unknown customer"] for days in (0, 7)]

    there = [displayed("13", cell).set_index("reason").lines for cell in ("l13-118", "l13-16")]

    assert [int(lines["unknown customer"]) for lines in there] == counts
    assert counts[0] > counts[1]
