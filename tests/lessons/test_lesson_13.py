"""Lesson 13: the verdicts on a day of orders, and the late and repeated lines of the parcels, in plain Python."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

pytestmark = [pytest.mark.lesson("13"), pytest.mark.slow]


def _lines_of(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def _parsed(line: str) -> dict:
    """Return the object of a line, or an empty one if the line has none."""
    try:
        found = json.loads(line)
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _reason(line: str, customers: set[int]) -> str | None:
    """Return what is wrong with the line of an order, if anything is; none has two faults."""
    order = _parsed(line)
    if not order:
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


def test_each_order_of_the_example_has_its_verdict(dataset, shown):
    customers = set(pd.read_csv(dataset("retail") / "customers.csv").customer_id)
    lines = _lines_of(dataset("retail") / "orders" / "2025-03-03.json")

    table = shown("13", "l13-20")

    counted = dict(zip(table["reason"], table["count"].astype(int), strict=True))
    assert counted == Counter(_reason(line, customers) for line in lines)
    assert counted["unknown customer"] > 0


def test_how_many_lines_of_the_parcels_are_repeated_or_late(dataset, displayed):
    nights = sorted((dataset("parcels") / "deliveries").iterdir())
    lines = [(file.stem, _parsed(line)) for file in nights for line in _lines_of(file)]
    ids = [line["scan_id"] for _, line in lines if line.get("scan_id")]
    late = [night for night, line in lines if line.get("delivered_at") and line["delivered_at"][:10] < night]

    [counted] = displayed("13", "l13-229").astype(int).to_dict("records")

    assert counted == {"lines": len(lines), "repeats": len(ids) - len(set(ids)), "late_lines": len(late)}
