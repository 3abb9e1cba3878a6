"""CSV files by a schema, and their schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InvalidOption, MalformedRecord, UnknownFields, UnreadableFile, UnsupportedOption
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.formats.csv_reader import CsvFormat

Put = Callable[..., SourceFile]
STRING, INT = T.StringType(), T.IntegerType()


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file and say where it is."""

    def write(content: str | bytes, name: str = "f.csv") -> SourceFile:
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return SourceFile(f"file:{tmp_path / name}", len(data), 0)

    return write


def schema(**fields: T.DataType) -> T.StructType:
    return T.StructType([T.StructField(name, data_type) for name, data_type in fields.items()])


AB = schema(a=INT, b=STRING)


def read(*files: SourceFile, by: T.StructType = AB, options: dict[str, str] | None = None, **request: Any) -> list[Any]:
    """Return rows as tuples, with what was rescued at their end."""
    lower = {key.lower(): value for key, value in (options or {}).items()}
    rows = []
    for part in CsvFormat().read(files, ReadRequest(by, options=lower, **request)):
        assert sum(count for _, count in part.counts) == part.batch.num_rows
        rescued = part.rescued.to_pylist() if part.rescued is not None else [None] * part.batch.num_rows
        for row, left in zip(part.batch.to_pylist(), rescued, strict=True):
            kept = {k: v for k, v in json.loads(left or "{}").items() if k != "_file_path"}
            rows.append((*row.values(), kept) if kept else tuple(row.values()))
    return rows


def test_columns_are_matched_by_name(put: Put) -> None:
    assert read(put("b,a\nx,1\n"), put("a\n2\n", "2")) == [(1, "x"), (2, None)]


def test_without_header_columns_are_matched_by_position(put: Put) -> None:
    assert read(put("1,x\n2,y,z\n"), options={"header": "false"}) == [(1, "x"), (2, "y", {"_c2": "z"})]


@pytest.mark.parametrize("multi_line", ["false", "true"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_first_lines_are_skipped_before_the_header_is_read(put: Put, end: str, multi_line: str) -> None:
    lines = ["Meters, of the north", "", "# a,b", "a,b", "1,x", "2,y"]
    options = {"skipRows": "3", "multiLine": multi_line}
    file = put(end.join(lines))
    assert read(file, options=options) == [(1, "x"), (2, "y")]
    assert read(file, options={**options, "skipRows": "4", "header": "false"}) == [(1, "x"), (2, "y")]
    assert read(file, options={**options, "skipRows": "6"}) == []
    lower = {"skiprows": "3", "multiline": multi_line}
    assert CsvFormat().infer([file], InferRequest(infer_types=True, options=lower)) == AB


def test_more_lines_than_a_piece_are_skipped(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "BATCH_BYTES", 100)
    file = put("prose\n" * 100 + "a,b\n" + "1,x\n" * 100)
    assert read(file, options={"skipRows": "100"}) == [(1, "x")] * 100


def test_what_does_not_fit_is_rescued(put: Put) -> None:
    rows = read(put("a,b,c\none,x,3\n2,y,,extra\n3\n"))
    assert rows == [(None, "x", {"c": "3", "a": "one"}), (2, "y", {"_c3": "extra"}), (3, None)]


def test_rescued_texts_are_json(put: Put) -> None:
    text = 'tab\t "quoted" \\ \x7f \u2028 é😀'
    assert read(put(f"a,c\n1,{text}\nx,{text}\n"), by=schema(a=INT)) == [
        (1, {"c": text}),
        (None, {"a": "x", "c": text}),
    ]


def test_another_case_is_rescued_or_matched(put: Put) -> None:
    assert read(put("A,b\n1,x\n")) == [(None, "x", {"A": "1"})]
    assert read(put("A,b\n1,x\n"), case_sensitive=False) == [(1, "x")]


def test_unknown_columns_belong_to_the_file(put: Put) -> None:
    with pytest.raises(UnknownFields) as caught:
        read(put("a,B,channel\n1,2,3\n"), on_unknown="error")
    assert (caught.value.record, caught.value.columns) == (None, ["channel"])
    assert read(put("a,b,channel\n1,2,3\n"), on_unknown="ignore") == [(1, "2")]


def test_double_and_missing_names_get_their_position(put: Put) -> None:
    assert CsvFormat().infer([put("x,X,,y\n1,2,3,4\n")], InferRequest()).names == ["x0", "X1", "_c2", "y"]


def test_modes_without_rescue_are_spark_s(put: Put) -> None:
    file, by = put("a,b\n1,x\nno,y\n3\n"), schema(a=INT, b=STRING, c=STRING)
    rows = read(file, by=by, corrupt_column="c", rescue=False)
    assert rows == [(1, "x", None), (None, "y", "no,y"), (3, None, "3")]
    assert read(file, mode="DROPMALFORMED", rescue=False) == [(1, "x")]
    with pytest.raises(MalformedRecord, match="no,y"):
        read(file, mode="FAILFAST", rescue=False)
    assert len(read(file, mode="FAILFAST")) == 3


@pytest.mark.parametrize(
    ("options", "text", "row"),
    [
        ({"sep": "||"}, "a||b\n1||x|y", (1, "x|y")),
        ({"sep": "\\t"}, "a\tb\n1\tx", (1, "x")),
        ({"quote": "'"}, "a,b\n1,'x,y'", (1, "x,y")),
        ({"escape": '"'}, 'a,b\n1,"x""y"', (1, 'x"y')),
        ({"comment": "#"}, "#no\na,b\n#no\n1,x", (1, "x")),
        ({"nullValue": "-"}, "a,b\n-,-", (None, None)),
        ({"nullValue": "-"}, 'a,b\n1,""', (1, "")),
        ({"emptyValue": "E"}, 'a,b\n1,""', (1, "E")),
        ({"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true"}, "a,b\n 1 , x ", (1, "x")),
        ({"multiLine": "true"}, 'a,b\r\n1,"x\r\ny"\r\n', (1, "x\ny")),
        ({"multiLine": "true", "comment": "#"}, 'a,b\n#no "\n1,"x\n#y"\n', (1, "x\n#y")),
        ({}, 'a,b\n1,"say ""hi"""', (1, '"say ""hi"""')),
        ({}, 'a,b\n1,"C:\\temp"', (1, "C:\\temp")),
        ({}, 'a,b\n1,5" pipe', (1, '5" pipe')),
        ({"encoding": "ISO-8859-1"}, "a,b\n1,é".encode("latin-1"), (1, "é")),
        ({"lineSep": ";"}, "a,b;1,x;", (1, "x")),
        ({}, "a,b\n1,é".encode("utf-16"), (1, "é")),
        ({}, b"a,b\n1,\xff", (1, "\ufffd")),
    ],
)
def test_options_are_followed(put: Put, options: dict[str, str], text: str | bytes, row: tuple[Any, ...]) -> None:
    assert read(put(text), options=options) == [row]


@pytest.mark.parametrize(
    ("line", "value"), [('"x', "x"), ('"', '"'), ('"x""', 'x"'), ('"a\\', "a\\"), ('"x"y,z"', '"x"y')]
)
def test_a_quote_that_is_not_closed_loses_nothing(put: Put, line: str, value: str) -> None:
    assert read(put(f"a\n{line}\nnext\n"), by=schema(a=STRING))[0][0] == value


@pytest.mark.parametrize("options", [{"quote": "ab"}, {"sep": ""}, {"header": "maybe"}, {"maxcolumns": "x"}])
def test_an_impossible_option_is_refused(put: Put, options: dict[str, str]) -> None:
    with pytest.raises(InvalidOption, match=next(iter(options))):
        read(put("a,b\n1,2\n"), options=options)


@pytest.mark.parametrize("handling", ["BACK_TO_DELIMITER", "skip_value", "RAISE_ERROR"])
def test_a_handling_of_stray_quotes_that_is_not_there_is_refused(put: Put, handling: str) -> None:
    with pytest.raises(UnsupportedOption, match=r"unescapedQuoteHandling is .* Set it to STOP_AT_DELIMITER or"):
        read(put("a,b\n1,2\n"), options={"unescapedQuoteHandling": handling})


@pytest.mark.parametrize("limit", ["maxColumns", "maxCharsPerColumn"])
def test_a_limit_makes_a_file_unreadable(put: Put, limit: str) -> None:
    assert read(put("a,b\n1,xx\n"), options={limit: "2"}) == [(1, "xx")]
    with pytest.raises(UnreadableFile, match=limit):
        read(put("a,b\n1,xxx,y\n"), options={limit: "2"})


def test_a_nested_type_is_refused(put: Put) -> None:
    with pytest.raises(InvalidOption, match="array<int>"):
        read(put("a\n1\n"), by=schema(a=T.ArrayType(INT)))


@pytest.mark.parametrize("content", ["", "\n\n", "a,b\n"])
def test_a_file_without_records_has_no_rows(put: Put, content: str) -> None:
    assert read(put(content)) == []


def test_a_large_file_comes_in_pieces_and_has_one_header(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "BATCH_BYTES", 100)
    file = put("b,a\n" + "".join(f"x,{number}\n" for number in range(200)))
    parts = list(CsvFormat().read([file], ReadRequest(AB)))
    assert len(parts) > 5
    assert [row for part in parts for row in part.batch["a"].to_pylist()] == list(range(200))


def test_without_columns_rows_are_counted_and_everything_is_rescued(put: Put) -> None:
    assert read(put("a\n1\n"), by=T.StructType([])) == [({"a": "1"},)]


@pytest.mark.parametrize("part", ['"x', '"\\', '"x" ', '"', "\\"])
@pytest.mark.parametrize("handling", ["STOP_AT_DELIMITER", "STOP_AT_CLOSING_QUOTE"])
def test_thousands_of_stray_quotes_are_one_value(put: Put, part: str, handling: str) -> None:
    file = put("a\n" + '"' + part * 5000 + "\nx\n")
    assert read(file, by=schema(a=STRING), options={"unescapedQuoteHandling": handling})[-1] == ("x",)


def test_columns_of_later_files_are_appended(put: Put) -> None:
    files = [put("b,a\n1,x\n", "1"), put("A,c\ny,2024-01-01\n", "2")]
    assert CsvFormat().infer(files, InferRequest()).names == ["b", "a", "c"]
    assert CsvFormat().infer(files, InferRequest(infer_types=True)) == schema(b=INT, a=STRING, c=T.DateType())
    assert CsvFormat().infer(files, InferRequest(options={"header": "false"})).names == ["_c0", "_c1"]
