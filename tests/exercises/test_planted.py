"""What hidden tests borrow from a lesson: its definitions, and nothing that its cells do besides."""

from __future__ import annotations

import ast

import pytest
from lesson_exercises import planted


def test_functions_and_constants_of_a_lesson_are_given_in_the_order_that_was_asked_for() -> None:
    source = planted.definitions_of("13", "checked", "REASON")
    assert [node.lineno for node in ast.parse(source).body] == sorted(
        [source[: source.index(words)].count("\n") + 1 for words in ("def checked", "REASON =")]
    )


def test_what_else_a_cell_does_is_left_out() -> None:
    source = planted.definitions_of("13", "bronze")  # its cell also starts two streams, and lands a file
    [function] = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef) and "data_factory" not in source


def test_a_name_that_the_lesson_does_not_define_is_an_error() -> None:
    with pytest.raises(KeyError, match="nobody"):
        planted.definitions_of("13", "nobody")
