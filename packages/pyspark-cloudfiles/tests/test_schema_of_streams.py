"""Inference, hints, evolution modes and rescued data, seen through running streams."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException, StreamingQueryException

if TYPE_CHECKING:
    from conftest import Ingestion


def types(ingestion: Ingestion, **options: Any) -> dict[str, str]:
    return {field.name: field.dataType.simpleString() for field in ingestion.frame(**options).schema.fields}


def rescued(ingestion: Ingestion) -> list[dict | None]:
    texts = [row["_rescued_data"] for row in ingestion.rows("id", "_rescued_data")]
    found = [None if text is None else json.loads(text) for text in texts]
    for content in found:
        if content is not None:
            content["_file_path"] = content["_file_path"].rsplit("/", 1)[-1]
    return found


@pytest.mark.slow
def test_every_column_of_json_is_a_string_and_nested_objects_are_their_text(ingestion: Ingestion):
    ingestion.put("a.json", '{"id": 1.50, "user": {"name":  "x"}, "ok": true}')
    assert types(ingestion) == {"id": "string", "ok": "string", "user": "string", "_rescued_data": "string"}
    ingestion.run()
    assert tuple(ingestion.rows()[0]) == ("1.50", "true", '{"name":  "x"}', None)


def test_types_are_inferred_on_request(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1, "x": 1.5, "user": {"name": "x"}, "tags": ["a"]})
    assert types(ingestion, inferColumnTypes=True) == {
        "id": "bigint", "tags": "array<string>", "user": "struct<name:string>", "x": "double",
        "_rescued_data": "string",
    }  # fmt: skip


def test_the_session_says_how_many_files_a_schema_is_inferred_from(ingestion: Ingestion):
    for name in "abc":
        ingestion.put(f"{name}.json", {name: 1})
    setting = "spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles"
    ingestion.spark.conf.set(setting, "1")
    try:
        assert len(types(ingestion)) == 2  # of one file, and the rescued column
    finally:
        ingestion.spark.conf.unset(setting)
    ingestion.checkpoint = "another"
    assert list(types(ingestion)) == ["a", "b", "c", "_rescued_data"]


def test_the_schema_is_found_once_and_then_kept(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.frame()
    ingestion.put("b.json", {"id": 1, "more": 2})
    assert list(types(ingestion)) == ["id", "_rescued_data"]
    assert (ingestion.root / "checkpoint" / "_schemas" / "0").is_file()


@pytest.mark.slow
def test_hints_change_types_and_add_columns_whose_arrival_is_no_surprise(ingestion: Ingestion):
    ingestion.options["schemaHints"] = "id BIGINT, currency STRING"
    ingestion.put("a.json", {"id": 1})
    assert types(ingestion)["id"] == "bigint"
    ingestion.run()
    ingestion.put("b.json", {"id": 2, "currency": "USD"})
    ingestion.run()
    assert [(row["id"], row["currency"]) for row in ingestion.rows("id", "currency")] == [(1, None), (2, "USD")]


def test_nothing_to_infer_from_is_said(ingestion: Ingestion):
    with pytest.raises(AnalysisException, match="CF_EMPTY_DIR_FOR_SCHEMA_INFERENCE"):
        ingestion.frame()


def test_inference_needs_a_place_to_keep_the_schema(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    reader = ingestion.spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    with pytest.raises(AnalysisException, match="schemaLocation"):
        reader.load(ingestion.url("in"))


def test_a_schema_location_of_another_stream_is_refused(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.frame()
    (ingestion.root / "other").mkdir()
    reader = ingestion.spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    with pytest.raises(AnalysisException, match="belongs to another stream"):
        reader.option("cloudFiles.schemaLocation", ingestion.url("checkpoint")).load(ingestion.url("other"))


@pytest.mark.parametrize("typo", ["cloudFiles.pathGlobFilter", "cloudFiles.shemaHints"])
def test_a_typo_in_an_option_is_an_error_at_load(ingestion: Ingestion, typo: str):
    ingestion.put("a.json", {"id": 1})
    reader = ingestion.spark.readStream.format("cloudFiles").option("cloudFiles.format", "json").option(typo, "x")
    with pytest.raises(AnalysisException) as error:
        reader.load(ingestion.url("in"))
    assert str(error.value).startswith("[CF_UNKNOWN_OPTION_KEYS_ERROR]")


def test_a_new_column_fails_once_and_is_there_after_a_restart(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("b.json", {"id": 2, "currency": "USD"})
    with pytest.raises(StreamingQueryException) as error:
        ingestion.run()
    text = (
        "[UNKNOWN_FIELD_EXCEPTION.NEW_FIELDS_IN_RECORD_WITH_FILE_PATH] Encountered unknown fields during parsing: "
        '{"currency":"USD"}, which can be fixed by an automatic retry: true'
    )
    assert str(error.value).startswith(text) and "UnknownFieldException" in str(error.value)
    ingestion.run()
    assert [tuple(row) for row in ingestion.rows("id", "currency")] == [("1", None), ("2", "USD")]


@pytest.mark.slow
def test_one_restart_is_enough_for_all_new_columns_of_a_batch(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    for number in range(3):
        ingestion.put(f"b{number}.json", {"id": 2 + number, f"new_{number}": number})
    with pytest.raises(StreamingQueryException, match="UNKNOWN_FIELD_EXCEPTION"):
        ingestion.run()
    ingestion.run()
    assert ingestion.frame().columns == ["id", "new_0", "new_1", "new_2", "_rescued_data"]
    assert ingestion.ids() == [1, 2, 3, 4]


@pytest.mark.slow
def test_a_frame_that_was_loaded_before_does_not_know_the_new_column(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    frame = ingestion.frame()
    ingestion.run(frame)
    ingestion.put("b.json", {"id": 2, "currency": "USD"})
    for _ in range(2):
        with pytest.raises(StreamingQueryException, match="UNKNOWN_FIELD_EXCEPTION"):
            ingestion.run(frame)
    ingestion.run()
    assert ingestion.ids() == [1, 2]


@pytest.mark.slow
@pytest.mark.usefixtures("delta")
def test_without_merge_schema_the_restart_fails_in_delta(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run(merge=False)
    ingestion.put("b.json", {"id": 2, "currency": "USD"})
    with pytest.raises(StreamingQueryException, match="UNKNOWN_FIELD_EXCEPTION"):
        ingestion.run(merge=False)
    with pytest.raises(StreamingQueryException, match="schema mismatch"):
        ingestion.run(merge=False)
    ingestion.run()
    assert ingestion.ids() == [1, 2]


@pytest.mark.slow
def test_a_new_field_of_a_struct_evolves_it(ingestion: Ingestion):
    ingestion.options["inferColumnTypes"] = "true"
    ingestion.put("a.json", {"id": 1, "user": {"name": "x"}})
    ingestion.run()
    ingestion.put("b.json", {"id": 2, "user": {"name": "y", "age": 3}})
    with pytest.raises(StreamingQueryException, match="UNKNOWN_FIELD_EXCEPTION"):
        ingestion.run()
    ingestion.run()
    assert types(ingestion)["user"] == "struct<name:string,age:bigint>"
    assert [row["age"] for row in ingestion.rows("id", "user.age")] == [None, 3]


@pytest.mark.slow
def test_rescue_keeps_new_columns_in_the_rescued_data(ingestion: Ingestion):
    ingestion.options["schemaEvolutionMode"] = "rescue"
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("b.json", {"id": 2, "currency": "USD", "n": 1})
    ingestion.run()
    assert rescued(ingestion) == [None, {"currency": "USD", "n": 1, "_file_path": "b.json"}]
    assert ingestion.frame().columns == ["id", "_rescued_data"]


@pytest.mark.slow
def test_fail_on_new_columns_fails_until_the_schema_is_changed(ingestion: Ingestion):
    ingestion.options["schemaEvolutionMode"] = "failOnNewColumns"
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("b.json", {"id": 2, "currency": "USD"})
    for _ in range(2):
        with pytest.raises(StreamingQueryException, match="automatic retry: false"):
            ingestion.run()
    ingestion.run(schemaHints="currency STRING")
    assert ingestion.ids() == [1, 2]


@pytest.mark.slow
def test_none_ignores_new_columns(ingestion: Ingestion):
    ingestion.options["schemaEvolutionMode"] = "none"
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("b.json", {"id": 2, "currency": "USD"})
    ingestion.run()
    assert rescued(ingestion) == [None, None]


@pytest.mark.slow
def test_none_rescues_where_a_rescued_column_is_asked_for(ingestion: Ingestion):
    ingestion.schema = "id BIGINT"
    ingestion.put("a.json", {"id": 1, "currency": "USD"}, {"id": "x"})
    ingestion.run(schemaEvolutionMode="none", rescuedDataColumn="_rescued_data")
    assert rescued(ingestion) == [{"currency": "USD", "_file_path": "a.json"}, {"id": "x", "_file_path": "a.json"}]


def test_a_given_schema_cannot_evolve(ingestion: Ingestion):
    ingestion.schema = "id BIGINT"
    ingestion.put("a.json", {"id": 1})
    with pytest.raises((StreamingQueryException, AnalysisException), match="CF_ADD_NEW_NOT_SUPPORTED"):
        ingestion.run(schemaEvolutionMode="addNewColumns")


@pytest.mark.slow
def test_another_case_of_a_name_is_rescued_unless_case_does_not_matter(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("b.json", {"id": 2, "ID": 3})
    ingestion.run()
    assert rescued(ingestion) == [None, {"ID": 3, "_file_path": "b.json"}]
    ingestion.put("c.json", {"ID": 4})
    ingestion.run(readerCaseSensitive=False)
    assert ingestion.ids() == [1, 2, 4]


@pytest.mark.slow
def test_directories_give_columns(ingestion: Ingestion):
    ingestion.put("event=click/date=2026-01-02/a.json", {"id": 1})
    ingestion.put("event=a%2Fb/date=__HIVE_DEFAULT_PARTITION__/b.json", {"id": 2})
    assert ingestion.frame().columns == ["id", "_rescued_data", "event", "date"]
    ingestion.run()
    assert [tuple(row) for row in ingestion.rows("id", "event", "date")] == [
        ("1", "click", "2026-01-02"), ("2", "a/b", None),
    ]  # fmt: skip


def test_directories_have_types_where_types_are_inferred(ingestion: Ingestion):
    ingestion.put("hour=07/date=2026-01-02/a.json", {"id": 1})
    found = types(ingestion, inferColumnTypes=True)
    assert (found["hour"], found["date"]) == ("int", "date")


def test_partition_columns_choose_and_can_be_left_out(ingestion: Ingestion):
    ingestion.put("event=click/date=2026-01-02/a.json", {"id": 1})
    assert ingestion.frame(partitionColumns="date").columns == ["id", "_rescued_data", "date"]
    ingestion.checkpoint = "another"
    assert ingestion.frame(partitionColumns="").columns == ["id", "_rescued_data"]


@pytest.mark.slow
def test_a_directory_level_that_appears_later_is_read_and_adds_no_column(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("region=eu/b.json", {"id": 2})
    ingestion.run()
    assert ingestion.ids() == [1, 2]
    assert "region" not in ingestion.frame().columns


@pytest.mark.slow
def test_a_given_schema_takes_columns_from_the_directories(ingestion: Ingestion):
    ingestion.schema = "id BIGINT, event STRING"
    ingestion.put("event=click/a.json", {"id": 1})
    ingestion.run()
    assert tuple(ingestion.rows()[0]) == (1, "click")


@pytest.mark.slow
def test_a_malformed_record_is_rescued_or_kept_and_harms_no_other(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1}, '{"id": ', {"id": 3})
    ingestion.schema = "id BIGINT, _corrupt_record STRING"
    ingestion.run()
    assert {tuple(row) for row in ingestion.rows()} == {(1, None), (None, '{"id": '), (3, None)}


def test_failfast_ends_at_a_malformed_record_and_names_it(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1}, '{"id": ')
    ingestion.schema = "id BIGINT"
    with pytest.raises(StreamingQueryException, match="MALFORMED_RECORD_IN_PARSING"):
        ingestion.run(mode="FAILFAST")


def test_the_format_must_be_one_that_there_is(ingestion: Ingestion):
    ingestion.format = "yaml"
    with pytest.raises(AnalysisException, match="Choose one of json, csv, parquet"):
        ingestion.frame()


def test_cloud_files_is_for_streams(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    reader = ingestion.spark.read.format("cloudFiles").option("cloudFiles.format", "json").schema("id INT")
    with pytest.raises(Exception, match="streaming source"):
        reader.load(ingestion.url("in")).collect()


@pytest.mark.slow
def test_whole_records_are_one_variant_and_nothing_has_to_be_inferred(ingestion: Ingestion):
    ingestion.put("day=1/a.json", {"id": 1, "user": {"name": "x"}}, "{broken", "[1,2]")
    ingestion.put("day=1/b.json", {"id": 2, "new": 1.5})
    reader = ingestion.spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    frame = reader.option("singleVariantColumn", "record").load(ingestion.url("in"))
    assert [(field.name, field.dataType.simpleString()) for field in frame.schema.fields] == [
        ("record", "variant"), ("day", "string"),
    ]  # fmt: skip
    ingestion.run(frame)
    table = ingestion.spark.read.load(ingestion.url("table"))
    fields = table.selectExpr("record:id::INT", "record:user.name::STRING", "to_json(record)", "day")
    assert sorted(map(tuple, fields.collect()), key=str) == [
        (1, "x", '{"id":1,"user":{"name":"x"}}', "1"),
        (2, None, '{"id":2,"new":1.5}', "1"),
        (None, None, "[1,2]", "1"),
        (None, None, None, "1"),
    ]


@pytest.mark.slow
def test_a_column_that_is_hinted_as_variant_takes_any_value(ingestion: Ingestion):
    ingestion.options["schemaHints"] = "payload VARIANT"
    rows = [{"id": number, "payload": value} for number, value in enumerate([{"a": [1, "x"]}, 7, None, "text"])]
    ingestion.put("a.json", *rows, {"id": 4})
    ingestion.run()
    table = ingestion.spark.read.load(ingestion.url("table")).selectExpr("id", "to_json(payload)")
    assert sorted(map(tuple, table.collect())) == [
        ("0", '{"a":[1,"x"]}'), ("1", "7"), ("2", "null"), ("3", '"text"'), ("4", None),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("delta")
def test_types_that_grew_reach_a_table_that_lets_them(ingestion: Ingestion):
    ingestion.format, ingestion.options["schemaEvolutionMode"] = "parquet", "addNewColumnsWithTypeWidening"
    widening = "spark.databricks.delta.properties.defaults.enableTypeWidening"
    ingestion.spark.conf.set(widening, "true")
    try:
        pq.write_table(pa.table({"n": pa.array([1], pa.int32())}), ingestion.source / "a.parquet")
        ingestion.run()
        pq.write_table(pa.table({"n": pa.array([2**40], pa.int64())}), ingestion.source / "b.parquet")
        with pytest.raises(StreamingQueryException, match="n from int to bigint"):
            ingestion.run()
        ingestion.run()
        assert [tuple(row) for row in ingestion.rows("n")] == [(1,), (2**40,)]
    finally:
        ingestion.spark.conf.unset(widening)


@pytest.mark.slow
def test_what_a_stream_cannot_read_is_kept_and_the_stream_goes_on(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1}, "{broken")
    ingestion.run(badRecordsPath=ingestion.url("bad"))
    assert ingestion.ids() == [1]
    kept = ingestion.spark.read.json(ingestion.url("bad/*/bad_records"))
    [record] = kept.select("path", "record").collect()
    assert tuple(record) == (ingestion.url("in/a.json"), "{broken")
