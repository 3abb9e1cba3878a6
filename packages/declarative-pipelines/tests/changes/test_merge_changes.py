"""The target is one function of all changes, in whatever order, batches and repetitions they came."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from change_oracle import Change, type_1, type_2
from declarative_pipelines.changes.auto_cdc import target_schema
from declarative_pipelines.changes.change_errors import BadChangeFlow, BadChanges, ChangedFlow
from declarative_pipelines.changes.change_log import forget_changes, log_name

# Each example has many keys, each of them a feed of its own: few examples say much.
FEW = settings(
    max_examples=5,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    database=None,
)
KINDS = {
    "type 1": ({}, lambda log: type_1(log)),
    "type 1 without NULLs": ({"ignore_null_updates": True}, lambda log: type_1(log, ignore_nulls=True)),
    "type 2": ({"scd_type": 2}, lambda log: type_2(log)),
    "type 2 of one column, without NULLs": (
        {"scd_type": 2, "ignore_null_updates": True, "history_columns": ("city",)},
        lambda log: type_2(log, ignore_nulls=True, tracked=("city",)),
    ),
}


@st.composite
def feeds(draw: st.DrawFn, truncates: bool) -> list[list[Change]]:
    """Batches of changes of some forty keys: late, repeated, deleted, several of one key in one batch."""
    chance = draw(st.randoms(use_true_random=True))
    log = []
    for key in range(40):
        for seq in chance.sample(range(10), chance.randint(1, 6)):
            deletes = chance.random() < 0.3
            values = (None, None) if deletes else (chance.choice((None, "a", "b")), chance.choice((None, "c", "d")))
            log.append(Change(key, seq, "D" if deletes else "U", *values))
    log += [Change(0, chance.randrange(8), "T")] if truncates else []
    log += chance.sample(log, 20)
    chance.shuffle(log)
    cuts = [chance.randrange(1, len(log))]
    batches = [log[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(log)], strict=True)]
    return [*batches, chance.choice(batches)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_target_is_what_all_changes_say_in_order(kind, flow, merge, rows, new_target):
    given_flow, expected = KINDS[kind]
    truncates = "scd_type" not in given_flow

    @FEW
    @given(feeds(truncates))
    def check(batches: list[list[Change]]) -> None:
        target, seen = new_target(), []
        how = flow(**given_flow, apply_as_truncates="op = 'T'" if truncates else None)
        for number, batch in enumerate(batches):
            merge(how, target, batch, number)
            seen += batch
            assert rows(target) == expected(seen)

    check()


@pytest.mark.slow
def test_a_late_change_takes_its_place_in_the_history(flow, merge, rows, new_target):
    target, how = new_target(), flow(scd_type=2)
    merge(how, target, [Change(1, 10, "U", "Ada", "Rome"), Change(1, 30, "U", "Ada", "Rome")])
    assert rows(target) == {(1, "Ada", "Rome", 10, None)}
    merge(how, target, [Change(1, 20, "U", "Ada", "Oslo")])
    assert rows(target) == {(1, "Ada", "Rome", 10, 20), (1, "Ada", "Oslo", 20, 30), (1, "Ada", "Rome", 30, None)}
    merge(how, target, [Change(1, 15, "D")])
    assert (1, "Ada", "Rome", 10, 15) in rows(target) and (1, "Ada", "Oslo", 20, 30) in rows(target)


@pytest.mark.slow
def test_a_version_that_begins_earlier_than_was_known_replaces_the_later_one(flow, merge, rows, new_target):
    target, how = new_target(), flow(scd_type=2)
    merge(how, target, [Change(1, 10, "U", "Ada", "Rome")])
    counts = merge(how, target, [Change(1, 5, "U", "Ada", "Rome")])
    assert rows(target) == {(1, "Ada", "Rome", 5, None)}
    assert (counts.inserted, counts.deleted) == (1, 1)


@pytest.mark.slow
def test_a_deleted_key_is_in_the_hidden_table_only_and_stays_deleted(spark, flow, merge, rows, new_target):
    target, how = new_target(), flow()
    merge(how, target, [Change(1, 1, "U", "Ada", "Rome"), Change(2, 1, "U", "Bo", "Oslo")])
    counts = merge(how, target, [Change(1, 5, "D")])
    assert (rows(target), counts.deleted) == ({(2, "Bo", "Oslo")}, 1)
    merge(how, target, [Change(1, 4, "U", "Ada", "Bonn")])
    assert rows(target) == {(2, "Bo", "Oslo")}
    hidden = spark.table(log_name(target)).where("id = 1").select("__operation", "name", "city").collect()
    assert [tuple(row) for row in hidden] == [("delete", None, None)]


@pytest.mark.slow
def test_a_batch_that_comes_again_changes_nothing(flow, merge, new_target):
    target, batch = new_target(), [Change(1, 1, "U", "Ada", "Rome"), Change(2, 2, "D")]
    merge(flow(), target, batch)
    again = merge(flow(), target, batch)
    assert (again.changes, again.upserted, again.deleted) == (2, 0, 0)


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
        crash.setattr("declarative_pipelines.changes.auto_cdc.bring_in_line", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            merge(how, target, batch)
    assert rows(target) == before
    merge(how, target, batch)
    expected = type_1 if scd_type == 1 else type_2
    assert rows(target) == expected([Change(1, 1, "U", "Ada", "Rome"), *batch])


@pytest.mark.slow
def test_two_changes_with_one_sequence_give_the_same_in_either_order(flow, merge, rows, new_target):
    first, second = new_target(), new_target()
    changes = [Change(1, 1, "U", "Ada", "Rome"), Change(1, 1, "U", "Eve", "Oslo")]
    for target, order in ((first, changes), (second, changes[::-1])):
        for change in order:
            merge(flow(), target, [change])
    assert rows(first) == rows(second) != set()


@pytest.mark.slow
def test_of_an_upsert_and_a_delete_with_one_sequence_the_delete_wins_in_either_order(flow, merge, rows, new_target):
    changes = [Change(1, 1, "U", "Ada", "Rome"), Change(1, 1, "D")]
    for kind, order in itertools.product((1, 2), (changes, changes[::-1])):
        target = new_target()
        for change in order:
            merge(flow(scd_type=kind), target, [change])
        assert rows(target) == set()


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
def test_another_key_than_before_asks_for_a_full_refresh(spark, flow, merge, rows, new_target):
    target = new_target()
    merge(flow(), target, [Change(1, 1, "U", "Ada", "Rome")])
    with pytest.raises(ChangedFlow, match=r"keys from id to id, city\. Run a full refresh"):
        merge(flow(keys=("id", "city")), target, [Change(1, 2, "U", "Ada", "Oslo")])
    forget_changes(spark, target)
    spark.sql(f"TRUNCATE TABLE {target}")
    merge(flow(keys=("id", "city")), target, [Change(1, 2, "U", "Ada", "Oslo")])
    assert rows(target) == {(1, "Ada", "Oslo")}


def test_a_key_that_the_target_does_not_have_is_refused(flow, merge, new_target):
    with pytest.raises(BadChangeFlow, match="the key id is not among the columns"):
        merge(flow(columns=("name",), except_columns=None), new_target(), [Change(1, 1, "U")])


@pytest.mark.slow
def test_a_new_column_is_added(spark, flow, merge, rows, new_target):
    target = new_target()
    merge(flow(except_columns=("op", "seq", "city")), target, [Change(1, 1, "U", "Ada", "Rome")])
    merge(flow(), target, [Change(2, 1, "U", "Bo", "Oslo")])
    assert rows(target) == {(1, "Ada", None), (2, "Bo", "Oslo")}


@pytest.mark.slow
def test_the_schema_is_known_before_the_first_batch(spark, flow, merge, new_target):
    target, how = new_target(), flow(scd_type=2)
    merge(how, target, [Change(1, 1, "U")])
    feed = spark.createDataFrame([], "id INT, seq LONG, op STRING, name STRING, city STRING")
    assert target_schema(how, feed) == spark.table(target).schema


@pytest.mark.slow
def test_fields_and_maps_are_values_too(spark, flow, rows, new_target):
    from declarative_pipelines.changes.auto_cdc import merge_changes

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
    from declarative_pipelines.changes.auto_cdc import merge_changes

    database, name = new_target().split(".")
    target, how = f"`{database}`.`{name}`", flow(keys=("the.id",), scd_type=2, except_columns=("SEQ",))
    batch = spark.createDataFrame([(1, 1, "U", "Ada")], "`the.id` INT, seq LONG, op STRING, `order` STRING")
    merge_changes(spark, how, batch, 0, target)
    assert [tuple(row) for row in spark.table(target).collect()] == [(1, "U", "Ada", 1, None)]


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [{"null_columns": ("name",)}, {"null_except_columns": ("CITY",)}])
@pytest.mark.parametrize("scd_type", [1, 2])
def test_nulls_are_ignored_in_the_columns_that_were_chosen(chosen, scd_type, flow, merge, rows, new_target):
    target, how = new_target(), flow(scd_type=scd_type, ignore_null_updates=True, **chosen)
    merge(how, target, [Change(1, 1, "U", "Ada", "Rome")])
    merge(how, target, [Change(1, 2, "U", None, None)])
    times = {1: {()}, 2: {(2, None)}}[scd_type]
    assert {row for row in rows(target) if "Rome" not in row} == {(1, "Ada", None, *more) for more in times}


@pytest.mark.slow
def test_other_columns_in_which_nulls_are_ignored_need_a_full_refresh(flow, merge, new_target):
    target = new_target()
    merge(flow(ignore_null_updates=True, null_columns=("name",)), target, [Change(1, 1, "U", "Ada", "Rome")])
    with pytest.raises(ChangedFlow, match="IGNORE NULL UPDATES from on name to true"):
        merge(flow(ignore_null_updates=True), target, [Change(1, 2, "U", "Ada", "Rome")])


@pytest.mark.slow
def test_a_change_that_does_not_meet_where_fails_the_batch(flow, merge, rows, new_target):
    target, how = new_target(), flow(where="seq > 1")
    merge(how, target, [Change(1, 2, "U", "Ada", "Rome")])
    with pytest.raises(BadChanges, match="1 change does not meet where=seq > 1, which all must meet"):
        merge(how, target, [Change(1, 3, "U", "Ada", "Oslo"), Change(1, 1, "U", "Ada", "Bonn")])
    assert rows(target) == {(1, "Ada", "Rome")}
