"""Names in a query's text: what is replaced, and that nothing else is."""

from __future__ import annotations

import pytest

from declarative_pipelines.definitions.queries import CatalogMap, DatasetNames

MAP = CatalogMap.of({"pipelines.catalogs.Main": "main_", "pipelines.catalogs.samples": "", "shop.day": "1"})
NAMES = DatasetNames([("spark_catalog", "shop", "ORDERS"), ("spark_catalog", "other", "Items"), ("Recent",)])


@pytest.mark.parametrize(
    ("text", "mapped"),
    [
        ("SELECT * FROM main.retail.orders", "SELECT * FROM spark_catalog.`main_retail`.orders"),
        ("main.retail.orders", "spark_catalog.`main_retail`.orders"),
        (
            "SELECT `samples`.`a b`.t.id FROM STREAM(samples.`a b`.t)",
            "SELECT spark_catalog.`a b`.t.id FROM STREAM(spark_catalog.`a b`.t)",
        ),
        ("SELECT 'main.a.b' AS t -- main.a.b\nFROM main.a", "SELECT 'main.a.b' AS t -- main.a.b\nFROM main.a"),
        ("SELECT s.main.a.b FROM s", "SELECT s.main.a.b FROM s"),
        ("SELECT * FROM HIVE_METASTORE.shop.t", "SELECT * FROM spark_catalog.`shop`.t"),
        ("SELECT * FROM other.shop.t", "SELECT * FROM other.shop.t"),
    ],
)
def test_names_of_three_parts_are_mapped_and_nothing_else(text: str, mapped: str) -> None:
    assert MAP.in_text(text) == mapped


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
        ("SELECT count(*) AS orders FROM items -- orders", "SELECT count(*) AS orders FROM items -- orders"),
        ("SELECT * FROM OTHER.items", "SELECT * FROM `other`.`Items`"),
        ("SELECT * FROM orders(1)", "SELECT * FROM orders(1)"),
    ],
)
def test_names_of_relations_are_those_of_the_definitions(text: str, expected: str) -> None:
    def complete(name: str) -> list[str]:
        parts = name.split(".")
        return [*["spark_catalog", "shop"][: 3 - len(parts)], *parts]

    assert NAMES.in_text(text, complete) == expected
