"""A query's names of datasets become those of the definitions, where they differ by case only."""

from __future__ import annotations

import pytest

from declarative_pipelines.definitions.dataset_names import DatasetNames

NAMES = DatasetNames([("spark_catalog", "shop", "ORDERS"), ("spark_catalog", "other", "Items"), ("Recent",)])


def complete(name: str) -> list[str]:
    parts = name.split(".")
    return [*["spark_catalog", "shop"][: 3 - len(parts)], *parts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM orders", "SELECT * FROM `ORDERS`"),
        ("SELECT * FROM STREAM(orders) o", "SELECT * FROM STREAM(`ORDERS`) o"),
        ("SELECT * FROM STREAM Shop.orders", "SELECT * FROM STREAM `shop`.`ORDERS`"),
        ("TABLE recent", "TABLE `Recent`"),
        ("SELECT orders FROM `recent`, Orders", "SELECT orders FROM `Recent`, `ORDERS`"),
        ("SELECT * FROM (orders JOIN recent USING (items))", "SELECT * FROM (`ORDERS` JOIN `Recent` USING (items))"),
        ("SELECT 1 WHERE id IN (SELECT id FROM orders)", "SELECT 1 WHERE id IN (SELECT id FROM `ORDERS`)"),
        ("SELECT recent, 'FROM orders' FROM ORDERS", "SELECT recent, 'FROM orders' FROM ORDERS"),
        ("SELECT * FROM items -- FROM orders", "SELECT * FROM items -- FROM orders"),
        ("SELECT * FROM OTHER.items", "SELECT * FROM `other`.`Items`"),
        ("SELECT * FROM orders(1)", "SELECT * FROM orders(1)"),
    ],
)
def test_names_of_relations_are_those_of_the_definitions(text: str, expected: str) -> None:
    assert NAMES.in_text(text, complete) == expected
