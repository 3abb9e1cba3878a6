"""The dialect of CSV files, and their records cut into tokens as by univocity, the parser inside Spark.

:class:`Tokenizer` cuts lines without oddities at once; odd lines, and texts whose records span lines, go character by
character through :class:`_Cursor`.  An unquoted token of no length is None, because it is NULL with any options.
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
_NONE = "\0"
_BLANK = "".join(map(chr, range(0x21)))


class Tokenizer:
    """Cuts lines of a dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        trims = dialect.trim_left or dialect.trim_right
        quote, separator = re.escape(dialect.quote), re.escape(dialect.separator)
        self._simple: re.Pattern[str] | None = None
        if quote and len(dialect.separator) == 1 and not trims and not dialect.empty:
            inside = f"[^{quote}{re.escape(dialect.escape)}\\r\\n]+"
            self._simple = re.compile(
                f"(?:{quote}({inside}){quote}|([^{quote}{separator}][^{separator}]*)?)(?:{separator}|$)"
            )
            self._whole = re.compile(
                f"(?:{quote}{inside}{quote}|[^{quote}{separator}][^{separator}]*)?"
                f"(?:{separator}(?:{quote}{inside}{quote}|[^{quote}{separator}][^{separator}]*)?)*"
            )

    def tokens(self, line: str) -> Tokens:
        dialect = self._dialect
        if not dialect.quote or dialect.quote not in line:
            tokens = line.split(dialect.separator)
            if dialect.trim_left:
                tokens = [token.lstrip(_BLANK) for token in tokens]
            if dialect.trim_right:
                tokens = [token.rstrip(_BLANK) for token in tokens]
            return [token or None for token in tokens]
        if self._simple is not None and self._whole.fullmatch(line):
            found = self._simple.findall(line)
            # At the end of the line the pattern finds another empty token, unless the line ends with a separator.
            if line[-1] != dialect.separator:
                found.pop()
            return [quoted or plain or None for quoted, plain in found]
        return next(_Cursor(line, dialect).records(), (None, []))[1] or [None]

    def records(self, text: str) -> Iterator[tuple[str, Tokens]]:
        """Yield the source and the tokens of every record of a text in which values may span lines."""
        first = re.search(r"\r\n?|\n", text)  # the end of line that univocity takes for all of them
        if first is not None and first[0] != "\n":
            text = text.replace(first[0], "\n")
        return _Cursor(text, self._dialect).records()


class _EndOfText(Exception):
    """There are no more characters."""


class _Cursor:
    """Reads a text character by character."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._dialect = dialect
        self._next_at = 0
        self._at = ""
        # As in univocity, a missing escape is the same as the character before a value.
        self._before, self._escape = _NONE, dialect.escape or _NONE
        self._unescaped = False
        self._separator = dialect.separator
        self._value: list[str] = []
        self._tokens: Tokens = []

    def records(self) -> Iterator[tuple[str, Tokens]]:
        """Yield the records; empty lines and comments are skipped."""
        while self._next_at < len(self._text):
            start = self._next_at
            self._tokens, self._value = [], []
            self._before, self._unescaped = _NONE, False
            try:
                self._advance()
                if self._dialect.comment and self._at == self._dialect.comment:
                    while self._at != "\n":
                        self._advance()
                    continue
                self._record()
            except _EndOfText:
                self._finish()
            except RecursionError:
                # Hundreds of stray quotes in one value: the rest of the line is taken as it is.
                end = self._text.find("\n", self._next_at)
                end = len(self._text) if end < 0 else end
                self._value.append(self._text[self._next_at : end])
                self._next_at = end + 1
                self._push()
            if self._tokens:
                yield self._text[start : self._next_at].rstrip("\r\n"), self._tokens

    def _advance(self) -> None:
        if self._next_at >= len(self._text):
            raise _EndOfText
        self._at = self._text[self._next_at]
        self._next_at += 1

    def _is_at_end(self) -> bool:
        return self._at == "\n" or (self._text.startswith(self._separator, self._next_at - 1) and self._at != _NONE)

    def _forget_separator(self) -> None:
        """After a stray quote, read to the end of the line, if the separator has several characters."""
        if len(self._separator) > 1:
            self._separator = "\n"

    def _record(self) -> None:
        while self._at != "\n":
            self._separator = self._dialect.separator
            if self._dialect.trim_left:
                while self._at <= " " and not self._is_at_end() and self._at != self._dialect.quote:
                    self._advance()
            if self._is_at_end():
                self._tokens.append(None)
            elif self._at == self._dialect.quote and self._is_empty_in_quotes():
                self._next_at += 1
                self._push()
                self._advance()
            elif self._at == self._dialect.quote:
                self._unescaped, self._before = False, _NONE
                self._quoted()
                self._push()
            else:
                self._unescaped, self._before = False, _NONE
                self._until_end()
                self._trim()
                self._tokens.append("".join(self._value) or None)
                self._value = []
            if self._at != "\n":
                if self._text.startswith(self._separator, self._next_at - 1):  # go to its end
                    self._next_at += len(self._separator) - 1
                    self._at = self._separator[-1]
                self._advance()
                if self._at == "\n":
                    self._tokens.append(None)

    def _is_empty_in_quotes(self) -> bool:
        """Whether two quotes are an empty value if one of them could also be escaped by the start of the value."""
        quote, separator = self._dialect.quote, self._dialect.separator
        after = self._text[self._next_at : self._next_at + 2]
        return self._escape == _NONE and len(separator) == 1 and after in (f"{quote}{separator}", f"{quote}\n")

    def _until_end(self) -> None:
        first = self._at
        try:
            while not self._is_at_end():
                self._value.append(self._at)
                self._advance()
        except _EndOfText:
            # The meaning of the end of the text depends on the first character.
            self._at = first
            raise

    def _trim(self) -> None:
        if self._dialect.trim_right:
            while self._value and self._value[-1] <= " ":
                self._value.pop()

    def _push(self) -> None:
        self._tokens.append("".join(self._value) or self._dialect.empty)
        self._value = []

    def _quoted(self) -> None:
        dialect = self._dialect
        if self._before != _NONE and not dialect.to_closing_quote:
            self._value.insert(0, dialect.quote)
            self._advance()
            self._until_end()
            self._trim()
            return
        self._advance()
        while not (self._before == dialect.quote and (self._at <= " " or self._is_at_end())):
            if self._at not in (dialect.quote, self._escape):
                if self._before == dialect.quote:  # a stray one
                    self._unescaped = True
                    self._value += [dialect.quote, self._at]
                    self._before = self._at
                    self._quoted()
                    return
                if self._before == dialect.escape and dialect.escape:
                    self._value.append(dialect.escape)
                self._until_special()
                self._before = self._at
                self._advance()
            else:
                self._escaped()
                self._before = self._at
                self._advance()
                if self._unescaped and self._is_at_end():
                    return
        if not self._is_at_end() and self._at <= " ":
            self._after_quoted()

    def _until_special(self) -> None:
        special = (self._dialect.quote, self._escape, self._dialect.escape_of_escape)
        first = self._at
        try:
            while self._at not in special:
                self._value.append(self._at)
                self._advance()
        except _EndOfText:
            self._at = first
            raise

    def _escaped(self) -> None:
        dialect = self._dialect
        if self._at == self._escape and self._before == dialect.escape_of_escape and dialect.escape_of_escape:
            self._value.append(self._escape)
            self._at = _NONE
        elif self._before == self._escape:
            if self._at == dialect.quote:
                self._value.append(dialect.quote)
                self._at = _NONE
            else:
                self._value.append(self._before)
        elif self._at == dialect.quote and self._before == dialect.quote:
            self._value.append(dialect.quote)
        elif self._before == dialect.quote:
            self._value.append(dialect.quote)
            self._before = self._at
            self._forget_separator()
            self._rest_with_escapes()

    def _rest_with_escapes(self) -> None:
        """Read to the end of a value after a stray quote."""
        while not self._is_at_end():
            if self._at in (self._dialect.quote, self._escape):
                self._escaped()
                if self._is_at_end():
                    return
            elif self._before == self._dialect.quote:
                self._value.append(self._dialect.quote)
                self._before = self._at
                continue
            else:
                self._value.append(self._at)
            self._before = self._at
            self._advance()

    def _after_quoted(self) -> None:
        """Skip blanks after a closing quote; if more text follows, the quote was a stray one."""
        blanks = []
        while True:
            blanks.append(self._at)
            self._advance()
            if self._at == "\n":
                return
            if self._at > " " or self._is_at_end():
                break
        if self._is_at_end():
            return
        self._value += [self._dialect.quote, *blanks]
        if not self._dialect.to_closing_quote or self._at not in (self._dialect.quote, self._escape):
            self._value.append(self._at)
        self._forget_separator()
        self._before = self._at
        self._quoted()

    def _finish(self) -> None:
        dialect, taken = self._dialect, False
        if self._at == dialect.quote and dialect.quote:
            if self._before == dialect.quote:
                taken = True
            elif not self._unescaped:
                self._value.append(dialect.quote)
        taken = taken or (self._before != _NONE and self._at not in (dialect.separator[-1], "\n"))
        if self._value and self._before == _NONE:
            self._trim()
        if self._value or taken:
            self._push()
        else:
            self._tokens.append(None)
