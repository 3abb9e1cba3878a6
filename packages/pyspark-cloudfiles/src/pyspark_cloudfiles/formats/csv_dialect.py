"""The dialect of CSV files, and their records cut into values by one regular expression.

It reads stray quotes and escapes as Spark's parser does, which Python's ``csv`` does not.  An unquoted value of no
length is None, because it is NULL with any options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyspark_cloudfiles.errors import CloudFilesError, InvalidOption, UnsupportedOption

_SEPARATORS = {r"\t": "\t", r"\r": "\r", r"\b": "\b", r"\f": "\f", r"\"": '"', r"\'": "'", r"\\": "\\", r"\u0000": "\0"}


@dataclass(frozen=True)
class Dialect:
    """The syntax of a CSV text; an empty character does not occur."""

    separator: str
    quote: str
    escape: str
    escape_of_escape: str
    comment: str
    null: str
    empty: str
    trim_left: bool
    trim_right: bool
    to_closing_quote: bool
    max_columns: int
    max_characters: int
    multi_line: bool
    header: bool
    skip_rows: int

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> Dialect:
        """Return the dialect of options; there is a header unless they deny it."""
        quote, escape = _character(options, "quote", '"'), _character(options, "escape", "\\")
        handling = options.get("unescapedquotehandling", "STOP_AT_DELIMITER").upper()
        if handling not in ("STOP_AT_DELIMITER", "STOP_AT_CLOSING_QUOTE"):
            known = handling in ("BACK_TO_DELIMITER", "SKIP_VALUE", "RAISE_ERROR")
            kind: type[CloudFilesError] = UnsupportedOption if known else InvalidOption
            raise kind(f"unescapedQuoteHandling is {handling}. Set it to STOP_AT_DELIMITER or STOP_AT_CLOSING_QUOTE.")
        return cls(
            separator=_separator(options.get("sep", options.get("delimiter", ","))),
            quote=quote,
            escape=escape,
            escape_of_escape=options.get("chartoescapequoteescaping") or ("" if quote == escape else escape),
            comment=_character(options, "comment", ""),
            null=options.get("nullvalue", ""),
            empty=options.get("emptyvalue", ""),
            trim_left=_flag(options, "ignoreleadingwhitespace"),
            trim_right=_flag(options, "ignoretrailingwhitespace"),
            to_closing_quote=handling == "STOP_AT_CLOSING_QUOTE",
            max_columns=_number(options, "maxcolumns", 20480),
            max_characters=_number(options, "maxcharspercolumn", -1),
            multi_line=_flag(options, "multiline"),
            header=_flag(options, "header", "true"),
            skip_rows=_number(options, "skiprows", 0),
        )


def _separator(text: str) -> str:
    if not text:
        raise InvalidOption("sep is empty. Set it to the text between two values.")
    parts, position = [], 0
    while position < len(text):
        if text[position] != "\\":
            length, part = 1, text[position]
        else:
            length = 6 if text.startswith(r"\u0000", position) else 2
            part = _SEPARATORS.get(text[position : position + length], "")
        if not part:
            raise InvalidOption(f"sep is {text!r}, where the backslash has no meaning. Write two for one.")
        parts.append(part)
        position += length
    return "".join(parts)


def _character(options: Mapping[str, str], name: str, default: str) -> str:
    value = options.get(name, default)
    if len(value) > 1:
        raise InvalidOption(f"{name} is {value!r}. Set it to one character.")
    return "" if value == "\0" else value


def _flag(options: Mapping[str, str], name: str, default: str = "false") -> bool:
    value = options.get(name, default).lower()
    if value not in ("true", "false"):
        raise InvalidOption(f"{name} is {value!r}. Set it to true or false.")
    return value == "true"


def _number(options: Mapping[str, str], name: str, default: int) -> int:
    try:
        return int(options.get(name, default))
    except ValueError as error:
        raise InvalidOption(f"{name} is {options[name]!r}. Set it to a number.") from error


Tokens = list["str | None"]
_BLANK = "".join(map(chr, range(0x21)))


class Tokenizer:
    """Cuts the lines and texts of a dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._cell = re.compile(_cell_pattern(dialect))
        escapes = "|".join(_escapes(dialect))
        self._escape = re.compile(escapes) if escapes else None

    def tokens(self, line: str) -> Tokens:
        """Return the values of a line, which is not empty."""
        dialect = self._dialect
        if not dialect.quote or dialect.quote not in line:
            values = line.split(dialect.separator)
            trims = dialect.trim_left or dialect.trim_right
            return list(map(self._plain, values)) if trims else [value or None for value in values]
        return next(self._records(line), ("", [None]))[1]

    def records(self, text: str) -> Iterator[tuple[str, Tokens]]:
        """Yield the source and the values of each record of a text in which values may span lines.

        Empty lines and comments are no records.  The first end of line is that of all lines.
        """
        first = re.search(r"\r\n?|\n", text)
        if first is not None and first[0] != "\n":
            text = text.replace(first[0], "\n")
        return self._records(text)

    def _records(self, text: str) -> Iterator[tuple[str, Tokens]]:
        comment, position = self._dialect.comment, 0
        while position < len(text):
            if text[position] == "\n":
                position += 1
            elif comment and text.startswith(comment, position):
                position = text.find("\n", position) + 1 or len(text)
            else:
                start, tokens, end = position, [], self._dialect.separator
                while end == self._dialect.separator:
                    cell = self._cell.match(text, position)
                    plain, inside, end = cell.group("plain", "inside", "end")  # type: ignore[union-attr]
                    tokens.append(self._plain(plain) if inside is None else self._unescaped(inside))
                    position = cell.end()  # type: ignore[union-attr]
                yield text[start:position].rstrip("\r\n"), tokens

    def _plain(self, value: str) -> str | None:
        if self._dialect.trim_left:
            value = value.lstrip(_BLANK)
        if self._dialect.trim_right:
            value = value.rstrip(_BLANK)
        return value or None

    def _unescaped(self, value: str) -> str:
        if self._escape is not None:
            value = self._escape.sub(lambda found: found[0][-1], value)
        return value or self._dialect.empty


def _escapes(dialect: Dialect) -> list[str]:
    """Return patterns of the pairs that stand for their second character in a quoted value."""
    pairs = [dialect.escape + dialect.quote, dialect.escape_of_escape + dialect.escape]
    return [re.escape(pair) for pair in pairs if len(pair) == 2]


def _cell_pattern(dialect: Dialect) -> str:
    """Return a pattern of a value and its end: a separator, an end of line or the end of the text.

    ``inside`` is what is between quotes.  If text follows the closing quote, the quotes are part of the value, as far
    as the next separator.  If there is no closing quote, the value is the rest of the text.
    """
    separator, quote = re.escape(dialect.separator), re.escape(dialect.quote)
    end = rf"(?:{separator}|\n|\Z)"
    rest = rf"(?:(?!{separator})[^\n])*+"
    if not quote:
        return rf"(?P<inside>(?!))?(?P<plain>{rest})(?P<end>{end})"
    blanks = rf"(?:(?!{separator})[\x00-\x09\x0b-\x20])*+"
    closing = rf"{quote}{blanks}(?={end})"
    marks = "".join(re.escape(mark) for mark in {dialect.quote, dialect.escape, dialect.escape_of_escape} if mark)
    parts = [*_escapes(dialect), f"[^{marks}]++", f"(?!{quote})[{marks}]"]
    value = f"{quote}(?:{'|'.join(parts)})*+{quote}"
    if dialect.to_closing_quote:
        pairs = "|".join(_escapes(dialect)) or "(?!)"
        inside = f"(?:{pairs}|(?!{pairs})(?s:.))*?"
    else:  # of several quotes at the end, the last is the closing one
        inside = f"(?:{'|'.join([*parts, f'{quote}(?={quote}*{closing})'])})*+"
    quoted = rf"{blanks if dialect.trim_left else ''}{quote}(?P<inside>{inside})(?:{closing}|(?<!{quote})\Z)"
    return f"(?:{quoted}|(?P<plain>{value}{rest}|{rest}))(?P<end>{end})"
