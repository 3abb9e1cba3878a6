"""Bad files among good ones: each is rescued, passed over or an error that names it, and no other row is harmed."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException

if TYPE_CHECKING:
    from conftest import Ingestion

NAMES = ("a b.json", "x=1.json", "h#1.json", "p%41.json", "line\nbreak.json", "дані.json", "q?[1]{2}.json", "é'\".json")


@pytest.mark.slow
def test_odd_content_harms_no_other_row(ingestion: Ingestion):
    good = {"id": 1, "text": "x"}
    ingestion.put("good.json", good)
    contents = {
        "malformed": b'{"id": 1, "text": \n',
        "truncated": json.dumps(good).encode()[:-3],
        "empty": b"",
        "blank": b"\n \n\n",
        "binary": bytes(range(256)) * 50,
        "bom": b"\xef\xbb\xbf" + b'{"id": 10, "text": "bom"}\n',
        "utf16": '{"id": 11, "text": "sixteen"}\n'.encode("utf-16"),
        "deep": b'{"id": 12, "text": ' + b"[" * 5000 + b"]" * 5000 + b"}\n",
        "large": b'{"id": 123456789012345678901234567890, "text": "n"}\n',
        "nan": b'{"id": 13, "text": NaN}\n',
        "twice": b'{"id": 14, "id": 15, "text": "twice"}\n',
        "mixed": b'{"id": {"a": 1}, "text": [1, 2]}\n',
        "wide": json.dumps({"id": 16} | {f"c{number}": number for number in range(1000)}).encode() + b"\n",
        "long": json.dumps({"id": 17, "text": "y" * 5_000_000}).encode() + b"\n",
    }
    frame = ingestion.frame(schemaEvolutionMode="rescue")
    for name, content in contents.items():
        (ingestion.source / f"{name}.json").write_bytes(content)
    (ingestion.source / "packed.json.gz").write_bytes(gzip.compress(b'{"id": 18, "text": "packed"}\n'))
    ingestion.run(frame)
    found = {row["id"]: row["text"] for row in ingestion.rows("id", "text") if row["id"] is not None}
    assert found["1"] == "x"
    assert (found["10"], found["11"], found["18"]) == ("bom", "sixteen", "packed")
    assert found["123456789012345678901234567890"] == "n"
    assert len(found["17"]) == 5_000_000
    assert {"13", "15", "16"} <= set(found)
    [wide] = [row["_rescued_data"] for row in ingestion.rows() if row["id"] == "16"]
    assert len(json.loads(wide)) == 1001


@pytest.mark.slow
def test_odd_names_are_read_and_told(ingestion: Ingestion):
    for number, name in enumerate(NAMES):
        ingestion.put(name, {"id": number})
    ingestion.run(ingestion.frame().select("id", "_metadata.file_path"))
    assert ingestion.ids() == list(range(len(NAMES)))
    native = ingestion.spark.read.json(ingestion.url("in")).select("id", "_metadata.file_path").collect()
    assert {tuple(row) for row in ingestion.rows("id", "file_path")} == {(str(row[0]), row[1]) for row in native}


@pytest.mark.slow
def test_a_corrupt_file_ends_the_stream_by_name_or_is_passed_over_on_request(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("b.json", {"id": 2})
    (ingestion.source / "broken.json.gz").write_bytes(gzip.compress(b'{"id": 3}\n')[:-9])
    with pytest.raises(StreamingQueryException, match=r"FAILED_READ_FILE.*broken\.json\.gz"):
        ingestion.run()
    ingestion.run(ignoreCorruptFiles=True)
    assert ingestion.ids()[:2] == [1, 2]


def test_a_source_that_does_not_exist_is_said(ingestion: Ingestion):
    ingestion.source.rmdir()
    with pytest.raises(AnalysisException, match="CF_PATH_DOES_NOT_EXIST"):
        ingestion.frame()


def test_a_schema_location_that_is_a_file_is_refused(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    (ingestion.root / "file").write_text("")
    with pytest.raises(AnalysisException, match="schemaLocation"):
        ingestion.frame(schemaLocation=ingestion.url("file"))
