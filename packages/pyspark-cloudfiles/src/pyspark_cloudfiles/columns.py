"""Arrow arrays of Python values and of texts.

Arrays of values are made by their buffers, without Python loops: the first calls of ``pyarrow.array`` and
``pyarrow.scalar`` import pandas, which delays the first rows of a task by some tenths of a second.

Columns of texts are converted by a cast of Arrow's if it agrees with Spark, otherwise text by text.  An
:class:`ArrowCast` defines the texts for which it agrees; other texts do not slow down their column.  Texts that do not
fit the type become NULL, and their positions are returned.  A timestamp without a time zone is converted to the
session's by the rules of a single value (:func:`.times.instant`), which are applied once for each hour that occurs.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from datetime import UTC, tzinfo
from functools import partial
from itertools import accumulate, repeat
from operator import is_not
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T

from pyspark_cloudfiles.conversion import zone_of
from pyspark_cloudfiles.times import MICROS, instant

if TYPE_CHECKING:
    import msgspec


def binaries(values: Sequence[bytes | msgspec.Raw]) -> pa.Array:
    """Return BINARY of byte strings, or of sources that a decoder left undecoded, without None."""
    offsets = pa.py_buffer(offsets_of(values))
    return pa.Array.from_buffers(pa.binary(), len(values), [None, offsets, pa.py_buffer(b"".join(values))])


def texts(values: Sequence[str]) -> pa.Array:
    return binaries([value.encode() for value in values]).cast(pa.string())


def longs(values: Iterable[int]) -> pa.Array:
    numbers = array("q", values)
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def whole(data: bytes) -> pa.Array:
    """Return an array with one text of any length, without a copy."""
    offsets = pa.py_buffer(array("q", [0, len(data)]))
    return pa.Array.from_buffers(pa.large_binary(), 1, [None, offsets, pa.py_buffer(data)])


def plain(cells: Sequence[Any], arrow: pa.DataType) -> pa.Array:
    try:
        return _dense(cells, arrow)
    except TypeError:  # some are None; searching for them first takes longer
        zero = "" if arrow == pa.string() else 0
        values = _dense([zero if cell is None else cell for cell in cells], arrow)
        return pa.Array.from_buffers(arrow, len(cells), [_validity(cells), *values.buffers()[1:]])


def offsets_of(cells: Sequence[Sized]) -> array:
    """Return the offsets of the elements of all cells in one sequence, with the end of the last."""
    return array("i", accumulate(map(len, cells), initial=0))


def lists_of(cells: Sequence[Any], elements: pa.Array, arrow: pa.DataType) -> pa.Array:
    offsets = offsets_of([() if cell is None else cell for cell in cells] if None in cells else cells)
    buffers = [_validity(cells) if None in cells else None, pa.py_buffer(offsets)]
    return pa.Array.from_buffers(arrow, len(cells), buffers, children=[elements])


def maps_of(cells: Sequence[Any], keys: pa.Array, values: pa.Array, arrow: pa.MapType) -> pa.Array:
    entries = pa.StructArray.from_arrays([keys, values], fields=[arrow.key_field, arrow.item_field])
    return lists_of(cells, entries, arrow)


def structs_of(cells: Sequence[Any], parts: Sequence[pa.Array], arrow: pa.StructType) -> pa.Array:
    validity = _validity(cells) if None in cells else None
    return pa.Array.from_buffers(arrow, len(cells), [validity], children=list(parts))


def _validity(cells: Sequence[Any]) -> pa.Buffer:
    return _booleans(bytes(map(is_not, cells, repeat(None)))).buffers()[1]


def _dense(cells: Sequence[Any], arrow: pa.DataType) -> pa.Array:
    if arrow == pa.string():
        return _texts(cells)
    if arrow == pa.bool_():
        return _booleans(cells)
    numbers = array(_CODES[arrow], cells)
    return pa.Array.from_buffers(arrow, len(numbers), [None, pa.py_buffer(numbers)])


def _texts(values: Sequence[str]) -> pa.Array:
    """Return STRING of texts: joined and split again, which creates no object for a text's bytes."""
    data = "\0".join(values).encode()
    if data.count(b"\0") != len(values) - 1:  # a text has a NUL itself
        return texts(values)
    return pc.split_pattern(binaries([data]), b"\0").values.view(pa.string())


def _booleans(values: bytes | Sequence[bool]) -> pa.Array:
    numbers = array("b", values)
    return pa.Array.from_buffers(pa.int8(), len(numbers), [None, pa.py_buffer(numbers)]).cast(pa.bool_())


_CODES = {pa.int64(): "q", pa.int32(): "i", pa.int16(): "h", pa.int8(): "b", pa.float64(): "d"}


_PLAIN_NUMBER = r"^-?[0-9]{1,300}(\.[0-9]{1,300})?([eE][-+]?[0-9]{1,2})?$"
_DIGITS = {8: 2, 16: 4, 32: 9, 64: 18}
_DAY_OF_YEAR_1000 = -354_285
_NAMES_OF_NUMBERS = {"nanvalue", "positiveinf", "negativeinf"}
# Years before 1000 are left to the slow path: Arrow and Java differ.
_DAY = r"[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_LOCAL = rf"^{_DAY}[ T](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{{1,6}})?"
_OFFSET = r"(?:Z|[-+](?:0[0-9]|1[0-7]):[0-5][0-9])"
_YEAR_1000 = -30_610_224_000 * MICROS
_HOUR = 3600 * MICROS
_MICROS, _INSTANTS = pa.timestamp("us"), pa.timestamp("us", "UTC")
# More hours than between the year 0 and 1970.
_PAST = 20_000_000
_COLON = binaries([b":"])[0]
# The hours of years that every calendar has.
_FIRST_HOUR, _LAST_HOUR = -30_610_224_000 // 3600 + 24, 253_402_300_799 // 3600 - 24


def arrow_casts(
    data_type: T.DataType, arrow_type: pa.DataType, options: Mapping[str, str], timezone: str
) -> list[ArrowCast]:
    cast = partial(pc.cast, target_type=arrow_type)
    if isinstance(data_type, T.IntegralType):
        return [ArrowCast(rf"^-?[0-9]{{1,{_DIGITS[arrow_type.bit_width]}}}$", cast, _have_no_x)]
    if isinstance(data_type, T.DecimalType):
        whole = data_type.precision - data_type.scale
        fraction = rf"(\.[0-9]{{1,{data_type.scale}}})?" if data_type.scale else ""
        return [ArrowCast(rf"^-?[0-9]{{1,{whole}}}{fraction}$", cast, _never)] if whole else []
    if isinstance(data_type, T.FractionalType):
        return [] if _NAMES_OF_NUMBERS & options.keys() else [ArrowCast(_PLAIN_NUMBER, cast, _are_finite_doubles)]
    if isinstance(data_type, T.BooleanType):
        return [ArrowCast("^(?:true|false)$", cast, _never)]
    if isinstance(data_type, T.DateType):
        return [] if "dateformat" in options else [ArrowCast(f"^{_DAY}$", cast, _are_dates_from_1000)]
    if isinstance(data_type, T.TimestampNTZType) and "timestampntzformat" not in options:
        return [ArrowCast(f"{_LOCAL}$", partial(pc.cast, target_type=_MICROS), _are_plain_local)]
    if isinstance(data_type, T.TimestampType) and "timestampformat" not in options:
        return [  # with an offset or `Z`, and without, in a zone
            ArrowCast(f"{_LOCAL}{_OFFSET}$", partial(pc.cast, target_type=_INSTANTS), _are_plain_instants),
            ArrowCast(f"{_LOCAL}$", partial(_in_zone, zone=zone_of(timezone, options)), _are_plain_local),
        ]
    return []


def _never(texts: pa.Array, values: pa.Array) -> bool:
    return False


def _have_no_x(texts: pa.Array, values: pa.Array) -> bool:  # of hexadecimal numbers
    return not any(pc.any(pc.match_substring(texts, mark)).as_py() for mark in "xX")


def _are_finite_doubles(texts: pa.Array, values: pa.Array) -> bool:
    """Arrow has more names for infinity and NaN; and Python rounds a FLOAT twice, which Arrow does not."""
    return pa.types.is_float64(values.type) and pc.all(pc.is_finite(values)).as_py() is not False


def _are_dates_from_1000(texts: pa.Array, values: pa.Array) -> bool:
    return _at_least(values, _DAY_OF_YEAR_1000)


def _at_least(values: pa.Array, least: int) -> bool:
    lowest = pc.min(values).cast(pa.int32() if pa.types.is_date32(values.type) else pa.int64()).as_py()
    return lowest is None or lowest >= least


def _are_plain_instants(texts: pa.Array, values: pa.Array) -> bool:
    return _are_plain_local(texts, values) and _all(pc.ends_with(texts, "Z"))


def _are_plain_local(texts: pa.Array, values: pa.Array) -> bool:
    # Arrow also takes times without colons, which are shorter and have none at these places.
    data = texts.cast(pa.binary())
    colons = (pc.equal(pc.binary_slice(data, place, place + 1), _COLON) for place in (13, 16))
    return all(map(_all, colons)) and _at_least(values, _YEAR_1000)


def _all(mask: pa.Array) -> bool:
    return pc.all(mask).as_py() is not False


def _in_zone(texts: pa.Array, zone: tzinfo) -> pa.Array:
    """Return the instants of local times; raise ArrowInvalid for a text that Arrow cannot convert."""
    local = pc.cast(texts, _MICROS)
    if zone is UTC:
        return pc.cast(local, _INSTANTS)
    micros = local.cast(pa.int64())
    # Arrow divides towards zero, so all numbers are made positive first.
    hours = pc.divide(pc.add(micros, _PAST * _HOUR), _HOUR).dictionary_encode()
    shifts = pa.array([_shift(hour - _PAST, zone) for hour in hours.dictionary.to_pylist()], pa.int64())
    shift = shifts.take(hours.indices)
    if shift.null_count == micros.null_count:
        return pc.add(micros, shift).cast(_INSTANTS)
    difficult = pc.and_(micros.is_valid(), shift.is_null())
    instants = [_instant(moment, zone) for moment in micros.filter(difficult).to_pylist()]
    easy = pc.add(micros, pc.fill_null(shift, 0))
    return pc.replace_with_mask(easy, difficult, pa.array(instants, pa.int64())).cast(_INSTANTS)


def _shift(hour: int, zone: tzinfo) -> int | None:
    """Return the difference of instants and local times in an hour, or None if the clocks change in it."""
    if not _FIRST_HOUR <= hour <= _LAST_HOUR:
        return None
    begin, end = (hour * _HOUR, (hour + 1) * _HOUR - 1)
    shift = _instant(begin, zone) - begin
    return shift if _instant(end, zone) - end == shift else None


def _instant(micros: int, zone: tzinfo) -> int:
    days, moment = divmod(micros, 24 * _HOUR)
    return instant(days, moment, zone, 1970 + int(days / 365.2425))


Convert = Callable[[str], Any]
# Arrow's error has the text that it could not convert.
_FAILED = re.compile(r"Failed to parse string: '(.*)' as a scalar", re.DOTALL)
_FAILURES_LIMIT = 10
_SAMPLE = 4


class ArrowCast(NamedTuple):
    """A conversion of texts by Arrow, and the texts for which it returns Spark's values.

    ``cast`` converts a text that matches ``pattern`` as Spark does, or raises ``pyarrow.ArrowInvalid``.  Matching a
    text costs more than converting it, so there is also a cheap check of a column and its values: if ``is_safe``, all
    are Spark's; False is not a definite answer.
    """

    pattern: str
    cast: Callable[[pa.Array], pa.Array]
    is_safe: Callable[[pa.Array, pa.Array], bool]


def convert_texts(
    texts: pa.Array, arrow_type: pa.DataType, convert: Convert, arrow_casts: Sequence[ArrowCast]
) -> tuple[pa.Array, list[int]]:
    """Return an Arrow array of texts, converted by casts or one by one, and the positions of texts that do not fit."""
    first = texts.drop_null().slice(0, _SAMPLE)
    for arrow_cast in arrow_casts:
        # Arrow is slow to fail at a column, so it has to succeed with some cells first.
        if _attempted(first, arrow_cast) is None:
            continue
        values = _attempted(texts, arrow_cast)
        if values is not None and arrow_cast.is_safe(texts, values):
            return values, []
    found = pa.nulls(len(texts), arrow_type)
    for arrow_cast in arrow_casts:
        matching = pc.if_else(pc.match_substring_regex(texts, arrow_cast.pattern), texts, None)
        values = None if matching.null_count == len(texts) else _without_failing(matching, arrow_cast)
        if values is not None:
            found = values if found.null_count == len(texts) else pc.coalesce(found, values)
            if found.null_count == texts.null_count:
                return found, []
    odd = pc.and_(found.is_null(), texts.is_valid())
    others, wrong = convert_one_by_one(texts.filter(odd).to_pylist(), arrow_type, convert)
    positions = pc.indices_nonzero(odd)
    return pc.replace_with_mask(found, odd, others), [positions[place].as_py() for place in wrong]


def convert_one_by_one(
    texts: Sequence[str | None], arrow_type: pa.DataType, convert: Convert
) -> tuple[pa.Array, list[int]]:
    values: list[Any] = []
    misfits: list[int] = []
    known: dict[str, Any] = {}
    for position, text in enumerate(texts):
        # Values repeat in a column.
        value = None if text is None else known.get(text)
        if value is None and text is not None:
            try:
                value = known[text] = convert(text)
            except ValueError:
                misfits.append(position)
        values.append(value)
    return pa.array(values, arrow_type), misfits


def _attempted(texts: pa.Array, arrow_cast: ArrowCast) -> pa.Array | None:
    try:
        return arrow_cast.cast(texts)
    except pa.ArrowInvalid:
        return None


def _without_failing(texts: pa.Array, arrow_cast: ArrowCast) -> pa.Array | None:
    """Convert all but a few texts that only look convertible, such as the 30th of February."""
    for _ in range(_FAILURES_LIMIT):
        try:
            return arrow_cast.cast(texts)
        except pa.ArrowInvalid as error:
            failing = _FAILED.search(str(error))
            if failing is None:
                return None
            texts = pc.if_else(pc.equal(texts, failing[1]), None, texts)
    return None
