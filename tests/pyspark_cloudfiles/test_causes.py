"""Errors of streams begin with what this package had to say."""

from __future__ import annotations

from pyspark_cloudfiles.causes import with_cause

OURS = "[CF_STATE_LOST] The log is gone. Begin anew."
TRACE = f"""org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed
Caused by: org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "x.py", line 1, in read
pyspark_cloudfiles.errors.StateLost: {OURS}
SQLSTATE: 38000
	at org.apache.spark.sql.Foo.bar(Foo.scala:1)"""


def test_a_cause_that_the_text_lacks_comes_first():
    assert with_cause("[TASK_WRITE_FAILED] Task failed", TRACE) == f"{OURS}\n\n[TASK_WRITE_FAILED] Task failed"


def test_a_cause_below_a_traceback_comes_first():
    assert with_cause(TRACE, "").startswith(f"{OURS}\n\norg.apache")


def test_the_cause_is_said_once():
    text = with_cause("failed", TRACE)
    assert with_cause(text, TRACE) == text


def test_a_message_of_several_lines_is_kept_whole():
    text = "pyspark_cloudfiles.errors.UnknownFields: [UNKNOWN_FIELD_EXCEPTION.X] a\nFile: file:/b c\n SQLSTATE: 3"
    assert with_cause(text, "").startswith("[UNKNOWN_FIELD_EXCEPTION.X] a\nFile: file:/b c\n\n")


def test_errors_of_others_stay_as_they_are():
    assert with_cause("ValueError: [NOT_OURS] x", "at java.lang") == "ValueError: [NOT_OURS] x"
