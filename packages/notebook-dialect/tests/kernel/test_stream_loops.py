"""What a cell says of a stream that it loops over, or that it has not started."""

from __future__ import annotations

TOLD = "numbers is a stream: a loop goes over its columns"


def test_a_loop_over_a_stream_says_what_it_goes_over(notebook) -> None:
    notebook.ok("numbers = spark.readStream.format('rate').load()")
    assert TOLD in notebook.ok("for row in numbers:\n    print(row)").text
    assert TOLD in notebook.ok("kept = [row for row in numbers]").text
    assert TOLD not in notebook.ok("def show(frame):\n    for row in numbers:\n        print(row)").text
    assert TOLD not in notebook.run("for row in numbers:\n    raise ValueError").text
    assert TOLD not in notebook.ok("for column in numbers.columns:\n    print(column)").text
    assert "is a stream" not in notebook.ok("few = spark.range(2)\nfor row in few.collect():\n    print(row)").text
    assert "is a stream" not in notebook.ok("for column in few:\n    print(column)").text


def test_a_writer_that_is_not_started_says_so_and_a_query_shows_itself(notebook) -> None:
    cell = notebook.ok("spark.readStream.format('rate').load().writeStream.format('memory').queryName('lost')")
    assert cell.text.strip() == "This stream is not started: add .start(), or .toTable(name)."
    shown = notebook.ok("spark.readStream.format('rate').load().writeStream.format('noop').start()").text
    assert "StreamingQuery" in shown and "not started" not in shown
    notebook.ok("[query.stop() for query in spark.streams.active]")
