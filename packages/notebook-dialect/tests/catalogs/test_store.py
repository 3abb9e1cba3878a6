from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from notebook_dialect.catalogs.errors import CatalogError
from notebook_dialect.catalogs.store import CatalogStore


@pytest.fixture
def store(tmp_path: Path) -> CatalogStore:
    store = CatalogStore(tmp_path / "catalogs")
    store.create("CATALOG", ["main"])
    store.create("SCHEMA", ["main", "sales"])
    return store


def test_of_racing_creations_of_one_name_exactly_one_succeeds(store: CatalogStore) -> None:
    names = [["main", "sales", f"t{number % 25}"] for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        created = list(pool.map(lambda name: store.create("TABLE", name, if_missing=True), names))
    assert sum(created) == 25
    assert len(store.names("TABLE", "main", "sales")) == 25


def test_names_have_no_case(store: CatalogStore) -> None:
    store.create("TABLE", ["Main", "SALES", "Orders"])
    assert store.exists("TABLE", ["main", "sales", "orders"])
    with pytest.raises(CatalogError, match=r"\[TABLE_ALREADY_EXISTS\] The table main.sales.ORDERS exists already."):
        store.create("TABLE", ["main", "sales", "ORDERS"])


def test_what_is_missing_is_named_with_its_condition(store: CatalogStore) -> None:
    with pytest.raises(CatalogError, match=r"The volume `main`.`sales`.`files` cannot be found") as error:
        store.read("VOLUME", ["main", "sales", "files"])
    assert error.value.getCondition() == "VOLUME_NOT_FOUND"
    assert str(error.value).startswith("[VOLUME_NOT_FOUND] The volume")


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "a\\b"])
def test_a_name_leads_to_no_other_folder(store: CatalogStore, name: str) -> None:
    for parts in (["main", "sales", name], ["main", name, "t"], [name, "sales", "t"]):
        with pytest.raises(CatalogError, match=r"is not the name of a table"):
            store.create("TABLE", parts)


def test_undrop_brings_the_table_back_that_was_dropped_last(store: CatalogStore) -> None:
    name = ["main", "sales", "orders"]
    dropped = store.file("SCHEMA", name[:2]).parent / "dropped"
    dropped.mkdir()
    for time in (5, 40):
        (dropped / f"orders.{time}.json").write_text(json.dumps({"location": f"at {time}"}))
    store.undrop(name)
    assert store.read("TABLE", name) == {"location": "at 40"}
    assert store.dropped_tables(name[:2]) == [("orders", 5)]
    with pytest.raises(CatalogError, match=r"TABLE_OR_VIEW_ALREADY_EXISTS"):
        store.undrop(name)


def test_a_dropped_catalog_is_listed_no_longer(store: CatalogStore) -> None:
    store.forget_catalog("main")
    assert store.names("CATALOG") == []
