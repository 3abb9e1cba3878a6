"""The target is one function of all changes, in whatever order, batches and repetitions they came."""

from __future__ import annotations

import pytest

from change_oracle import Change, type_1, type_2
from declarative_pipelines.engine.auto_cdc import merge_changes, target_schema
from declarative_pipelines.engine.change_rows import BadChangeFlow, BadChanges, forget_changes, log_name


@pytest.mark.slow
def test_a_deleted_key_is_in_the_hidden_table_only_and_a_batch_again_writes_nothing(
    spark, flow, merge, rows, written, new_target
):
    target, how = new_target(), flow()
    batch = [Change(1, 1, "U", "Ada", "Rome"), Change(2, 1, "U", "Bo", "Oslo"), Change(1, 5, "D")]
    for expected in ((1, 0, 0), (0, 0, 0)):
        merge(how, target, batch)
        assert (rows(target), written(target)) == ({(2, "Bo", "Oslo")}, expected)
    hidden = spark.table(log_name(target)).where("id = 1").select("__operation", "name", "city").collect()
    assert [tuple(row) for row in hidden] == [("delete", None, None)]


@pytest.mark.slow
@pytest.mark.parametrize("scd_type", [1, 2])
def test_a_crash_between_the_two_commits_is_mended_by_the_batch(
    scd_type, flow, merge, rows, new_target, monkeypatch: pytest.MonkeyPatch
):
    target, how = new_target(), flow(scd_type=scd_type)
    merge(how, target, [Change(1, 1, "U", "Ada", "Rome")])
    before = rows(target)
    batch = [Change(1, 2, "U", "Ada", "Oslo"), Change(2, 1, "U", "Bo", "Bonn")]
    with monkeypatch.context() as crash:
        crash.setattr("declarative_pipelines.engine.auto_cdc.merge_rows", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            merge(how, target, batch)
    assert rows(target) == before
    merge(how, target, batch)
    expected = type_1 if scd_type == 1 else type_2
    assert rows(target) == expected([Change(1, 1, "U", "Ada", "Rome"), *batch])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([Change(None, 1, "U"), Change(None, 2, "U")], "batch 7: 2 changes have a NULL in the key (id)."),
        ([Change(1, None, "U")], "batch 7: 1 change has a NULL in the sequence."),
    ],
)
def test_changes_without_key_or_order_are_refused_whole(changes, words, spark, flow, merge, new_target):
    target = new_target()
    with pytest.raises(BadChanges) as refused:
        merge(flow(), target, [Change(2, 1, "U"), *changes], 7)
    assert words in str(refused.value)
    assert not spark.catalog.tableExists(target)


@pytest.mark.slow
def test_a_struct_orders_by_its_fields_in_turn(flow, merge, rows, new_target):
    target, how = (
        new_target(),
        flow(sequence_by="struct(seq, name)", scd_type=2, columns=("id", "city"), except_columns=None),
    )
    merge(how, target, [Change(1, 1, "U", "b", "Oslo"), Change(1, 1, "U", "a", "Rome")])
    assert rows(target) == {(1, "Rome", (1, "a"), (1, "b")), (1, "Oslo", (1, "b"), None)}
    with pytest.raises(BadChanges, match="NULL in the sequence"):
        merge(how, target, [Change(1, 2, "U", None, "Bonn")])


@pytest.mark.slow
def test_a_flow_that_has_changed_asks_for_a_full_refresh(spark, flow, merge, rows, new_target):
    target = new_target()
    merge(flow(ignore_null_updates=True, null_columns=("name",)), target, [Change(1, 1, "U", "Ada", "Rome")])
    changed, batch = flow(keys=("id", "city")), [Change(1, 2, "U", "Ada", "Oslo")]
    with pytest.raises(BadChangeFlow, match=r"keys from id to id, city, IGNORE .* from on name to false\. Run a full"):
        merge(changed, target, batch)
    forget_changes(spark, target)
    spark.sql(f"TRUNCATE TABLE {target}")
    merge(changed, target, batch)
    assert rows(target) == {(1, "Ada", "Oslo")}


def test_a_key_that_the_target_does_not_have_is_refused(flow, merge, new_target):
    with pytest.raises(BadChangeFlow, match="the key id is not among the columns"):
        merge(flow(columns=("name",), except_columns=None), new_target(), [Change(1, 1, "U")])


@pytest.mark.slow
def test_a_new_column_is_added_and_the_schema_is_known_before_the_batch(spark, flow, merge, rows, new_target):
    target = new_target()
    merge(flow(except_columns=("op", "seq", "city"), scd_type=2), target, [Change(1, 1, "U", "Ada", "Rome")])
    assert spark.table(target).schema == target_schema(
        flow(except_columns=("op", "seq", "city"), scd_type=2),
        spark.createDataFrame([], "id INT, seq LONG, op STRING, name STRING, city STRING"),
    )
    merge(flow(scd_type=2), target, [Change(2, 1, "U", "Bo", "Oslo")])
    assert rows(target) == {(1, "Ada", 1, None, None), (2, "Bo", 1, None, "Oslo")}


@pytest.mark.slow
def test_fields_and_maps_are_values_too(spark, flow, rows, new_target):
    target, how = new_target(), flow(ignore_null_updates=True, apply_as_deletes=None, except_columns=("seq",))
    for seq, location, tags in ((1, (None, "Rome"), {"a": 1}), (2, ("IT", None), None)):
        batch = spark.createDataFrame(
            [(1, seq, location, tags)],
            "id INT, seq LONG, place STRUCT<country: STRING, city: STRING>, tags MAP<STRING, INT>",
        )
        merge_changes(spark, how, batch, 0, target)
    assert spark.table(target).collect()[0].asDict(recursive=True) == {
        "id": 1,
        "place": {"country": "IT", "city": "Rome"},
        "tags": {"a": 1},
    }


@pytest.mark.slow
def test_names_of_any_kind(spark, flow, new_target):
    database, name = new_target().split(".")
    target, how = f"`{database}`.`{name}`", flow(keys=("the.id",), scd_type=2, except_columns=("SEQ",))
    batch = spark.createDataFrame([(1, 1, "U", "Ada")], "`the.id` INT, seq LONG, op STRING, `order` STRING")
    merge_changes(spark, how, batch, 0, target)
    assert [tuple(row) for row in spark.table(target).collect()] == [(1, "U", "Ada", 1, None)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chosen", "scd_type", "times"),
    [({"null_columns": ("name",)}, 1, ()), ({"null_except_columns": ("CITY",)}, 2, (2, None))],
)
def test_nulls_are_ignored_in_the_columns_that_were_chosen(chosen, scd_type, times, flow, merge, rows, new_target):
    target, how = new_target(), flow(scd_type=scd_type, ignore_null_updates=True, **chosen)
    merge(how, target, [Change(1, 1, "U", "Ada", "Rome")])
    merge(how, target, [Change(1, 2, "U", None, None)])
    assert {row for row in rows(target) if "Rome" not in row} == {(1, "Ada", None, *times)}


@pytest.mark.slow
def test_a_change_that_does_not_meet_where_fails_the_batch(spark, flow, merge, new_target):
    target, how = new_target(), flow(where="seq > 1")
    with pytest.raises(BadChanges, match="1 change does not meet where=seq > 1, which all must meet"):
        merge(how, target, [Change(1, 3, "U", "Ada", "Oslo"), Change(1, 1, "U", "Ada", "Bonn")])
    assert not spark.catalog.tableExists(target)
