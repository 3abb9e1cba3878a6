"""A loop over a stream is told that it goes over columns; one over anything else is not."""

from __future__ import annotations

import pytest

from notebook_dialect.kernel.stream_loops import looped_over

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


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("for a in b:\n    for c in d:\n        pass", ["b", "d"]),
        ("[x for x in y] + [z for z in y]", ["y"]),
        ("for a in b.columns: pass", []),
        ("def f():\n    for a in b: pass\n    return [c for c in d]", []),
        ("key = lambda: [c for c in d]", []),
        ("if x:\n    for a in b: pass", ["b"]),
        ("for broken in (", []),
        ("print('no loop')", []),
    ],
)
def test_the_names_of_loops_are_found(source: str, names: list[str]) -> None:
    assert list(looped_over(source)) == names
