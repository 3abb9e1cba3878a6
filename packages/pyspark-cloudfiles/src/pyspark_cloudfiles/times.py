"""Timestamps and dates parsed as Spark parses them: by the rules of CAST, or by a pattern of ``DateTimeFormatter``.

Timestamps are microseconds and dates are days since the epoch, plain integers: Python's own types end at the year 9999,
Spark's do not.  Any other text raises ``ValueError``.
"""

from __future__ import annotations

import os
import re
import time
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pyspark_cloudfiles.errors import InvalidOption

MICROS = 1_000_000
_EPOCH_ORDINAL = 719_163
_DAYS_OF_400_YEARS = 146_097
# Spark trims whitespace and control characters.
_BLANK = "".join(map(chr, range(0x21))) + "\x7f"

_CLOCK_TIME = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d*))?(?P<zone>[^\d.].*)?)?)?"
)
_TIMESTAMP = re.compile(
    r"(?P<sign>[+-]?)(?P<year>\d{4,6})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})(?:[ T]" + _CLOCK_TIME + ")?)?)?",
    re.ASCII | re.DOTALL,
)
_JUST_TIME = re.compile("(?:T|(?=[0-9]{1,2}:))" + _CLOCK_TIME, re.ASCII | re.DOTALL)
_DATE = re.compile(r"([+-]?)(\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?", re.ASCII | re.DOTALL)
_OFFSET = re.compile(r"([+-])(\d{1,2})(?:(?::(\d\d)(?::(\d\d))?)|(?:(\d\d)(\d\d)?))?", re.ASCII)
_REGION = re.compile(r"[A-Za-z][A-Za-z0-9~/._+-]+", re.ASCII)

# java.time.ZoneId.SHORT_IDS.
_SHORT_IDS = {
    "ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo", "AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia", "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles", "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
    "EST": "-05:00", "MST": "-07:00", "HST": "-10:00",
}  # fmt: skip


def timestamp(text: str, zone: tzinfo) -> int:
    """Return the microseconds since the epoch of a text; without a zone of its own it is in ``zone``."""
    trimmed = text.strip(_BLANK)
    found = _TIMESTAMP.fullmatch(trimmed) or _JUST_TIME.fullmatch(trimmed)
    if found is None:
        raise ValueError(f"not a timestamp: {text!r}")
    own = zone if found["zone"] is None else find_zone(found["zone"].strip(_BLANK))
    if "year" in found.groupdict():
        return instant(_day(found), _moment(found), own, int(found["sign"] + found["year"]))
    today = datetime.now(own)
    return instant(days_of(today.year, today.month, today.day), _moment(found), own, today.year)


def timestamp_without_zone(text: str) -> int:
    """Return the microseconds since the local epoch of a text that has no zone."""
    found = _TIMESTAMP.fullmatch(text.strip(_BLANK))
    if found is None or found["zone"] is not None:
        raise ValueError(f"not a timestamp without time zone: {text!r}")
    return _in_range(_day(found) * 86_400 * MICROS + _moment(found))


def day(text: str) -> int:
    """Return the days since the epoch of a text; after a full date and a blank or ``T`` any text may follow."""
    found = _DATE.fullmatch(text.strip(_BLANK))
    if found is None:
        raise ValueError(f"not a date: {text!r}")
    sign, year, month, day_of_month = found.groups()
    return days_of(int(sign + year), int(month or 1), int(day_of_month or 1))


def days_of(year: int, month: int, day_of_month: int) -> int:
    cycles = (year - 1) // 400
    inside = date(year - 400 * cycles, month, day_of_month)
    return inside.toordinal() - _EPOCH_ORDINAL + cycles * _DAYS_OF_400_YEARS


def micros_of(hour: int, minute: int, second: int, fraction: str = "") -> int:
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"not a time of day: {hour}:{minute}:{second}")
    return (hour * 3600 + minute * 60 + second) * MICROS + int(fraction[:6].ljust(6, "0"))


def instant(days: int, moment: int, zone: tzinfo, year: int) -> int:
    """Return a local time as microseconds since the epoch.

    As in java.time, a time in a gap of the clocks is moved later by its length, and of a repeated time the first
    counts.
    """
    local = days * 86_400 * MICROS + moment
    if zone is UTC:
        return _in_range(local)
    inside = days
    if not 1 < year < 9999:  # a day with the same clock rules in a year that Python has
        same_year = 400 * 24 + year % 400 if year >= 9999 else 400 + year % 400
        inside += (same_year - year) // 400 * _DAYS_OF_400_YEARS
    wall = datetime(1970, 1, 1, tzinfo=zone) + timedelta(days=inside, microseconds=moment)
    offset = zone.utcoffset(wall)
    assert offset is not None
    return _in_range(local - (offset.days * 86_400 + offset.seconds) * MICROS)


@lru_cache(maxsize=1000)
def find_zone(name: str) -> tzinfo:
    """Return the time zone of a name that Spark knows."""
    name = re.sub(r"([+-])(\d):", r"\g<1>0\2:", name, count=1)
    name = re.sub(r"([+-])(\d\d):(\d)$", r"\1\2:0\3", name)
    name = _SHORT_IDS.get(name, name)
    if name in ("Z", "UTC", "GMT", "UT", "UTC0"):
        return UTC
    for prefix in ("", "UTC", "GMT", "UT"):
        if name.startswith((f"{prefix}+", f"{prefix}-")):
            return _offset(name[len(prefix) :])
    try:
        if _REGION.fullmatch(name):
            return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        pass
    raise ValueError(f"not a time zone: {name!r}")


@cache
def local_timezone() -> str:
    """Return the machine's time zone as Spark's JVM sees it by default: its IANA name, or the current offset."""
    if name := os.environ.get("TZ"):
        return name.lstrip(":")
    link = Path("/etc/localtime")
    if link.is_symlink() and "zoneinfo/" in (target := str(link.resolve())):
        return target.split("zoneinfo/")[1]
    return time.strftime("%z")[:3] + ":" + time.strftime("%z")[3:]


def _offset(text: str) -> tzinfo:
    found = _OFFSET.fullmatch(text)
    if found is None or (len(found[2]) == 1 and len(text) > 2):
        raise ValueError(f"not an offset: {text!r}")
    sign, *numbers = found.groups("0")
    hours, minutes, seconds, compact_minutes, compact_seconds = map(int, numbers)
    total = hours * 3600 + (minutes + compact_minutes) * 60 + seconds + compact_seconds
    if minutes + compact_minutes > 59 or seconds + compact_seconds > 59 or total > 18 * 3600:
        raise ValueError(f"not an offset: {text!r}")
    return timezone(timedelta(seconds=total if sign == "+" else -total)) if total else UTC


def _day(found: re.Match[str]) -> int:
    return days_of(int(found["sign"] + found["year"]), int(found["month"] or 1), int(found["day"] or 1))


def _moment(found: re.Match[str]) -> int:
    return micros_of(
        int(found["hour"] or 0), int(found["minute"] or 0), int(found["second"] or 0), found["fraction"] or ""
    )


def _in_range(micros: int) -> int:
    if -(2**63) <= micros < 2**63:
        return micros
    raise ValueError("beyond the range of timestamps")


_MONTHS = ["january", "february", "march", "april", "may", "june"]
_MONTHS += ["july", "august", "september", "october", "november", "december"]
_TOKEN = re.compile(r"''|'((?:[^']|'')*)'|([A-Za-z])\2*|\[|\]|.", re.DOTALL)
_ZONE = r"[+-]\d\d:?\d\d(?::?\d\d)?|[A-Za-z][\w/~+-]*(?::\d\d)?"


class Fields(NamedTuple):
    """The fields of a text: the day since the epoch, the microseconds of the day, the year, and its own zone."""

    day: int
    moment: int
    year: int
    zone: tzinfo | None


class TimePattern:
    """A pattern of ``java.time.DateTimeFormatter``, compiled to one regular expression.

    Strict, as Spark's formatters are: a date that does not exist is an error.  Letter case does not matter, and a
    fraction of seconds may be shorter than its pattern.  Supported are ``y u M L d D H h K k m s S a X x Z z V O``,
    quoted text and optional parts.  Spark refuses most of the other letters for parsing as well; here they raise
    InvalidOption.
    """

    def __init__(self, pattern: str) -> None:
        self._names: list[tuple[str, str]] = []
        self._pattern = pattern
        self._regex = re.compile(self._expression(pattern), re.IGNORECASE | re.ASCII | re.DOTALL)

    def timestamp(self, text: str, zone: tzinfo) -> int:
        fields = self.fields(text)
        return instant(fields.day, fields.moment, fields.zone or zone, fields.year)

    def timestamp_without_zone(self, text: str) -> int:
        fields = self.fields(text)
        if fields.zone is not None:
            raise ValueError(f"a time zone in {text!r}")
        return fields.day * 86_400 * MICROS + fields.moment

    def day(self, text: str) -> int:
        return self.fields(text).day

    def fields(self, text: str) -> Fields:
        found = self._regex.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} does not match the pattern {self._pattern}")
        seen: dict[str, str] = {}
        for group, name in self._names:
            value = found[group]
            if value is not None and seen.setdefault(name, value) != value:
                raise ValueError(f"{text!r} contradicts itself")
        short, zone = seen.get("short year"), seen.get("zone")
        year = int(seen.get("year", 1970)) if short is None else 2000 + int(short)
        minute, second = int(seen.get("minute", 0)), int(seen.get("second", 0))
        moment = micros_of(_hour(seen), minute, second, seen.get("fraction", ""))
        own = None if zone is None else find_zone(zone.upper() if len(zone) < 4 else zone)
        return Fields(_day_of_fields(seen, year), moment, year, own)

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
def compile_pattern(pattern: str) -> TimePattern:
    return TimePattern(pattern)


def _letter(letter: str, width: int) -> tuple[str, str]:
    """Return a field's name and its regular expression, or ""."""
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


def _day_of_fields(seen: dict[str, str], year: int) -> int:
    if "day of year" in seen:
        first, number = days_of(year, 1, 1), int(seen["day of year"])
        if not 1 <= number <= days_of(year + 1, 1, 1) - first:
            raise ValueError(f"{year} has no day {number}")
        return first + number - 1
    month = int(seen.get("month", 1))
    if name := seen.get("month name"):
        [month] = [number for number, full in enumerate(_MONTHS, 1) if full.startswith(name.lower())]
    return days_of(year, month, int(seen.get("day", 1)))


def _hour(seen: dict[str, str]) -> int:
    noon = 12 if seen.get("half", "am").lower() == "pm" else 0
    for name, low, modulus, added in (
        ("clock hour", 1, 12, noon),
        ("half hour", 0, 12, noon),
        ("hour to 24", 1, 24, 0),
    ):
        if name in seen:
            hour = int(seen[name])
            if not low <= hour < low + modulus:
                raise ValueError(f"not an hour: {hour}")
            return hour % modulus + added
    return int(seen.get("hour", 0))
