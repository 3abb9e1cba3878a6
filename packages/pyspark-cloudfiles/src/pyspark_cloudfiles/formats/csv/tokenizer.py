"""CSV records cut into tokens as by univocity, the parser inside Spark, whatever their quotes.

:class:`Tokenizer` cuts lines without oddities at once; what is odd, and texts where records span lines, goes character
by character through :class:`_Cursor`.  An unquoted token of no length is None, for it is NULL whatever the options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyspark_cloudfiles.formats.csv.dialect import Dialect

Tokens = list["str | None"]
_NONE = "\0"


class Tokenizer:
    """Cuts lines of a dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._trims = dialect.trim_left or dialect.trim_right
        quote, separator = re.escape(dialect.quote), re.escape(dialect.separator)
        self._simple: re.Pattern[str] | None = None
        if quote and len(dialect.separator) == 1 and not self._trims and not dialect.empty:
            inside = f"[^{quote}{re.escape(dialect.escape)}\\r\\n]+"
            self._simple = re.compile(
                f"(?:{quote}({inside}){quote}|([^{quote}{separator}][^{separator}]*)?)(?:{separator}|$)"
            )
            self._whole = re.compile(
                f"(?:{quote}{inside}{quote}|[^{quote}{separator}][^{separator}]*)?"
                f"(?:{separator}(?:{quote}{inside}{quote}|[^{quote}{separator}][^{separator}]*)?)*"
            )

    def tokens(self, line: str) -> Tokens:
        """Return the tokens of one line."""
        dialect = self._dialect
        if not dialect.quote or dialect.quote not in line:
            tokens = line.split(dialect.separator)
            return self._trimmed(tokens) if self._trims else [token or None for token in tokens]
        if self._simple is not None and self._whole.fullmatch(line):
            found = self._simple.findall(line)
            # At the end of the line an empty token is found once more, unless the line ends with a separator.
            if line[-1] != dialect.separator:
                found.pop()
            return [quoted or plain or None for quoted, plain in found]
        return next(_Cursor(line, dialect).records(), (None, []))[1] or [None]

    def records(self, text: str) -> Iterator[tuple[str, Tokens]]:
        """Give the source and the tokens of every record of a text in which values may span lines."""
        return _Cursor(_with_plain_line_ends(text), self._dialect).records()

    def _trimmed(self, tokens: list[str]) -> Tokens:
        blank = "".join(map(chr, range(0x21)))
        if self._dialect.trim_left:
            tokens = [token.lstrip(blank) for token in tokens]
        if self._dialect.trim_right:
            tokens = [token.rstrip(blank) for token in tokens]
        return [token or None for token in tokens]


def _with_plain_line_ends(text: str) -> str:
    """Make the line end that comes first in a text a plain LF everywhere."""
    found = re.search(r"\r\n?|\n", text)
    return text if found is None or found[0] == "\n" else text.replace(found[0], "\n")


class _EndOfText(Exception):
    """There are no more characters."""


class _Cursor:
    """Reads a text character by character."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._dialect = dialect
        self._next_at = 0
        self._at = ""
        # As to univocity, of what is none: a missing escape is also what stands before a value.
        self._before, self._escape = _NONE, dialect.escape or _NONE
        self._unescaped = False
        self._separator = dialect.separator
        self._value: list[str] = []
        self._tokens: Tokens = []

    def records(self) -> Iterator[tuple[str, Tokens]]:
        """Give the records; lines of no length and comments are none."""
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
                self._rest_of_line()
            if self._tokens:
                yield self._text[start : self._next_at].rstrip("\r\n"), self._tokens

    def _rest_of_line(self) -> None:
        end = self._text.find("\n", self._next_at)
        end = len(self._text) if end < 0 else end
        self._value.append(self._text[self._next_at : end])
        self._next_at = end + 1
        self._push()

    def _advance(self) -> None:
        if self._next_at >= len(self._text):
            raise _EndOfText
        self._at = self._text[self._next_at]
        self._next_at += 1

    def _at_separator(self) -> bool:
        """Return whether a separator begins here, and go to its end."""
        separator = self._separator
        if not self._text.startswith(separator, self._next_at - 1):
            return False
        self._next_at += len(separator) - 1
        self._at = separator[-1]
        return True

    def _ended(self) -> bool:
        return self._at == "\n" or (self._text.startswith(self._separator, self._next_at - 1) and self._at != _NONE)

    def _forget_separator(self) -> None:
        """Take what follows a stray quote to the end of its line, if the separator has several characters."""
        if len(self._separator) > 1:
            self._separator = "\n"

    def _record(self) -> None:
        while self._at != "\n":
            self._separator = self._dialect.separator
            if self._dialect.trim_left:
                self._skip_blank()
            if self._ended():
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
                self._push_plain()
            if self._at != "\n":
                self._at_separator()
                self._advance()
                if self._at == "\n":
                    self._tokens.append(None)

    def _skip_blank(self) -> None:
        while self._at <= " " and not self._ended() and self._at != self._dialect.quote:
            self._advance()

    def _is_empty_in_quotes(self) -> bool:
        """Whether two quotes are an empty value where one of them could also be escaped by the start of the value."""
        quote, separator = self._dialect.quote, self._dialect.separator
        behind = self._text[self._next_at : self._next_at + 2]
        return self._escape == _NONE and len(separator) == 1 and behind in (f"{quote}{separator}", f"{quote}\n")

    def _until_end(self) -> None:
        first = self._at
        try:
            while not self._ended():
                self._value.append(self._at)
                self._advance()
        except _EndOfText:
            # What the end of the text means depends on the character that this began with.
            self._at = first
            raise

    def _trim(self) -> None:
        if self._dialect.trim_right:
            while self._value and self._value[-1] <= " ":
                self._value.pop()

    def _push(self) -> None:
        self._tokens.append("".join(self._value) or self._dialect.empty)
        self._value = []

    def _push_plain(self) -> None:
        self._tokens.append("".join(self._value) or None)
        self._value = []

    def _quoted(self) -> None:
        """Read a value that began with a quote; the steps are univocity's."""
        dialect = self._dialect
        if self._before != _NONE and not dialect.to_closing_quote:
            self._value.insert(0, dialect.quote)
            self._advance()
            self._until_end()
            self._trim()
            return
        self._advance()
        while not (self._before == dialect.quote and (self._at <= " " or self._ended())):
            if self._at not in (dialect.quote, self._escape):
                if self._before == dialect.quote:
                    self._stray_quote()
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
                if self._unescaped and self._ended():
                    return
        if not self._ended() and self._at <= " ":
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

    def _stray_quote(self) -> None:
        self._unescaped = True
        self._value += [self._dialect.quote, self._at]
        self._before = self._at
        self._quoted()

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
        """Read on to the end of a value in which a quote was none."""
        while not self._ended():
            if self._at in (self._dialect.quote, self._escape):
                self._escaped()
                if self._ended():
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
        """Pass over blanks after a closing quote; with more behind them, the quote was none."""
        blanks = []
        while True:
            blanks.append(self._at)
            self._advance()
            if self._at == "\n":
                return
            if self._at > " " or self._ended():
                break
        if self._ended():
            return
        self._value += [self._dialect.quote, *blanks]
        if not self._dialect.to_closing_quote or self._at not in (self._dialect.quote, self._escape):
            self._value.append(self._at)
        self._forget_separator()
        self._before = self._at
        self._quoted()

    def _finish(self) -> None:
        """Take what there is at the end of the text."""
        dialect, taken = self._dialect, False
        if self._at == dialect.quote and dialect.quote:
            if self._before == dialect.quote:
                taken = True
            elif not self._unescaped:
                self._value.append(dialect.quote)
        taken = taken or (self._before != _NONE and self._at not in (dialect.separator[-1], "\n"))
        if self._value:
            self._trim_if_plain()
            self._push()
        elif taken:
            self._push()
        else:
            self._tokens.append(None)

    def _trim_if_plain(self) -> None:
        if self._before == _NONE:
            self._trim()
