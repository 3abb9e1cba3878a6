"""Tracebacks of the learner's functions, as Spark hands them on."""

from __future__ import annotations

from streaming_base.errors import python_error_line, short_message

BRIDGE = """An exception was raised by the Python Proxy. Return Message: Traceback (most recent call last):
  File "/x/lib/python3.11/site-packages/py4j/clientserver.py", line 644, in _call_proxy
    return_value = getattr(self.pool[obj_id], method)(*params)
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/tmp/ipykernel_7/123.py", line 3, in upsert
    write(batch)
  File "{file}", line 5, in write
    raise ValueError("boom")
ValueError: boom
 SQLSTATE: 39000 SQLSTATE: XXKST"""


def test_what_was_raised_and_the_line_are_left() -> None:
    said = 'ValueError: boom (write, line 5 of helpers.py: raise ValueError("boom"))'
    assert python_error_line(BRIDGE.format(file="/home/me/helpers.py")) == said
    assert "line 5 of its cell" in str(python_error_line(BRIDGE.format(file="/tmp/ipykernel_7/9.py")))


def test_a_library_that_raises_is_called_from_a_line_of_ones_own() -> None:
    text = BRIDGE.format(file="/x/lib/python3.11/site-packages/pandas/core.py")
    assert python_error_line(text) == "ValueError: boom (upsert, line 3 of its cell: write(batch))"


def test_an_error_with_a_condition_says_all_by_itself() -> None:
    raised = "pkg.errors.PathNotFound: [CF_PATH_DOES_NOT_EXIST] /in does not exist. Create it."
    text = BRIDGE.format(file="/home/me/source.py").replace("ValueError: boom\n", raised + "\n")
    assert python_error_line(text) == "[CF_PATH_DOES_NOT_EXIST] /in does not exist. Create it."


def test_a_syntax_error_names_the_line_of_the_cell() -> None:
    assert short_message(SyntaxError("invalid syntax (1977427231.py, line 10)")) == (
        "invalid syntax (line 10 of the cell)"
    )
