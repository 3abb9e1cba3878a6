"""A stream that is a cell's last line and was not started says what is missing."""

from __future__ import annotations


def test_a_writer_that_is_not_started_says_so_and_a_query_shows_itself(notebook) -> None:
    cell = notebook.ok("spark.readStream.format('rate').load().writeStream.format('memory').queryName('lost')")
    assert cell.text.strip() == "This stream is not started: add .start(), or .toTable(name)."
    shown = notebook.ok("spark.readStream.format('rate').load().writeStream.format('noop').start()").text
    assert "StreamingQuery" in shown and "not started" not in shown
    notebook.ok("[query.stop() for query in spark.streams.active]")
