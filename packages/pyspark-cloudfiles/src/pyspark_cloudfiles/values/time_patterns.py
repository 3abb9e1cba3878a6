"""Patterns of ``java.time.DateTimeFormatter``, parsed as Spark parses them.

A pattern becomes one regular expression.  Strict, as Spark's formatters are: a date that does not exist is none, letter
case does not matter, and a fraction of seconds may be shorter than its pattern.

Supported: ``y u M L d D H h K k m s S a X x Z z V O``, quoted text and optional parts.
Not supported: the other letters; Spark refuses most of them for parsing as well.
"""

from __future__ import annotations

import re
from datetime import tzinfo
from functools import lru_cache
from typing import NamedTuple

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.values.times import MICROS, days_of, instant, micros_of, zone_named

_MONTHS = ["january", "february", "march", "april", "may", "june"]
_MONTHS += ["july", "august", "september", "october", "november", "december"]
_TOKEN = re.compile(r"''|'((?:[^']|'')*)'|([A-Za-z])\2*|\[|\]|.", re.DOTALL)
_ZONE = r"[+-]\d\d:?\d\d(?::?\d\d)?|[A-Za-z][\w/~+-]*(?::\d\d)?"


class Fields(NamedTuple):
    """What a text said: the day since the epoch, the microseconds of the day, the year, and its own zone."""

    day: int
    moment: int
    year: int
    zone: tzinfo | None


class TimePattern:
    """A pattern, ready to parse.

    Raises
    ------
    InvalidOption
        It has a letter that is not supported here.
    """

    def __init__(self, pattern: str) -> None:
        self._names: list[tuple[str, str]] = []
        self._pattern = pattern
        self._regex = re.compile(self._expression(pattern), re.IGNORECASE | re.ASCII | re.DOTALL)

    def timestamp(self, text: str, zone: tzinfo) -> int:
        """Return microseconds since the epoch."""
        fields = self.fields(text)
        return instant(fields.day, fields.moment, fields.zone or zone, fields.year)

    def timestamp_without_zone(self, text: str) -> int:
        """Return microseconds since the local epoch, of a text without a zone."""
        fields = self.fields(text)
        if fields.zone is not None:
            raise ValueError(f"a time zone in {text!r}")
        return fields.day * 86_400 * MICROS + fields.moment

    def day(self, text: str) -> int:
        """Return days since the epoch."""
        return self.fields(text).day

    def fields(self, text: str) -> Fields:
        """Return what the text says; ``ValueError`` where it does not have this pattern."""
        found = self._regex.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} does not have the pattern {self._pattern}")
        seen: dict[str, str] = {}
        for group, name in self._names:
            value = found[group]
            if value is not None and seen.setdefault(name, value) != value:
                raise ValueError(f"{text!r} contradicts itself")
        year = _year(seen)
        return Fields(_day(seen, year), _moment(seen), year, _zone(seen))

    def _expression(self, pattern: str) -> str:
        parts, depth = [], 0
        for token in _TOKEN.finditer(pattern):
            text = token[0]
            if text == "[":
                depth += 1
                parts.append("(?:")
            elif text == "]" and depth:
                depth -= 1
                parts.append(")?")
            elif text == "''":
                parts.append("'")
            elif token[1] is not None:
                parts.append(re.escape(token[1].replace("''", "'")))
            elif token[2]:
                parts.append(self._field(text[0], len(text), pattern[token.end() :]))
            elif text in "{}#'":
                raise InvalidOption(f"{text!r} in the pattern {pattern!r} has no meaning.")
            else:
                parts.append(re.escape(text))
        return "".join(parts) + ")?" * depth

    def _field(self, letter: str, width: int, rest: str) -> str:
        name, expression = _letter(letter, width)
        if not expression:
            raise InvalidOption(
                f"The letter {letter!r} in the pattern {self._pattern!r} is not supported. Read the column as a STRING "
                "and convert it with to_timestamp or to_date."
            )
        group = f"g{len(self._names)}"
        self._names.append((group, name))
        return f"(?P<{group}>{expression})"


@lru_cache(maxsize=100)
def compiled(pattern: str) -> TimePattern:
    """Return a pattern, compiled once."""
    return TimePattern(pattern)


def _letter(letter: str, width: int) -> tuple[str, str]:
    """Return the field's name and its regular expression, or none."""
    if letter in "yu":
        years = {1: r"[+-]?\d{1,19}", 2: r"\d\d", 3: r"-?\d{3}|[+-]\d{4,19}"}
        return ("short year" if width == 2 else "year"), years.get(width, rf"-?\d{{{width}}}|\+\d{{{width + 1},19}}")
    if letter in "ML" and 2 < width < 5:
        return "month name", "|".join(month if width == 4 else month[:3] for month in _MONTHS)
    numbers = {"M": "month", "L": "month", "d": "day", "H": "hour", "m": "minute", "s": "second"}
    numbers |= {"h": "clock hour", "K": "half hour", "k": "hour to 24"}
    if letter in numbers and width < 3:
        return numbers[letter], r"\d{1,2}" if width == 1 else r"\d\d"
    if letter == "D" and width < 4:
        return "day of year", rf"\d{{{width},3}}"
    if letter == "S" and width < 10:
        return "fraction", rf"\d{{1,{width}}}"
    if letter == "a" and width == 1:
        return "half", "am|pm"
    return "zone", _zone_expression(letter, width)


def _zone_expression(letter: str, width: int) -> str:
    if letter in "Xx" and width < 6:
        minutes = {1: r"(?:\d\d)?", 2: r"\d\d", 3: r":\d\d", 4: r"\d\d(?:\d\d)?", 5: r":\d\d(?::\d\d)?"}[width]
        return rf"[+-]\d\d{minutes}" + ("|Z" if letter == "X" else "")
    if letter == "Z":
        return {4: r"GMT(?:[+-]\d\d:\d\d)?", 5: r"[+-]\d\d:\d\d(?::\d\d)?|Z"}.get(
            width, r"[+-]\d{4}" if width < 4 else ""
        )
    if letter == "O" and width in (1, 4):
        return r"GMT(?:[+-]\d{1,2}(?::\d\d)?)?"
    return _ZONE if (letter == "V" and width == 2) or (letter == "z" and width < 5) else ""


def _year(seen: dict[str, str]) -> int:
    short = seen.get("short year")
    return int(seen.get("year", 1970)) if short is None else 2000 + int(short)


def _day(seen: dict[str, str], year: int) -> int:
    if "day of year" in seen:
        first, number = days_of(year, 1, 1), int(seen["day of year"])
        if not 1 <= number <= days_of(year + 1, 1, 1) - first:
            raise ValueError(f"no day {number} in {year}")
        return first + number - 1
    name = seen.get("month name")
    month = int(seen.get("month", 1)) if name is None else _number_of(name)
    return days_of(year, month, int(seen.get("day", 1)))


def _number_of(name: str) -> int:
    [number] = [number for number, month in enumerate(_MONTHS, 1) if month.startswith(name.lower())]
    return number


def _moment(seen: dict[str, str]) -> int:
    return micros_of(_hour(seen), int(seen.get("minute", 0)), int(seen.get("second", 0)), seen.get("fraction", ""))


def _hour(seen: dict[str, str]) -> int:
    noon = 12 if seen.get("half", "am").lower() == "pm" else 0
    if "clock hour" in seen:
        return _checked(seen["clock hour"], 1, 12) % 12 + noon
    if "half hour" in seen:
        return _checked(seen["half hour"], 0, 11) + noon
    if "hour to 24" in seen:
        return _checked(seen["hour to 24"], 1, 24) % 24
    return int(seen.get("hour", 0))


def _checked(text: str, low: int, high: int) -> int:
    if not low <= int(text) <= high:
        raise ValueError(f"no hour: {text}")
    return int(text)


def _zone(seen: dict[str, str]) -> tzinfo | None:
    zone = seen.get("zone")
    return None if zone is None else zone_named(zone.upper() if len(zone) < 4 else zone)
