"""Tab in a ``%sql`` cell, asked of a real kernel as JupyterLab asks it."""

from __future__ import annotations

import pytest


@pytest.fixture
def tables(notebook):
    notebook.ok("spark.sql('CREATE OR REPLACE TEMP VIEW heart_rates AS SELECT 1 AS device_id, 2 AS heartrate')")
    notebook.ok("spark.sql('CREATE OR REPLACE TEMP VIEW heaters AS SELECT 1 AS watts')")
    return notebook


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "offered"),
    [
        ("%sql\nSELECT * FROM hea", ["heart_rates", "heaters"]),
        ("%sql SELECT * FROM HEART", ["heart_rates"]),
        ("%%sql\nSELECT * FROM heat", ["heaters"]),
        ("\n%sql\nSELECT * FROM heart_rates WHERE dev", ["device_id"]),
        ("%sql\nSELECT * FROM heart_rates WHERE hea", ["heartrate", "heart_rates", "heaters"]),
        ("%sql\nSELECT * FROM heaters WHERE dev", []),
        ("%sql\nUSE defa", ["default"]),
        ("%sql\nSELECT * FROM nowhere.", []),
    ],
)
def test_names_that_begin_so_are_offered(tables, cell: str, offered: list[str]) -> None:
    assert tables.complete(cell) == offered


@pytest.mark.slow
def test_tables_of_another_database_are_offered(tables) -> None:
    tables.ok("%sql\nCREATE DATABASE IF NOT EXISTS other; CREATE TABLE IF NOT EXISTS other.rooms (n INT)")
    assert tables.complete("%sql\nSELECT * FROM other.ro") == ["other.rooms"]
    tables.ok("%sql DROP DATABASE other CASCADE")


def test_a_python_cell_is_completed_as_ever(tables) -> None:
    tables.ok("heart_of_python = 1")
    assert "heart_of_python" in tables.complete("heart_of_")
    assert "heart_rates" not in tables.complete("hea")
