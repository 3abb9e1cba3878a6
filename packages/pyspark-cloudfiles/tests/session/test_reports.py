"""What progress says of a source of ours; and errors of streams begin with what this package had to say."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pyspark_cloudfiles.history import Offset
from pyspark_cloudfiles.wrappers import describe_source, prepend_cause

OFFSET = Offset(3, 300, "file:/log/x", "file:/in")
OURS = "[CF_STATE_LOST] The log is gone. Begin again."
TRACE = f"""org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed
Caused by: org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "x.py", line 1, in read
pyspark_cloudfiles.errors.StateLost: {OURS}
SQLSTATE: 38000
	at org.apache.spark.sql.Foo.bar(Foo.scala:1)"""


def test_a_source_is_named_after_its_path_and_says_what_is_left():
    source = {
        "endOffset": json.dumps(OFFSET.to_json()),
        "latestOffset": json.dumps(replace(OFFSET, seq_num=5, num_bytes=450).to_json()),
        "metrics": {"other": "1"},
    }
    assert describe_source(source) == {
        "description": "CloudFilesSource[file:/in]",
        "metrics": {"other": "1", "numFilesOutstanding": "2", "numBytesOutstanding": "150"},
    }


def test_sources_of_others_are_left_alone():
    for offset in ('{"logOffset": 1}', "17", "", None, "null", '{"sourceVersion": 1, "reservoirId": "x"}'):
        assert describe_source({"endOffset": offset, "latestOffset": offset}) == {}


def test_a_cause_that_the_text_lacks_comes_first():
    assert prepend_cause("[TASK_WRITE_FAILED] Task failed", TRACE) == f"{OURS}\n\n[TASK_WRITE_FAILED] Task failed"


def test_a_cause_below_a_traceback_comes_first():
    assert prepend_cause(TRACE, "").startswith(f"{OURS}\n\norg.apache")


def test_the_cause_is_said_once():
    text = prepend_cause("failed", TRACE)
    assert prepend_cause(text, TRACE) == text


def test_a_message_of_several_lines_is_kept_whole():
    text = "pyspark_cloudfiles.errors.UnknownFields: [UNKNOWN_FIELD_EXCEPTION.X] a\nFile: file:/b c\n SQLSTATE: 3"
    assert prepend_cause(text, "").startswith("[UNKNOWN_FIELD_EXCEPTION.X] a\nFile: file:/b c\n\n")


@pytest.mark.parametrize("text", ["[TASK_WRITE_FAILED] Task failed", "[UNKNOWN_FIELD_EXCEPTION.X] a\nFile: b\n\nmore"])
def test_an_unknown_field_has_the_name_that_programs_look_for(text: str):
    stack = "pyspark_cloudfiles.errors.UnknownFields: [UNKNOWN_FIELD_EXCEPTION.X] a\nFile: b\n SQLSTATE: 3"
    found = prepend_cause(text, stack)
    assert found.startswith("[UNKNOWN_FIELD_EXCEPTION.X] a\nFile: b\n\n")
    assert found.count("UnknownFieldException") == 1 and found.endswith(text[-4:])
    assert prepend_cause(found, stack) == found
    assert "UnknownFieldException" not in prepend_cause("failed", TRACE)


def test_a_worker_with_another_version_is_the_cause():
    assert prepend_cause("ImportError: [CF_VERSION_MISMATCH] x", "").startswith("[CF_VERSION_MISMATCH] x\n\n")


@pytest.mark.parametrize("text", ["ValueError: [NOT_OURS] x", "ImportError: [NOT_OURS] x"])
def test_errors_of_others_stay_as_they_are(text: str):
    assert prepend_cause(text, "at java.lang") == text
