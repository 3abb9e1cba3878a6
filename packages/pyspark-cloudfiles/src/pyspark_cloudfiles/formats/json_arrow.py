"""JSON lines by Arrow's own reader, for the lines that it reads as Spark does.

Nearly all that Spark would read in another way is an error to Arrow, which names the row; what is not is told by the
bytes of the lines.  Such lines are refused, each by its number.  :func:`reading` says as what Arrow is asked to read
the values of a type, and how that becomes a column of Spark's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.line_arrays import is_utf8, lines_of, mask, matches, places
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.text_columns import converted
from pyspark_cloudfiles.values.text_ways import ways

_ROW = re.compile(r" in row (\d+)$")
_VALUE = re.compile(r"couldn't parse:(.*)|(\S+) requires (?:scale|precision)|string '(.*)' is not a valid", re.DOTALL)
# On one line with the first; Arrow takes it for another row.
_SECOND_VALUE = r"\}[ \t]*[{n]"
# A block with more than these is none that Arrow should be asked to read.
_MOST_ERRORS, _MOST_ROUNDS, MOST_REFUSED = 300, 8, 0.2
# Arrow reads unknown values by recursion.
_DEEP = 500
# To Spark an integer, whose sign is lost in a DOUBLE and kept in a STRING; to Arrow the other way round.
_MINUS_ZERO = r"[:\[, \t]-0[,\]} \t]"
# A line that is no object, or names of numbers that are none.
_ODD_PART = r"\n[^{]|[^}]\n|NaN|Inf"
# A finished column, and the rows whose values do not fit.
Finished = tuple[pa.Array, list[int]]


class Parsed(NamedTuple):
    """What a text was read into.

    Parameters
    ----------
    table : pyarrow.RecordBatch
        The columns of the schema, and after them all others that were found.
    refused : list of int
        The numbers of the lines that are not in it, ascending.
    data : bytes
        The lines that are.
    """

    table: pa.RecordBatch
    refused: list[int]
    data: bytes


def parsed(data: bytes, total: int, schema: pa.Schema, finds_others: bool, tells_minus_zero: bool) -> Parsed | None:
    """Read lines, or return None if too many of them are odd.

    Parameters
    ----------
    data : bytes
        Lines, each ended by LF.
    total : int
        How many.
    schema : pyarrow.Schema
        The columns to read.
    finds_others : bool
        Whether fields that the schema does not have matter; they are returned if so.
    tells_minus_zero : bool
        Whether the sign of an integer that is zero matters.
    """
    refused = _odd_lines(data, total, tells_minus_zero)
    errors = 0
    for _ in range(_MOST_ROUNDS):
        if len(refused) > MOST_REFUSED * total + 1:
            return None
        kept = _without(data, refused, total)
        try:
            table = _read(kept, schema, finds_others)
        except pa.ArrowInvalid as error:
            found = list(_culprits(kept, str(error), schema, finds_others))
            errors += len(found)
            if not found or errors > _MOST_ERRORS:
                return None
            refused = _also(refused, found, total)
            continue
        if table.num_rows == total - len(refused):
            return Parsed(table, refused, kept)
        found = _with_second_value(kept)
        if not found:
            return None
        refused = _also(refused, found, total)
    return None


def also_refused(found: Parsed, numbers: list[int]) -> Parsed:
    """Refuse rows of a table as well, by their number in it."""
    if not numbers:
        return found
    rows = found.table.num_rows
    refused = _also(found.refused, numbers, rows + len(found.refused))
    keep = pc.invert(mask(numbers, rows))
    return Parsed(found.table.filter(keep), refused, _without(found.data, numbers, rows))


def _odd_lines(data: bytes, total: int, tells_minus_zero: bool) -> list[int]:
    """Return the lines that Arrow may read, but not as Spark does, or that it must not see."""
    deep = data.count(b"{") + data.count(b"[") - total > _DEEP
    sound_text = is_utf8(data)
    odd_part = rf"{_ODD_PART}|{_MINUS_ZERO}" if tells_minus_zero else _ODD_PART
    objects = data.startswith(b"{") and data.endswith(b"}\n")
    if objects and not deep and sound_text and not matches(data, odd_part):
        return []
    odd: set[int] = set()
    if not sound_text:
        odd |= {number for number, line in enumerate(data.split(b"\n")) if not is_utf8(line)}
        data = data.decode("utf-8", "replace").encode()
    lines = lines_of(data)
    sound = pc.and_(pc.starts_with(lines, "{"), pc.ends_with(lines, "}"))
    sound = pc.and_not(sound, pc.match_substring_regex(lines, odd_part))
    if deep:
        depth = pc.add(pc.count_substring(lines, "["), pc.count_substring(lines, "{"))
        sound = pc.and_(sound, pc.less(depth, _DEEP))
    return sorted(odd | set(pc.indices_nonzero(pc.invert(sound)).to_pylist()))


def _read(data: bytes | pa.Buffer, schema: pa.Schema, finds_others: bool) -> pa.RecordBatch:
    if not len(data):
        return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
    table = json.read_json(
        pa.BufferReader(data),
        # Rows are numbered only in one block.
        json.ReadOptions(use_threads=False, block_size=len(data) + 1),
        json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer" if finds_others else "ignore"),
    )
    [batch] = table.combine_chunks().to_batches()
    return batch


def _culprits(data: bytes, message: str, schema: pa.Schema, finds_others: bool) -> Iterator[int]:
    """Give the lines that Arrow's errors are about, the first of which has this message."""
    value = _VALUE.search(message)
    if value is not None:
        text = re.escape(next(part for part in value.groups() if part is not None))
        found = pc.match_substring_regex(lines_of(data), rf'[:\[, \t"]{text}[,\]}} \t"]')
        yield from pc.indices_nonzero(found).to_pylist()
        return
    if second := _with_second_value(data):
        # With them, the number of a row is not that of its line.
        yield from second
        return
    starts = [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))]
    first, errors = 0, 0
    while (row := _ROW.search(message)) is not None and errors <= _MOST_ERRORS:
        first, errors = first + int(row[1]), errors + 1
        yield first
        first += 1
        if first >= len(starts) - 2:  # the last of them is where the text ends
            return
        try:
            # Only parsing names rows; a value that cannot be converted is found in the next round.
            _read(pa.py_buffer(data).slice(starts[first]), schema, finds_others)
            return
        except pa.ArrowInvalid as error:
            message = str(error)


def _with_second_value(data: bytes) -> list[int]:
    return pc.indices_nonzero(pc.match_substring_regex(lines_of(data), _SECOND_VALUE)).to_pylist()


def _without(data: bytes, numbers: list[int], total: int) -> bytes:
    """Leave out lines; bytes that are no text may be among them."""
    if not numbers:
        return data
    left = set(numbers)
    lines = data.split(b"\n")
    return b"".join(lines[number] + b"\n" for number in range(total) if number not in left)


def _also(refused: list[int], numbers: list[int], total: int) -> list[int]:
    """Add to the refused lines those with these numbers among the lines that were not."""
    if not refused:
        return sorted(numbers)
    kept = places(total).filter(pc.invert(mask(refused, total)))
    return sorted([*refused, *kept.take(pa.array(numbers, pa.int64())).to_pylist()])


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
    if isinstance(data_type, T.StringType | T.BooleanType | T.IntegralType | T.DoubleType):
        return Reading(wanted, lambda array: (array, []))
    if isinstance(data_type, T.DecimalType):
        return Reading(wanted, partial(_decimals, limit=10 ** (data_type.precision - data_type.scale)))
    if isinstance(data_type, T.DateType | T.TimestampType | T.TimestampNTZType):
        convert = conversion.converter(data_type, request.options, request.timezone)
        known = ways(data_type, wanted, request.options, request.timezone)
        return Reading(pa.string(), lambda array: converted(array, wanted, convert, known))
    raise NotForArrow(data_type.simpleString())


def as_text(read_as: pa.DataType) -> Reading:
    """Return how a STRING is read whose values are of another kind: integers or truth values."""
    return Reading(read_as, lambda array: (pc.cast(array, pa.string()), []))


def _decimals(array: pa.Array, limit: int) -> Finished:
    """Find the numbers of too many digits, which Arrow's reader of JSON, unlike its cast of texts, lets pass."""
    too_large = pc.greater_equal(pc.abs(pc.cast(array, pa.float64())), float(limit))
    return array, pc.indices_nonzero(too_large).to_pylist()


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
