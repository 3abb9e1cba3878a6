"""Which texts Arrow converts to values as Spark does, type by type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T

from pyspark_cloudfiles.way import Way, at_least

_PLAIN_NUMBER = r"^-?[0-9]{1,300}(\.[0-9]{1,300})?([eE][-+]?[0-9]{1,2})?$"
_DIGITS = {8: 2, 16: 4, 32: 9, 64: 18}
_DATE = r"^[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$"
_DAY_OF_YEAR_1000 = -354_285
_NAMES_OF_NUMBERS = {"nanvalue", "positiveinf", "negativeinf"}


def ways(data_type: T.DataType, arrow_type: pa.DataType, options: Mapping[str, str], timezone: str) -> list[Way]:
    """Return the ways to a type; none where options change what texts mean."""
    cast = partial(pc.cast, target_type=arrow_type)
    if isinstance(data_type, T.IntegralType):
        return [Way(rf"^-?[0-9]{{1,{_DIGITS[arrow_type.bit_width]}}}$", cast, _without_hexadecimals)]
    if isinstance(data_type, T.DecimalType):
        return _to_decimals(data_type, cast)
    if isinstance(data_type, T.FractionalType):
        return [] if _NAMES_OF_NUMBERS & options.keys() else [Way(_PLAIN_NUMBER, cast, _finite_doubles)]
    if isinstance(data_type, T.BooleanType):
        return [Way("^(?:true|false)$", cast, _never)]
    if isinstance(data_type, T.DateType):
        return [] if "dateformat" in options else [Way(_DATE, cast, _not_before_1000)]
    return _to_timestamps(data_type, options, timezone)


def _to_timestamps(data_type: T.DataType, options: Mapping[str, str], timezone: str) -> list[Way]:
    # Most columns are no timestamps.
    from pyspark_cloudfiles import time_columns, values

    if isinstance(data_type, T.TimestampNTZType):
        return [] if "timestampntzformat" in options else time_columns.ways_without_zone()
    if isinstance(data_type, T.TimestampType):
        return [] if "timestampformat" in options else time_columns.ways(values.zone_of(timezone, options))
    return []


def _to_decimals(data_type: T.DecimalType, cast: Callable[[pa.Array], pa.Array]) -> list[Way]:
    whole = data_type.precision - data_type.scale
    fraction = rf"(\.[0-9]{{1,{data_type.scale}}})?" if data_type.scale else ""
    return [Way(rf"^-?[0-9]{{1,{whole}}}{fraction}$", cast, _never)] if whole else []


def _never(texts: pa.Array, values: pa.Array) -> bool:
    return False


def _without_hexadecimals(texts: pa.Array, values: pa.Array) -> bool:
    return not any(pc.any(pc.match_substring(texts, mark)).as_py() for mark in "xX")


def _finite_doubles(texts: pa.Array, values: pa.Array) -> bool:
    """Arrow has more names for numbers that are none; what it rounds to a FLOAT, Python rounds twice."""
    return pa.types.is_float64(values.type) and pc.all(pc.is_finite(values)).as_py() is not False


def _not_before_1000(texts: pa.Array, values: pa.Array) -> bool:
    return at_least(values, _DAY_OF_YEAR_1000)
