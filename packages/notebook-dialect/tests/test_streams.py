"""What lessons say about streams, in a real kernel (rows 5 to 8, 10, 12, 13, 15, 16 and 19)."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from notebook_dialect.sql import spark_sql as module


@pytest.fixture
def source(notebook):
    """Have a Delta table of three rows to stream from, whose stream runs dry, as `events`."""
    notebook.ok(
        "for t in ('events', 'copies'): spark.sql(f'DROP TABLE IF EXISTS {t}')\ndbutils.fs.rm('/tmp/test', True)"
    )
    notebook.ok("spark.range(3).withColumnRenamed('id', 'n').write.saveAsTable('events')")
    notebook.ok("stream = spark.readStream.table('events')")
    return notebook


# Row 5: display(x)


@pytest.mark.parametrize(
    "cell",
    [
        "display(spark.range(2))",
        "spark.range(2).display()",
        "spark.range(2).toDF('id').filter('id >= 0').display()",
        "import pandas as pd; display(pd.DataFrame({'id': [0, 1]}))",
        "display(spark.range(2).collect())",
        "display([{'id': 0}, {'id': 1}])",
    ],
)
def test_frames_and_lists_of_rows_are_tables(notebook, cell: str) -> None:
    result = notebook.ok(cell)
    assert result.text == "id\n 0\n 1\n(2 rows)\n"
    assert "<table" in result.html and "2 rows" in result.html


def test_a_listing_is_a_table(notebook) -> None:
    notebook.ok("dbutils.fs.put('/mnt/listing/a.txt', 'x', True)")
    result = notebook.ok("display(dbutils.fs.ls('/mnt/listing'))")
    assert "dbfs:/mnt/listing/a.txt" in result.html and "modificationTime" in result.html


@pytest.mark.parametrize("rows", ["spark.range(1001)", "spark.range(1001).toPandas()", "spark.range(1001).collect()"])
def test_more_than_a_thousand_rows_are_cut_and_it_is_said(notebook, rows: str) -> None:
    result = notebook.ok(f"display({rows})")
    assert "first 1,000 rows" in result.text and result.html.count("<tr>") == 1001


# Row 6: display(stream, ...)


@pytest.mark.slow
def test_a_displayed_stream_has_its_name_and_its_table(source) -> None:
    result = source.ok("display(stream, streamName='shown')")
    assert "(shown: 3 rows)" in result.text
    assert source.value("[query.name for query in spark.streams.active]") == ["shown"]
    assert source.value("spark.table('shown').count()") == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        "trigger={'processingTime': '1 second'}",
        "trigger='1 second'",
        "processingTime='1 second'",
        "trigger={'availableNow': True}",
        "checkpointLocation='/tmp/test/display'",
        "outputMode='append'",
    ],
)
def test_each_option_of_a_displayed_stream_is_taken(source, options: str) -> None:
    assert "3 rows" in source.ok(f"display(stream, streamName='with_option', {options})").text
    source.ok("stopAllStreams(); spark.catalog.dropTempView('with_option')")


@pytest.mark.slow
def test_a_stream_displays_itself(source) -> None:
    assert "3 rows" in source.ok("stream.display()").text


def test_a_refused_stream_raises_in_the_calling_cell(source) -> None:
    result = source.run("display(stream.groupBy('n').count(), outputMode='append')")
    assert result.ename == "AnalysisException"


# Rows 7, 8, 10, 13: writing and waiting


@pytest.mark.slow
@pytest.mark.parametrize("trigger", ["availableNow=True", "once=True", "processingTime='1 second'"])
@pytest.mark.parametrize("method", ["table", "toTable"])
def test_a_stream_is_written_to_a_delta_table(source, method: str, trigger: str) -> None:
    source.ok(
        f"query = (stream.writeStream.option('checkpointLocation', '/tmp/test/c').trigger({trigger}).queryName('copying')"
        f".{method}('copies'))\nquery.processAllAvailable()"
    )
    assert source.value("spark.table('copies').count()") == 3
    assert source.value("spark.sql('DESCRIBE DETAIL copies').first().format") == "delta"


@pytest.mark.slow
def test_loops_over_active_streams_end(source) -> None:
    source.ok(
        "q = stream.writeStream.trigger(availableNow=True).option('checkpointLocation', '/tmp/test/c').table('copies')"
    )
    source.ok("for s in spark.streams.active:\n    s.awaitTermination()")
    source.ok(
        "q = stream.writeStream.option('checkpointLocation', '/tmp/test/d').format('memory').queryName('m').start()"
    )
    source.ok("untilStreamIsReady('m')")
    source.ok("for s in spark.streams.active:\n    s.stop()\n    s.awaitTermination()")
    assert source.value("spark.streams.active") == []
    source.ok("import time\nwhile len(spark.streams.active) > 0:\n    time.sleep(1)")


# Row 12: foreachBatch


@pytest.mark.slow
def test_a_batch_function_reaches_the_session_by_both_ways(source) -> None:
    source.ok("spark.sql('CREATE TABLE copies (n LONG, times LONG)')")
    source.ok("""
def upsert(batch, batch_id):
    batch.createOrReplaceTempView("updates")
    merge = '''MERGE INTO copies c USING updates u ON c.n = u.n
               WHEN MATCHED THEN UPDATE SET times = c.times + 1 WHEN NOT MATCHED THEN INSERT (n, times) VALUES (u.n, 1)'''
    batch._jdf.sparkSession().sql(merge)
    batch.sparkSession.sql(merge)
query = stream.writeStream.foreachBatch(upsert).outputMode("update").trigger(availableNow=True).start()
query.awaitTermination(60)
""")
    assert source.value("[tuple(row) for row in spark.table('copies').orderBy('n').collect()]") == [
        (0, 2),
        (1, 2),
        (2, 2),
    ]


# Row 15: memory and console sinks


def test_the_console_prints_into_the_cell_that_started_it(source) -> None:
    cell = source.ok("q = stream.writeStream.format('console').queryName('printing').start()")
    assert len(cell.outputs) == 1
    other = source.ok("q.processAllAvailable()\nprint('in another cell')")
    source.updates(3)
    text = cell.text
    assert "Batch: 0" in text and "|  2|" in text
    assert other.text == "in another cell\n"
    source.ok(
        "spark.range(3, 5).withColumnRenamed('id', 'n').write.mode('append').saveAsTable('events')\nq.processAllAvailable()"
    )
    source.updates(3)
    assert "Batch: 1" in cell.text and "Batch: 0" in cell.text
    assert "Batch:" not in source.terminal.read_text()


# Rows 16 and 19: Delta


@pytest.mark.slow
@pytest.mark.parametrize("option", ["readChangeFeed", "readChangeData"])
def test_the_change_feed_is_read_under_both_names(source, option: str) -> None:
    source.ok(
        "%sql CREATE TABLE copies (n INT) TBLPROPERTIES (delta.enableChangeDataFeed = true);\nINSERT INTO copies VALUES (1), (2);\nDELETE FROM copies WHERE n = 1"
    )
    source.ok(f"changes = spark.readStream.option('{option}', 'true').option('startingVersion', 0).table('copies')")
    assert "delete" in source.ok("display(changes, streamName='changes')").text
    assert "delete" in source.ok("%sql SELECT * FROM table_changes('copies', 0)").text


# Row 13


def test_without_stream_view_a_frame_is_printed_and_other_values_are_shown(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(module, "function_of_sibling", lambda _name: None)
    module.display(spark.range(2), "text")
    shown = capsys.readouterr().out
    assert "|0  |" in shown and "|1  |" in shown and shown.endswith("text\n")


def test_with_stream_view_its_display_gets_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    shows = {"display": lambda *values, **options: given.append((values, options))}
    monkeypatch.setattr(module, "function_of_sibling", shows.get)
    module.display(1, streamName="clicks")
    assert given == [((1,), {"streamName": "clicks"})]
