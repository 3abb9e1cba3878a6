"""The dialect of CSV files, from the options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark_cloudfiles.errors import InvalidOption, UnsupportedOption

_SEPARATORS = {r"\t": "\t", r"\r": "\r", r"\b": "\b", r"\f": "\f", r"\"": '"', r"\'": "'", r"\\": "\\", r"\u0000": "\0"}


@dataclass(frozen=True)
class Dialect:
    """How a CSV text is written; an empty character is one that does not occur."""

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
    def of(cls, options: Mapping[str, str]) -> Dialect:
        """Return the dialect that options describe; there is a header unless they deny it.

        Raises
        ------
        InvalidOption
            A value that the option cannot have.
        """
        quote, escape = _character(options, "quote", '"'), _character(options, "escape", "\\")
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
            to_closing_quote=_handling(options) == "STOP_AT_CLOSING_QUOTE",
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


def _handling(options: Mapping[str, str]) -> str:
    handling = options.get("unescapedquotehandling", "STOP_AT_DELIMITER").upper()
    if handling not in ("STOP_AT_DELIMITER", "STOP_AT_CLOSING_QUOTE"):
        kind = UnsupportedOption if handling in ("BACK_TO_DELIMITER", "SKIP_VALUE", "RAISE_ERROR") else InvalidOption
        raise kind(f"unescapedQuoteHandling is {handling}. Set it to STOP_AT_DELIMITER or STOP_AT_CLOSING_QUOTE.")
    return handling
