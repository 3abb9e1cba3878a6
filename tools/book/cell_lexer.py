"""The colors of a lesson's cell: Python, or the language of its first line, such as ``%sql``."""

from __future__ import annotations

from collections.abc import Iterator

from pygments.lexer import Lexer
from pygments.lexers import BashLexer, MarkdownLexer, PythonLexer, SqlLexer, TextLexer
from pygments.token import Error, Name, Text, _TokenType

NAME = "lesson-cell"
_LANGUAGES: dict[str, type[Lexer]] = {
    "sql": SqlLexer,
    "sh": BashLexer,
    "bash": BashLexer,
    "md": MarkdownLexer,
    "python": PythonLexer,
}


class CellLexer(Lexer):
    """Highlights a cell of a notebook in Databricks' dialect."""

    name = "Cell of a lesson"
    aliases = (NAME,)
    filenames = ()

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield where each token is, its kind and its text."""
        magic = text.split(maxsplit=1)[0] if text.startswith("%") else ""
        if magic:
            yield 0, Name.Decorator, magic
        lexer = _LANGUAGES.get(magic.lstrip("%"), TextLexer)() if magic else PythonLexer()
        for position, token, value in lexer.get_tokens_unprocessed(text[len(magic) :]):
            # What a lexer does not know, such as ${names} in SQL, is the dialect's, and no mistake.
            yield position + len(magic), Text if token is Error else token, value
