"""Columns of texts to timestamps: the common shapes at once, in any time zone.

What Arrow converts as Spark does is told by shape.  A time without a zone of its own is put into the session's by the
same rules as a single value (:func:`pyspark_cloudfiles.times.instant`), asked once for each hour that occurs.
"""

from __future__ import annotations

from datetime import UTC, tzinfo
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.plain_arrays import binaries
from pyspark_cloudfiles.times import MICROS, instant
from pyspark_cloudfiles.way import Way, at_least

# Years before 1000 are left to the slow way: Arrow and Java have other ideas of them.
_DAY = r"[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_LOCAL = rf"^{_DAY}[ T](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{{1,6}})?"
_OFFSET = r"(?:Z|[-+](?:0[0-9]|1[0-7]):[0-5][0-9])"
_YEAR_1000 = -30_610_224_000 * MICROS
_HOUR = 3600 * MICROS
_MICROS, _INSTANTS = pa.timestamp("us"), pa.timestamp("us", "UTC")
# More hours than lie between the year 0 and 1970.
_PAST = 20_000_000
_COLON = binaries([b":"])[0]
# Clocks are only asked for hours of years that every calendar has.
_FIRST_HOUR, _LAST_HOUR = -30_610_224_000 // 3600 + 24, 253_402_300_799 // 3600 - 24


def ways(zone: tzinfo) -> list[Way]:
    """Return the ways to timestamps: with an offset or ``Z``, and without, in a zone."""
    return [
        Way(f"{_LOCAL}{_OFFSET}$", partial(pc.cast, target_type=_INSTANTS), _is_plain_instant),
        Way(f"{_LOCAL}$", partial(_in_zone, zone=zone), _is_plain_local),
    ]


def ways_without_zone() -> list[Way]:
    """Return the way to timestamps without time zone."""
    return [Way(f"{_LOCAL}$", partial(pc.cast, target_type=_MICROS), _is_plain_local)]


def _is_plain_instant(texts: pa.Array, values: pa.Array) -> bool:
    return _has_colons(texts) and _all(pc.ends_with(texts, "Z")) and at_least(values, _YEAR_1000)


def _is_plain_local(texts: pa.Array, values: pa.Array) -> bool:
    return _has_colons(texts) and at_least(values, _YEAR_1000)


def _has_colons(texts: pa.Array) -> bool:
    """Tell whether all times have the colons that Arrow can do without; short ones have none at these places."""
    data = texts.cast(pa.binary())
    return all(_all(pc.equal(pc.binary_slice(data, place, place + 1), _COLON)) for place in (13, 16))


def _all(mask: pa.Array) -> bool:
    return pc.all(mask).as_py() is not False


def _in_zone(texts: pa.Array, zone: tzinfo) -> pa.Array:
    """Return the instants of local times.

    Raises
    ------
    pyarrow.ArrowInvalid
        A text is no time, or one that Arrow's calendar or the clocks of the zone make difficult.
    """
    local = pc.cast(texts, _MICROS)
    if zone is UTC:
        return pc.cast(local, _INSTANTS)
    micros = local.cast(pa.int64())
    # Arrow divides towards zero, so all is made positive first.
    hours = pc.divide(pc.add(micros, _PAST * _HOUR), _HOUR).dictionary_encode()
    shifts = pa.array([_shift(hour - _PAST, zone) for hour in hours.dictionary.to_pylist()], pa.int64())
    shift = shifts.take(hours.indices)
    if shift.null_count > micros.null_count:
        return _with_difficult_hours(micros, shift, zone)
    return pc.add(micros, shift).cast(_INSTANTS)


def _shift(hour: int, zone: tzinfo) -> int | None:
    """Return what to add to local times of an hour, or None if the clocks change in it."""
    if not _FIRST_HOUR <= hour <= _LAST_HOUR:
        return None
    begin, end = (hour * _HOUR, (hour + 1) * _HOUR - 1)
    shift = _instant(begin, zone) - begin
    return shift if _instant(end, zone) - end == shift else None


def _with_difficult_hours(micros: pa.Array, shift: pa.Array, zone: tzinfo) -> pa.Array:
    difficult = pc.and_(micros.is_valid(), shift.is_null())
    instants = [_instant(moment, zone) for moment in micros.filter(difficult).to_pylist()]
    easy = pc.add(micros, pc.fill_null(shift, 0))
    return pc.replace_with_mask(easy, difficult, pa.array(instants, pa.int64())).cast(_INSTANTS)


def _instant(micros: int, zone: tzinfo) -> int:
    days, moment = divmod(micros, 24 * _HOUR)
    return instant(days, moment, zone, 1970 + int(days / 365.2425))
