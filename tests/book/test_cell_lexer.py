"""The colors of a lesson's cell."""

from __future__ import annotations

import pytest
from pygments.token import Error, Keyword, Name

from book.cell_lexer import CellLexer


def tokens(text: str) -> list[tuple[object, str]]:
    return [(kind, value) for kind, value in CellLexer().get_tokens(text) if value.strip()]


def test_python_is_python() -> None:
    assert (Keyword.Namespace, "import") in tokens("import pandas")


@pytest.mark.parametrize("cell", ["%sql\nSELECT 1", "%sql SELECT 1"])
def test_what_follows_sql_is_sql(cell: str) -> None:
    assert tokens(cell)[:2] == [(Name.Decorator, "%sql"), (Keyword, "SELECT")]


@pytest.mark.parametrize("cell", ["x = 1", "%sql\nSELECT 'a'", "%run ../Includes/Classroom-Setup", "%", "%fs ls /"])
def test_the_text_stays_whole(cell: str) -> None:
    assert "".join(value for _kind, value in CellLexer().get_tokens(cell)) == f"{cell}\n"


def test_words_of_the_dialect_are_no_errors() -> None:
    assert Error not in {kind for kind, _value in tokens("%sql\nSELECT * FROM json.`${da.paths.landing}` WHERE x ¬ ?")}
