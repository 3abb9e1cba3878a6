"""Catalogs that the session does not have, mapped to prefixes of databases."""

from __future__ import annotations

import pytest

from declarative_pipelines.sql.parameters import CatalogMap, how_to_map

MAP = CatalogMap.of({"pipelines.catalogs.Main": "main_", "pipelines.catalogs.samples": "", "shop.day": "1"})


@pytest.mark.parametrize(
    ("text", "mapped"),
    [
        ("SELECT * FROM main.retail.orders", "SELECT * FROM spark_catalog.`main_retail`.orders"),
        ("main.retail.orders", "spark_catalog.`main_retail`.orders"),
        ("SELECT `samples`.`a b`.t.id FROM STREAM(samples.`a b`.t)", None),
        ("SELECT 'main.a.b' AS t -- main.a.b\nFROM main.a", "SELECT 'main.a.b' AS t -- main.a.b\nFROM main.a"),
        ("SELECT s.main.a.b FROM s", "SELECT s.main.a.b FROM s"),
        ("SELECT * FROM HIVE_METASTORE.shop.t", "SELECT * FROM spark_catalog.`shop`.t"),
        ("SELECT * FROM other.shop.t", "SELECT * FROM other.shop.t"),
    ],
)
def test_names_of_three_parts_are_mapped_and_nothing_else(text: str, mapped: str | None) -> None:
    columns = "SELECT spark_catalog.`a b`.t.id FROM STREAM(spark_catalog.`a b`.t)"
    assert MAP.in_text(text) == (columns if mapped is None else mapped)


def test_a_database_in_a_catalog_has_the_catalogs_prefix() -> None:
    assert MAP.located("MAIN", "retail") == ("spark_catalog", "main_retail")
    assert MAP.located("other", "retail") == ("other", "retail")


def test_a_catalog_that_is_not_there_can_be_mapped_as_the_sentence_says() -> None:
    assert "configuration={'pipelines.catalogs.main': 'main_'}, main.a.b means main_a.b." in how_to_map("main")
