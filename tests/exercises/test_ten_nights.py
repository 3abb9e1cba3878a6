"""What lab 08L keeps as right of its planted nights is what plain Python makes of the planted lines."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from lesson_exercises.lesson_08l.sales import Sale, land_quiet_night

from streaming_classroom.exercises import catalogue

NIGHTLY, DRIFTING = catalogue.check_module("08L.1"), catalogue.check_module("08L.5")
COLUMNS = ("sale_id", "play", "seats", "amount", "sold_at")
TOO_LARGE = "1.234567895E8"  # as Auto Loader writes a number that does not fit the column


@pytest.fixture
def box(tmp_path: Path) -> SimpleNamespace:
    """What the planted nights need of a sandbox: a place for files."""

    def file(name: str, rows: list[dict[str, object]]) -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return path

    return SimpleNamespace(file=file, folder=tmp_path)


def sales(folder: Path) -> list[Sale]:
    """Return each planted line that is JSON."""
    lines = [(path.name, line) for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()]
    return [Sale(name, json.loads(line)) for name, line in lines if line.endswith("}")]


def fits(sale: Sale) -> dict[str, object]:
    """Return the values of the contract's columns; an amount that is too large for its column does not fit."""
    values = {name: sale.fitting.get(name) for name in COLUMNS}
    amount = values["amount"]
    is_there = amount is not None and abs(amount) < 10**6
    return values | {"amount": str(Decimal(str(amount)).quantize(Decimal("0.01"))) if is_there else None}


def rescued(sale: Sale, also: dict[str, object]) -> str | None:
    """Return what does not fit, as the checks write it."""
    left = sale.rescued | also
    left |= {"amount": TOO_LARGE} if sale.fitting.get("amount", 0) > 10**6 else {}
    texts = [f"{name}={v if isinstance(v, str) else json.dumps(v, separators=(',', ':'))}" for name, v in left.items()]
    return ", ".join(sorted(texts)) or None


def kept(exercise: str, table: str) -> list[dict[str, object]]:
    """Return the rows of a table that are kept for an exercise's hidden test."""
    [rows] = [rows for name, rows in catalogue.expected_rows(exercise, 0) if name == table]
    found = [dict(zip(rows.columns, row, strict=True)) for row in rows.rows.elements()]
    return sorted(found, key=lambda row: str(row["sale_id"]))


def test_the_table_of_the_nightly_job(box: SimpleNamespace) -> None:
    for land in (land_quiet_night, NIGHTLY._other_types, NIGHTLY._two_new_fields, NIGHTLY._last_night):
        land(box)
    new = ("agent", "place", "voucher")
    expected = []
    for sale in sales(box.folder):
        texts = {name: sale.fields.get(name) for name in new}
        texts = {name: v if v is None or isinstance(v, str) else json.dumps(v) for name, v in texts.items()}
        also = {name: value for name, value in sale.new.items() if name not in new}
        expected.append(fits(sale) | texts | {"file": sale.file, "_rescued_data": rescued(sale, also)})
    assert kept("08L.1", "sales") == sorted(expected, key=lambda row: str(row["sale_id"]))


def test_the_lines_that_are_set_aside(box: SimpleNamespace) -> None:
    for land in (NIGHTLY._other_types, NIGHTLY._last_night):
        land(box)
    cut = [line for path in box.folder.iterdir() for line in path.read_text().splitlines() if not line.endswith("}")]
    [rows] = [rows for name, rows in catalogue.expected_rows("08L.1", 0) if name == "set_aside"]
    assert sorted(rows.rows.elements()) == sorted((line,) for line in cut)


@pytest.mark.parametrize(("table", "until"), [("board", "2024-03-09.json"), ("ledger", "2024-03-07.json")])
def test_the_board_has_every_sale_and_the_ledger_the_nights_before_the_new_field(
    box: SimpleNamespace, table: str, until: str
) -> None:
    DRIFTING._drifting_nights(box)
    DRIFTING._one_more_night(box)
    expected = [
        fits(sale) | {"_rescued_data": rescued(sale, sale.new)} for sale in sales(box.folder) if sale.file <= until
    ]
    assert kept("08L.5", table) == sorted(expected, key=lambda row: str(row["sale_id"]))
