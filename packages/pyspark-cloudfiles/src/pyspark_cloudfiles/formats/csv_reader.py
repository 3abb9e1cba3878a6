"""The format ``csv``: columns are matched by name, or by position in files without a header.

A value that does not fit is rescued; without a rescued column its record is malformed.  Types are inferred as by
Spark's reader: each value can widen its column's type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema, to_arrow_type

from pyspark_cloudfiles import conversion
from pyspark_cloudfiles.columns import ArrowCast, arrow_casts, convert_texts
from pyspark_cloudfiles.conversion import LONGEST, wider
from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import Format, InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.csv_blocks import (
    ArrowCutter,
    CsvBlock,
    CsvPart,
    Header,
    TokenCutter,
    blocks,
    check_limits,
    is_plain,
    parts,
)
from pyspark_cloudfiles.formats.csv_dialect import Dialect, Tokenizer
from pyspark_cloudfiles.formats.engine import Engine, FastColumns, Record, coalesce_rows, mask
from pyspark_cloudfiles.rescue import Leaf, Leftover, member, quoted, quoted_texts
from pyspark_cloudfiles.times import compile_pattern

_DATES_THAT_ARE_TIMESTAMPS = {"yyyy-MM-dd", "yyyy-M-d", "yyyy-M-dd", "yyyy-MM-d", "yyyy-MM", "yyyy-M", "yyyy"}
_INT, _LONG, _DOUBLE = T.IntegerType(), T.LongType(), T.DoubleType()
_DATE, _TIMESTAMP, _BOOLEAN, _STRING = T.DateType(), T.TimestampType(), T.BooleanType(), T.StringType()
# From narrow to wide: a value is tried from the type of its column on.
_FIRST_CELLS = 100
_STEPS = ("integer", "long", "decimal", "double", "date", "timestamp", "boolean", "string")


class CsvTypes:
    def __init__(self, request: InferRequest) -> None:
        self._request, self._types = request, ColumnTypes(request) if request.infer_types else None
        self._dialect = Dialect.from_options(request.options)
        self._tokenizer = Tokenizer(self._dialect)
        self._cutter = ArrowCutter(self._dialect) if is_plain(self._dialect) else None
        self._spelling: dict[str, str] = {}
        self._found: dict[str, T.DataType | None] = {}

    def add(self, file: SourceFile) -> None:
        """Add a file; if only names are wanted, its beginning is enough."""
        for part in parts(file, self._dialect, self._request.options):
            names = []
            for name in part.names:  # in their first spelling
                name = self._spelling.setdefault(name if self._request.case_sensitive else name.lower(), name)
                self._found.setdefault(name, None)
                names.append(name)
            if self._types is not None and names:
                self._narrow(part, names, self._types)
            elif names:
                return

    def _narrow(self, part: CsvPart, names: list[str], types: ColumnTypes) -> None:
        block, places = part.block(Header(part.names, [], [])), list(range(len(names)))
        cut = None if self._cutter is None else self._cutter.cells(block, places)
        if cut is not None and not cut.refused:
            for name, column in zip(names, cut.columns, strict=True):
                self._found[name] = types.narrow_by_column(self._found[name], column)
            return
        found = (block.tokens(number, self._tokenizer) for number in range(block.count))
        records = [tokens for tokens in found if tokens is not None]
        check_limits(part.file, records, self._dialect)
        for place, name in enumerate(names):
            cells = (tokens[place] for tokens in records if place < len(tokens))
            self._found[name] = types.narrow(self._found[name], cells)

    def schema(self) -> T.StructType:
        return T.StructType([T.StructField(name, data_type or _STRING) for name, data_type in self._found.items()])


class ColumnTypes:
    """Infers the types of columns, by the format's options."""

    def __init__(self, request: InferRequest) -> None:
        options = request.options
        self._options = options
        self._timezone = request.timezone
        self._null = options.get("nullvalue", "")
        pattern = options.get("dateformat", "yyyy-MM-dd")
        mixed = pattern in _DATES_THAT_ARE_TIMESTAMPS and "timestampformat" not in options
        self._date_and_timestamp = _TIMESTAMP if mixed else _STRING
        prefers_date = options.get("preferdate", "true").lower() == "true"
        plain = {key: value for key, value in options.items() if key != "enabledatetimeparsingfallback"}
        timestamps = conversion.timestamps(plain, request.timezone)
        self._tests: dict[str, Callable[[str], T.DataType | None]] = {
            "integer": _test(conversion.integers(32), _INT),
            "long": _test(conversion.integers(64), _LONG),
            "decimal": _whole_decimal,
            "double": _test(conversion.converter(_DOUBLE, options, request.timezone), _DOUBLE),
            "date": _test(compile_pattern(pattern).day, _DATE) if prefers_date else (lambda text: None),
            "timestamp": _test(timestamps, _TIMESTAMP),
            "boolean": _test(conversion.boolean, _BOOLEAN),
            "string": lambda text: _STRING,
        }

    def narrow(self, known: T.DataType | None, cells: Iterable[str | None]) -> T.DataType | None:
        """Return the type of a column after some more cells; None as long as all are empty."""
        for cell in dict.fromkeys(cells):  # duplicates do not change the type
            if isinstance(known, T.StringType):
                return known
            if cell and cell != self._null:
                known = self._merged(known, self._type_of(known, cell))
        return known

    def narrow_by_column(self, known: T.DataType | None, cells: pa.Array) -> T.DataType | None:
        """Return the same, testing only cells that are not plainly of the known type."""
        rest = cells.drop_null()
        while len(rest) and not isinstance(known, T.StringType):
            known = self.narrow(known, rest.slice(0, _FIRST_CELLS).to_pylist())
            rest = self._not_covered(known, rest.slice(_FIRST_CELLS))
        return known

    def _not_covered(self, known: T.DataType | None, cells: pa.Array) -> pa.Array:
        """Remove cells that are of a type; if a column does not prove that, remove duplicates."""
        if known is None or isinstance(known, T.StringType | T.DecimalType):
            return cells.unique()
        casts = arrow_casts(known, to_arrow_type(known, timezone="UTC"), self._options, self._timezone)
        for arrow_cast in casts:
            try:
                arrow_cast.cast(cells.slice(0, 1))  # failing at a whole column takes longer
                if arrow_cast.is_safe(cells, arrow_cast.cast(cells)):
                    return cells.slice(0, 0)
            except pa.ArrowInvalid:
                pass
        if isinstance(known, T.NumericType | T.BooleanType) and casts:
            # For these types, the pattern is a proof.
            cells = cells.filter(pc.invert(pc.match_substring_regex(cells, casts[0].pattern)))
        return cells.unique()

    def _type_of(self, known: T.DataType | None, text: str) -> T.DataType:
        first = 0 if known is None else _STEPS.index(known.typeName())
        for step in _STEPS[first:]:
            found = self._tests[step](text)
            if found is not None:
                return found
        return _STRING

    def _merged(self, known: T.DataType | None, found: T.DataType) -> T.DataType:
        if known is None:
            return found
        if {type(known), type(found)} == {T.DateType, T.TimestampType}:
            return self._date_and_timestamp  # a date's text may not have the pattern of timestamps
        return wider(known, found)


def _test(convert: conversion.Convert, data_type: T.DataType) -> Callable[[str], T.DataType | None]:
    return lambda text: data_type if conversion.can_convert(convert, text) else None


def _whole_decimal(text: str) -> T.DataType | None:
    try:
        _, digits, exponent = conversion.exact(text).as_tuple()
    except ValueError:
        return None
    if int(exponent) < 0:
        return None
    # Java stores an exponent as a negative scale, which no type has.
    return T.DecimalType(len(digits), 0) if len(digits) <= LONGEST and not exponent else None


_RAGGED = "it has too many or too few values"


class CsvParser:
    """Reads blocks by a request."""

    def __init__(self, request: ReadRequest, dialect: Dialect) -> None:
        self._request, self._dialect = request, dialect
        self._cutter = ArrowCutter(dialect) if is_plain(dialect) else TokenCutter(dialect)
        self._tokenizer = Tokenizer(dialect)
        self._fields = request.data_schema().fields
        arrow = to_arrow_schema(T.StructType(self._fields), timezone="UTC")
        self._types = list(arrow.types)
        self._converters: list[tuple[conversion.Convert, list[ArrowCast]]] = []
        for field, arrow_type in zip(self._fields, self._types, strict=True):
            data_type, options = field.dataType, request.options
            if isinstance(data_type, T.StructType | T.ArrayType | T.MapType):
                raise InvalidOption(f"CSV has no {data_type.simpleString()} for {field.name}. Read it as a STRING.")
            convert = conversion.converter(data_type, options, request.timezone)
            if isinstance(data_type, T.DateType) and "dateformat" not in options:
                convert = conversion.dates({})
            casts = arrow_casts(data_type, arrow_type, options, request.timezone)
            self._converters.append((convert, casts))
        # With a path for bad records, the wrong number of values makes one; otherwise the values can be rescued.
        self._ragged_is_malformed = not request.rescue or request.bad_records is not None

    def columns(self, block: CsvBlock) -> FastColumns | None:
        header, rescue = block.header, self._request.rescue
        if not header.is_one_to_one:
            return None
        position_of = {place: position for position, place in enumerate(header.places) if place is not None}
        extras = header.extras(self._request) if rescue else []
        wanted = [*position_of.values(), *extras]
        found = self._cutter.cells(block, wanted)
        cells = dict(zip(wanted, found.columns, strict=True))
        left = {header.names[position]: cells[position] for position in extras}
        columns: list[pa.Array] = []
        misfits: set[int] = set()
        for place, field in enumerate(self._fields):
            if place not in position_of:
                columns.append(pa.nulls(block.count - len(found.refused), self._types[place]))
                continue
            texts = cells[position_of[place]]
            array, wrong = texts, []
            if not isinstance(field.dataType, T.StringType):
                array, wrong = convert_texts(texts, self._types[place], *self._converters[place])
            columns.append(array)
            if wrong:
                misfits.update(wrong)
                left[field.name] = pc.if_else(mask(wrong, len(texts)), texts, None)
        members = [member(name, quoted_texts(texts)) for name, texts in left.items()] if rescue else []
        fast = FastColumns(columns, members, found.refused)
        # Without a rescued column a value that does not fit makes its record malformed.
        return fast if rescue else fast.without_rows(misfits, block.count)

    def records(self, block: CsvBlock, number: int) -> Sequence[Record]:
        tokens = block.tokens(number, self._tokenizer)
        if tokens is None:
            return []
        check_limits(block.file_of(number), [tokens], self._dialect)
        header = block.header
        placed: list[str | None] = [None] * len(self._fields)
        for place, cell in zip(header.places, tokens, strict=False):
            if place is not None:
                placed[place] = None if cell == self._dialect.null else cell
        # Values without a column are rescued as well.
        leftover: dict[str, Leftover] = {}
        for position in [*header.extras(self._request), *range(len(header.names), len(tokens))]:
            extra = tokens[position] if position < len(tokens) else None
            if extra is not None and extra != self._dialect.null:
                name = header.names[position] if position < len(header.names) else f"_c{position}"
                leftover[name] = Leaf(quoted(extra), fits=True)
        cells = []
        for place, cell in enumerate(placed):
            try:
                cells.append(None if cell is None else self._converters[place][0](cell))
            except ValueError:
                cells.append(None)
                leftover[self._fields[place].name] = Leaf(quoted(cell or ""))
        is_malformed = self._ragged_is_malformed and len(tokens) != len(header.names)
        return [Record(tuple(cells), leftover, _RAGGED if is_malformed else None)]


class CsvFormat(Format):
    """The format ``csv``."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        types = CsvTypes(request)
        for file in files:
            types.add(file)
        return types.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        dialect = Dialect.from_options(request.options)
        engine = Engine(CsvParser(request, dialect), request)
        return coalesce_rows(map(engine.rows, blocks(files, dialect, request)))
