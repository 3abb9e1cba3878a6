"""What Arrow is asked to read JSON values as, and how that becomes a column of Spark's type."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles import values
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.text_columns import converted
from pyspark_cloudfiles.text_ways import ways

# A finished column, and the rows whose values do not fit.
Finished = tuple[pa.Array, list[int]]


class NotForArrow(Exception):
    """Arrow does not read such a type, or not as Spark does."""


class Reading(NamedTuple):
    """How a type is read.

    Parameters
    ----------
    read_as : pyarrow.DataType
        What Arrow is asked for.
    finish : callable
        Makes a column of Spark's type of what Arrow has read.
    """

    read_as: pa.DataType
    finish: Callable[[pa.Array], Finished]


def reading(data_type: T.DataType, request: ReadRequest) -> Reading:
    """Return how a type is read.

    Raises
    ------
    NotForArrow
    """
    wanted = to_arrow_type(data_type, timezone="UTC")
    if isinstance(data_type, T.StructType):
        return _struct(data_type, wanted, request)
    if isinstance(data_type, T.ArrayType):
        element = reading(data_type.elementType, request)
        return Reading(pa.list_(element.read_as), partial(_list, element=element, wanted=wanted))
    if isinstance(data_type, T.FloatType):
        return Reading(pa.float64(), lambda array: (pc.cast(array, wanted, safe=False), []))
    if isinstance(data_type, T.StringType | T.BooleanType | T.IntegralType | T.DoubleType | T.DecimalType):
        return Reading(wanted, lambda array: (array, []))
    if isinstance(data_type, T.DateType | T.TimestampType | T.TimestampNTZType):
        convert = values.converter(data_type, request.options, request.timezone)
        known = ways(data_type, wanted, request.options, request.timezone)
        return Reading(pa.string(), lambda array: converted(array, wanted, convert, known))
    raise NotForArrow(data_type.simpleString())


def as_text(read_as: pa.DataType) -> Reading:
    """Return how a STRING is read whose values are of another kind: integers or truth values."""
    return Reading(read_as, lambda array: (pc.cast(array, pa.string()), []))


def _struct(data_type: T.StructType, wanted: pa.DataType, request: ReadRequest) -> Reading:
    if not data_type.fields or len({name.lower() for name in data_type.names}) < len(data_type.names):
        raise NotForArrow(data_type.simpleString())
    fields = {field.name: reading(field.dataType, request) for field in data_type.fields}

    def finish(array: pa.Array) -> Finished:
        children, misfits = [], []
        for name, part in fields.items():
            child, wrong = part.finish(array.field(name))
            children.append(child)
            misfits += wrong
        return pa.StructArray.from_arrays(children, fields=list(wanted), mask=array.is_null()), sorted(set(misfits))

    return Reading(pa.struct([pa.field(name, part.read_as) for name, part in fields.items()]), finish)


def _list(array: pa.Array, element: Reading, wanted: pa.DataType) -> Finished:
    inside, wrong = element.finish(array.flatten())
    parents = pc.list_parent_indices(array)
    misfits = {parents[place].as_py() for place in wrong}
    lengths = pc.fill_null(pc.list_value_length(array), 0)
    ends = pc.cumulative_sum(lengths.cast(pa.int32()))
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    # A NULL has an offset that is NULL; the last one only ends the last list.
    absent = pa.concat_arrays([array.is_null(), pa.array([False])])
    offsets = pc.if_else(absent, None, offsets) if array.null_count else offsets
    return pa.ListArray.from_arrays(offsets, inside, type=wanted), sorted(misfits)
