"""What progress says of a source of ours."""

from __future__ import annotations

import json

from pyspark_cloudfiles.offsets import Offset
from pyspark_cloudfiles.progress import described

OFFSET = Offset(3, 300, "file:/log/x", "file:/in")


def test_a_source_is_named_after_its_path_and_says_what_is_left():
    source = {
        "endOffset": json.dumps(OFFSET.to_json()),
        "latestOffset": json.dumps(OFFSET.at(5, 450).to_json()),
        "metrics": {"other": "1"},
    }
    assert described(source) == {
        "description": "CloudFilesSource[file:/in]",
        "metrics": {"other": "1", "numFilesOutstanding": "2", "numBytesOutstanding": "150"},
    }


def test_sources_of_others_are_left_alone():
    for offset in ('{"logOffset": 1}', "17", "", None, "null", '{"sourceVersion": 1, "reservoirId": "x"}'):
        assert described({"endOffset": offset, "latestOffset": offset}) == {}


def test_an_offset_is_read_as_it_was_written():
    assert Offset.from_json(json.loads(json.dumps(OFFSET.to_json()))) == OFFSET
