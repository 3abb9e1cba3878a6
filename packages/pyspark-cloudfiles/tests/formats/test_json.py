"""JSON files by a schema, and their schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InvalidOption, MalformedRecord, MissingFile, UnknownFields
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.formats.json_reader import JsonFormat

Put = Callable[..., SourceFile]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file and say where it is."""

    def write(content: str | bytes, name: str = "f.json") -> SourceFile:
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return SourceFile(f"file:{tmp_path / name}", len(data), 0)

    return write


def schema(**fields: T.DataType) -> T.StructType:
    return T.StructType([T.StructField(name, data_type) for name, data_type in fields.items()])


STRING, LONG = T.StringType(), T.LongType()
A = schema(a=LONG)


def read(*files: SourceFile, by: T.StructType = A, **request: Any) -> list[dict[str, Any]]:
    """Return rows as dicts, what was rescued without the file's path under ``_rescued``."""
    rows = []
    for part in JsonFormat().read(files, ReadRequest(by, **request)):
        assert sum(count for _, count in part.counts) == part.batch.num_rows
        rescued = part.rescued.to_pylist() if part.rescued is not None else [None] * part.batch.num_rows
        for row, left in zip(part.batch.to_pylist(), rescued, strict=True):
            if left is not None:
                row["_rescued"] = {k: v for k, v in json.loads(left).items() if k != "_file_path"}
            rows.append(row)
    return rows


def test_a_string_keeps_the_source_of_any_value(put: Put) -> None:
    file = put('{"a":1.50}\n{"a":{"b" : 1}}\n{"a":"\\u00e9"}\n{"a":null}\n{}\n')
    assert [row["a"] for row in read(file, by=schema(a=STRING))] == ["1.50", '{"b" : 1}', "é", None, None]


def test_what_does_not_fit_is_rescued(put: Put) -> None:
    rows = read(put('{"a":1}\n{"a":"x","b":1.50}\n{"A":2}\n'))
    assert rows == [{"a": 1}, {"a": None, "_rescued": {"a": "x", "b": 1.5}}, {"a": None, "_rescued": {"A": 2}}]


def test_rescued_numbers_keep_their_digits(put: Put) -> None:
    [part] = JsonFormat().read([file := put('{"b":1.50}\n')], ReadRequest(A))
    assert part.rescued.to_pylist() == [f'{{"b":1.50,"_file_path":"{file.url}"}}']


def test_another_case_is_the_same_field_if_the_reader_is_told_so(put: Put) -> None:
    assert read(put('{"A":2}\n'), case_sensitive=False) == [{"a": 2}]


def test_a_nested_field_is_rescued_where_it_was(put: Put) -> None:
    by = schema(s=schema(x=LONG), l=T.ArrayType(schema(x=LONG)))
    [row] = read(put('{"s":{"x":1,"y":2},"l":[{"x":1},{"x":"no"}]}\n'), by=by)
    assert row == {"s": {"x": 1}, "l": [{"x": 1}, {"x": None}], "_rescued": {"s": {"y": 2}, "l": [None, {"x": "no"}]}}


def test_unknown_fields_are_an_error_with_the_unknown_part_only(put: Put) -> None:
    with pytest.raises(UnknownFields) as caught:
        read(put('{"a":1}\n{"a":1,"currency":"USD","A":3}\n{"b":{"c":1}}\n'), on_unknown="error")
    assert (caught.value.record, caught.value.columns) == ('{"currency":"USD"}', ["currency", "b"])


def test_a_nested_unknown_field_is_unknown_as_well(put: Put) -> None:
    with pytest.raises(UnknownFields) as caught:
        read(put('{"s":{"y":2}}\n'), by=schema(s=schema(x=LONG)), on_unknown="error")
    assert (caught.value.record, caught.value.columns) == ('{"s":{"y":2}}', ["s.y"])


def test_unknown_fields_can_be_dropped_and_mismatches_rescued_all_the_same(put: Put) -> None:
    assert read(put('{"a":"x","b":1}\n'), on_unknown="ignore") == [{"a": None, "_rescued": {"a": "x"}}]


def test_a_malformed_line_is_nulls_and_its_text(put: Put) -> None:
    by = schema(a=LONG, c=STRING)
    assert read(put('{"a":1}\n{"a":\n'), by=by, corrupt_column="c") == [{"a": 1, "c": None}, {"a": None, "c": '{"a":'}]
    assert read(put('{"a":\n')) == [{"a": None, "_rescued": {"_corrupt_record": '{"a":'}}]


@pytest.mark.parametrize(("rescue", "kept"), [(True, [1, None]), (False, [1])])
def test_a_mismatch_drops_a_row_only_where_nothing_is_rescued(put: Put, rescue: bool, kept: list[Any]) -> None:
    rows = read(put('{"a":1}\n{"a":"x"}\nbad\n'), mode="DROPMALFORMED", rescue=rescue)
    assert [row["a"] for row in rows] == kept


def test_rows_are_dropped_for_times_that_do_not_exist(put: Put) -> None:
    by = schema(d=T.DateType(), l=T.ArrayType(T.DateType()))
    file = put(
        '{"d":"2024-02-30"}\n{"l":["2024-02-30"]}\nbad\n[{"d":"2024-01-01"},{"d":"2024-01-02"}]\n{"d":"2024-01-03"}\n'
    )
    assert len(read(file, by=by, mode="DROPMALFORMED", rescue=False)) == 3
    assert [row["d"] for row in read(file, by=by)][:2] == [None, None]


def test_failfast_fails_at_malformed_lines_and_at_mismatches_without_rescue(put: Put) -> None:
    mismatch = put('{"a":"x"}\n')
    assert read(mismatch, mode="FAILFAST") == [{"a": None, "_rescued": {"a": "x"}}]
    with pytest.raises(MalformedRecord, match='"x"'):
        read(mismatch, mode="FAILFAST", rescue=False)
    with pytest.raises(MalformedRecord, match="bad"):
        read(put("bad\n", "2"), mode="FAILFAST")


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("{'a':1}", None),
        ("{a:1}", "allowUnquotedFieldNames"),
        ('/*c*/{"a":1}//d', "allowComments"),
        ('{"a":01}', "allowNumericLeadingZeros"),
        ('{"a":1,"b":"\\q"}', "allowBackslashEscapingAnyCharacter"),
        ('{"a":1,"b":"\t"}', "allowUnquotedControlChars"),
        ('{"a":1} and more', None),
        ('[{"a":1}]', None),
    ],
)
def test_lenient_forms_are_read_by_option(put: Put, text: str, option: str | None) -> None:
    options = {option.lower(): "true"} if option else {}
    assert read(put(text), options=options, on_unknown="ignore") == [{"a": 1}]
    if option:
        assert read(put(text), on_unknown="ignore", rescue=False) == [{"a": None}]


def test_named_numbers_are_doubles(put: Put) -> None:
    file = put('{"a":Infinity}\n{"a":"-INF"}\n{"a":1e400}\n')
    assert [row["a"] for row in read(file, by=schema(a=T.DoubleType()))] == [float("inf"), float("-inf"), float("inf")]


@pytest.mark.parametrize("content", [b"", b"\n \n", b"[]\n"])
def test_a_file_without_records_has_no_rows(put: Put, content: bytes) -> None:
    assert read(put(content)) == []


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32-le", "utf-32"])
def test_the_encoding_is_seen(put: Put, encoding: str) -> None:
    assert read(put('{"a":"ü"}\n{"a":1}\n'.encode(encoding)), by=schema(a=STRING)) == [{"a": "ü"}, {"a": "1"}]


def test_a_document_may_span_lines(put: Put) -> None:
    file = put('[{"a":\n1},\n{"a":2}]')
    assert read(file, options={"multiline": "true"}) == [{"a": 1}, {"a": 2}]


def test_invalid_bytes_make_a_line_malformed(put: Put) -> None:
    by = schema(a=STRING, c=STRING)
    rows = read(put(b'{"a":"\xff"}\n{"a":"\xc3\xa9"}\n'), by=by, corrupt_column="c")
    assert rows == [{"a": None, "c": '{"a":"\ufffd"}'}, {"a": "é", "c": None}]


def test_rows_are_counted_by_file(put: Put) -> None:
    files = [put('{"a":1}\n{"a":2}', "1"), put("", "2"), put('{"a":"x"}\n', "3")]
    [part] = JsonFormat().read(files, ReadRequest(A))
    assert [count for _, count in part.counts] == [2, 0, 1]
    assert json.loads(part.rescued[2].as_py())["_file_path"] == files[2].url


def test_a_large_file_comes_in_pieces(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "BATCH_BYTES", 100)
    file = put("".join(f'{{"a":{number}}}\r\n' for number in range(100)) + '{"a":"' + "x" * 1000 + '"}')
    parts = list(JsonFormat().read([file], ReadRequest(schema(a=STRING))))
    assert len(parts) > 5
    assert [row for part in parts for row in part.batch["a"].to_pylist()] == [*map(str, range(100)), "x" * 1000]


def test_deep_nesting_is_malformed_and_no_crash(put: Put) -> None:
    deep = '{"a":' + "[" * 5000 + "]" * 5000 + "}\n"
    good = '{"a":' + "[" * 900 + "]" * 900 + "}\n"
    rows = read(put(deep + good), by=schema(a=STRING), rescue=False)
    assert [len(row["a"] or "") for row in rows] == [0, 1800]


def test_garbage_gives_malformed_rows(put: Put) -> None:
    assert all(row["a"] is None for row in read(put(bytes(range(256)) * 20), rescue=False))


def test_without_columns_rows_are_counted_and_everything_is_rescued(put: Put) -> None:
    assert read(put('{"a":1}\n{}\n'), by=T.StructType([])) == [{"_rescued": {"a": 1}}, {}]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="gone"):
        read(SourceFile(f"file:{tmp_path}/gone", 1, 0))


def test_a_type_that_json_does_not_have_is_refused(put: Put) -> None:
    with pytest.raises(InvalidOption, match="interval"):
        read(put('{"a":1}'), by=schema(a=T.DayTimeIntervalType()))


def test_without_types_every_top_level_field_is_a_string_in_order(put: Put) -> None:
    files = [put('{"b":{"x":1},"a":null}\nbad\n', "1"), put('[{"B":1},{"c":[]}]', "2")]
    assert JsonFormat().infer(files, InferRequest()) == schema(a=STRING, b=STRING, c=STRING)
    assert JsonFormat().infer(files, InferRequest(case_sensitive=True)).names == ["B", "a", "b", "c"]


def test_types_are_the_narrowest_that_take_all_values(put: Put) -> None:
    file = put('{"a":1,"b":[1,2.5],"c":{"x":true},"d":12345678901234567890}\n{"a":"x","c":{"y":null}}\n')
    assert JsonFormat().infer([file], InferRequest(infer_types=True)) == schema(
        a=STRING, b=T.ArrayType(T.DoubleType()), c=schema(x=T.BooleanType(), y=STRING), d=T.DecimalType(20, 0)
    )


def test_nothing_found_is_no_fields(put: Put) -> None:
    assert JsonFormat().infer([put("")], InferRequest(infer_types=True)) == T.StructType([])
