from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from pyspark.errors import AnalysisException, PySparkException, StreamingQueryException
from pyspark.sql import SparkSession

from notebook_dialect.kernel import short_errors
from streaming_base.errors import StreamNotFound, short_message

Run = Callable[[str], str]
Library = Callable[[str], str]


@pytest.fixture
def run(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run a cell in a real IPython shell with short errors; give what it printed, stderr and log lines as well."""
    shell = InteractiveShell.instance()
    shell.run_line_magic("colors", "nocolor")
    short_errors.install(shell)
    short_errors.install(shell)
    shell.user_ns.update(spark=spark, StreamNotFound=StreamNotFound)

    def run_cell(cell: str) -> str:
        capfd.readouterr()
        shell.run_cell(cell, store_history=True)
        return "".join(capfd.readouterr())

    yield run_cell
    InteractiveShell.clear_instance()


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """Write a module; give the line that imports it."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(source: str) -> str:
        (tmp_path / "broken_library.py").write_text(source)
        return "import broken_library"

    yield write
    sys.modules.pop("broken_library", None)


@pytest.mark.parametrize(
    ("message", "short"),
    [
        ("[A] It is wrong.;\n'Project ['x]\n+- Range (0, 3)\n", "[A] It is wrong."),
        ("[A] It is wrong.\n\nJVM stacktrace:\norg.apache.spark.X\n\tat org.apache.Y", "[A] It is wrong."),
        ("[A] It is wrong.\n\tat org.apache.spark.X.y(Z.scala:1)", "[A] It is wrong."),
        ("It broke.\n=== Streaming Query ===\nIdentifier: [id = 1]", "It broke."),
        ("[A] Two lines;\nboth of them. SQLSTATE: 1", "[A] Two lines;\nboth of them. SQLSTATE: 1"),
        ("[A] Near.\n\n== SQL ==\nSELEC 1\n^^^\n", "[A] Near.\n\n== SQL ==\nSELEC 1\n^^^"),
        ("[STREAM_FAILED] Query [id = 5-a, runId = 6-b] terminated with exception: [B] Bad.", "[B] Bad."),
        ('At File "/tmp/ipykernel_77/12.py", line 1', 'At File "this notebook", line 1'),
    ],
)
def test_a_message_ends_where_the_plumbing_begins(message: str, short: str) -> None:
    assert short_message(Exception(message)) == short


@pytest.mark.parametrize(
    "words",
    [
        "Timed out waiting for a node assignment. Call: describeTopics",
        "Timeout of 60000ms expired before the position for partition edits-0 could be determined",
        "Expiring 3 record(s) for edits-0:120001 ms has passed since batch creation",
    ],
)
def test_of_a_broker_that_stays_away_a_sentence_says_what_to_do(words: str) -> None:
    text = f"[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: {words} SQLSTATE: XXKST\n\tat org.x"
    message = short_message(Exception(text))
    assert message.startswith("The Kafka broker has stopped answering. Start it, and then the stream again")
    assert message.endswith(f"Kafka's own words: {words}.")


def test_of_a_call_that_timed_out_kafkas_deadlines_in_milliseconds_are_left_out() -> None:
    call = (
        "Call(callName=describeTopics, deadlineMs=17, tries=1, nextAllowedTryMs=18) timed out at 17 after 1 attempt(s)"
    )
    message = short_message(Exception(f"[STREAM_FAILED] terminated with exception: {call} SQLSTATE: XXKST"))
    assert message.endswith("Kafka's own words: describeTopics timed out.")


def test_a_topic_that_is_not_there_is_no_broker_that_is_away() -> None:
    assert short_message(Exception("Topic edits not present in metadata after 60000 ms.")).startswith("Topic edits")


def test_an_unknown_column_is_one_short_message(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.range(1).select("idd")
    message = short_message(caught.value)
    assert "`idd`" in message and "Did you mean" in message
    assert "Project" not in message and "Range" not in message


def test_a_failed_stream_says_why_without_its_ids(spark: SparkSession) -> None:
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    query = rows.selectExpr("raise_error('no such sensor')").writeStream.format("memory").queryName("bad").start()
    with pytest.raises(StreamingQueryException) as caught:
        query.awaitTermination(30)
    message = short_message(caught.value)
    assert "no such sensor" in message
    assert str(query.id) not in message and str(query.runId) not in message
    assert len(message.splitlines()) <= 8


def test_a_cell_shows_its_own_line_and_the_message(run: Run) -> None:
    printed = run("x = 1\nspark.table('nowhere')")
    assert "line 2: spark.table('nowhere')" in printed
    assert "AnalysisException: [TABLE_OR_VIEW_NOT_FOUND]" in printed
    assert "pyspark/sql" not in printed and "UnresolvedRelation" not in printed
    assert len(printed.splitlines()) <= 8


def test_each_line_of_the_learner_that_led_there_is_shown(run: Run) -> None:
    printed = run("def read(name):\n    return spark.table(name)\n\nread('nowhere')")
    assert printed.index("line 4: read('nowhere')") < printed.index("line 2: return spark.table(name)")


def test_spark_says_it_once(run: Run) -> None:
    assert run("spark.range(1).select('idd')").count("idd") == 2  # the learner's line, and the message


def test_the_whole_traceback_is_not_lost(run: Run) -> None:
    run("spark.table('nowhere')")
    assert issubclass(sys.last_type, PySparkException)
    whole = run("%tb")
    assert "pyspark/sql/session.py" in whole and "nowhere" in whole


def test_an_error_of_the_course_is_short_as_well(run: Run) -> None:
    printed = run("raise StreamNotFound('silver', ('bronze',))")
    assert "StreamNotFound: There is no active stream named 'silver'. Active are: bronze." in printed


def test_an_error_of_the_learners_own_is_shown_as_ever(run: Run) -> None:
    assert "Traceback (most recent call last)" in run("1 / 0")


@pytest.mark.parametrize(
    "module",
    ["import no_such_module", "import os\nos.no_such_name", "from os import no_such_name", "print(no_such_name)"],
)
def test_an_error_in_a_library_keeps_its_traceback(run: Run, library: Library, module: str) -> None:
    printed = run(library(module))
    assert "broken_library.py" in printed and module.splitlines()[-1] in printed


def test_a_syntax_error_of_an_imported_module_keeps_its_frames(run: Run, library: Library) -> None:
    printed = run(f"x = 1\n{library('x = (')}")
    assert "import broken_library" in printed and "broken_library.py" in printed
    assert "line 1: x = (" not in printed


def test_a_text_that_is_evaluated_is_not_the_cells_syntax(run: Run) -> None:
    assert 'eval("%sql")' in run('# one\neval("%sql")\n# %sql')


def test_a_name_that_an_object_is_asked_for_is_the_cells(run: Run) -> None:
    printed = run("import pandas\nframe = pandas.DataFrame({'heads': [1]})\nframe.heds")
    assert printed.strip().endswith("Did you mean `.heads`?") and "Traceback" not in printed


@pytest.mark.parametrize(
    ("cell", "advice"),
    [
        ("readings.id.contans('x')", "Did you mean `.contains`?"),
        ("readings.select(\n    readings.id.alias('one'),\n    F.col('id').isin_(1, 2),\n)", "Did you mean `.isin`?"),
        ("readings.id.show()", "`df.select(column).show()`"),
        ("column = readings.id\ncolumn()", "`df.select(column).show()`"),
    ],
)
def test_a_misspelt_method_of_a_column_is_named(run: Run, spark: SparkSession, cell: str, advice: str) -> None:
    run("from pyspark.sql import functions as F\nreadings = spark.range(1)")
    assert advice in run(cell).splitlines()[-1]


def test_an_error_of_sparks_that_an_interrupt_has_led_to_is_shown_as_the_interrupt(run: Run) -> None:
    cell = """
from pyspark.errors import PySparkException
try:
    raise KeyboardInterrupt
except KeyboardInterrupt:
    raise PySparkException("the connection was cut")"""
    assert run(cell).strip() == "Interrupted."
    assert "the connection was cut" in run(cell + " from None")


def test_a_reason_that_stands_first_is_shown_alone() -> None:
    text = "[CF_STATE_LOST] The log is gone.\n\n[STREAM_FAILED] Query [id = 1, runId = 2] terminated: Traceback ..."
    assert short_message(Exception(text)) == "[CF_STATE_LOST] The log is gone."
