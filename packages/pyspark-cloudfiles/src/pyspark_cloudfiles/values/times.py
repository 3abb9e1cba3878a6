"""Timestamps and dates parsed by the rules of Spark's CAST, for readers without a pattern.

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
from zoneinfo import ZoneInfo

MICROS = 1_000_000
_EPOCH_ORDINAL = 719_163
_DAYS_OF_400_YEARS = 146_097
# What Spark trims: whitespace and control characters.
_BLANK = "".join(map(chr, range(0x21))) + "\x7f"

_TIME = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d*))?(?P<zone>[^\d.].*)?)?)?"
)
_TIMESTAMP = re.compile(
    r"(?P<sign>[+-]?)(?P<year>\d{4,6})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})(?:[ T]" + _TIME + ")?)?)?",
    re.ASCII | re.DOTALL,
)
_JUST_TIME = re.compile("(?:T|(?=[0-9]{1,2}:))" + _TIME, re.ASCII | re.DOTALL)
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
    found = _TIMESTAMP.fullmatch(trimmed)
    if found is None:
        return _time_of_today(trimmed, zone)
    own = found["zone"]
    day, moment = _day(found), _moment(found)
    return instant(day, moment, zone if own is None else zone_named(own.strip(_BLANK)), _year(found))


def timestamp_without_zone(text: str) -> int:
    """Return the microseconds since the local epoch of a text that has no zone."""
    found = _TIMESTAMP.fullmatch(text.strip(_BLANK))
    if found is None or found["zone"] is not None:
        raise ValueError(f"no timestamp without time zone: {text!r}")
    return _in_range(_day(found) * 86_400 * MICROS + _moment(found))


def day(text: str) -> int:
    """Return the days since the epoch of a text; what follows a full date and a blank or ``T`` does not matter."""
    found = _DATE.fullmatch(text.strip(_BLANK))
    if found is None:
        raise ValueError(f"no date: {text!r}")
    sign, year, month, day_of_month = found.groups()
    return days_of(int(sign + year), int(month or 1), int(day_of_month or 1))


def days_of(year: int, month: int, day_of_month: int) -> int:
    """Return the days since the epoch of a date of the proleptic Gregorian calendar, in any year."""
    cycles = (year - 1) // 400
    inside = date(year - 400 * cycles, month, day_of_month)
    return inside.toordinal() - _EPOCH_ORDINAL + cycles * _DAYS_OF_400_YEARS


def micros_of(hour: int, minute: int, second: int, fraction: str = "") -> int:
    """Return the microseconds since midnight."""
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"no time of day: {hour}:{minute}:{second}")
    return (hour * 3600 + minute * 60 + second) * MICROS + int(fraction[:6].ljust(6, "0"))


def instant(days: int, moment: int, zone: tzinfo, year: int) -> int:
    """Return a local time as microseconds since the epoch.

    As java.time has it: a time that the clocks skip is taken later by what they skip, of one that comes twice the first
    is meant.
    """
    local = days * 86_400 * MICROS + moment
    if zone is UTC:
        return _in_range(local)
    inside = days if 1 < year < 9999 else _day_in_calendar(days, year)
    wall = datetime(1970, 1, 1, tzinfo=zone) + timedelta(days=inside, microseconds=moment)
    offset = zone.utcoffset(wall)
    assert offset is not None
    return _in_range(local - (offset.days * 86_400 + offset.seconds) * MICROS)


@lru_cache(maxsize=1000)
def zone_named(name: str) -> tzinfo:
    """Return the time zone that Spark understands by a name.

    Raises
    ------
    ValueError
        There is none.
    """
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
    raise ValueError(f"no time zone: {name!r}")


@cache
def local_timezone() -> str:
    """Return the machine's time zone as Spark's JVM sees it by default: its IANA name, or the offset of now."""
    if name := os.environ.get("TZ"):
        return name.lstrip(":")
    link = Path("/etc/localtime")
    if link.is_symlink() and "zoneinfo/" in (target := str(link.resolve())):
        return target.split("zoneinfo/")[1]
    return time.strftime("%z")[:3] + ":" + time.strftime("%z")[3:]


def _offset(text: str) -> tzinfo:
    found = _OFFSET.fullmatch(text)
    if found is None:
        raise ValueError(f"no offset: {text!r}")
    sign, hours, minutes, seconds, compact_minutes, compact_seconds = found.groups("0")
    if len(hours) == 1 and len(text) > 2:
        raise ValueError(f"no offset: {text!r}")
    parts = int(hours), int(minutes) + int(compact_minutes), int(seconds) + int(compact_seconds)
    total = parts[0] * 3600 + parts[1] * 60 + parts[2]
    if parts[1] > 59 or parts[2] > 59 or total > 18 * 3600:
        raise ValueError(f"no offset: {text!r}")
    return timezone(timedelta(seconds=total if sign == "+" else -total)) if total else UTC


def _time_of_today(text: str, zone: tzinfo) -> int:
    found = _JUST_TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"no timestamp: {text!r}")
    own = zone if found["zone"] is None else zone_named(found["zone"].strip(_BLANK))
    today = datetime.now(own)
    return instant(days_of(today.year, today.month, today.day), _moment(found), own, today.year)


def _year(found: re.Match[str]) -> int:
    return int(found["sign"] + found["year"])


def _day(found: re.Match[str]) -> int:
    return days_of(_year(found), int(found["month"] or 1), int(found["day"] or 1))


def _moment(found: re.Match[str]) -> int:
    return micros_of(
        int(found["hour"] or 0), int(found["minute"] or 0), int(found["second"] or 0), found["fraction"] or ""
    )


def _day_in_calendar(days: int, year: int) -> int:
    """Return a day with the same rules for clocks in a year that Python has."""
    wanted = 400 * 24 + year % 400 if year >= 9999 else 400 + year % 400
    return days + (wanted - year) // 400 * _DAYS_OF_400_YEARS


def _in_range(micros: int) -> int:
    if -(2**63) <= micros < 2**63:
        return micros
    raise ValueError("beyond the range of timestamps")
