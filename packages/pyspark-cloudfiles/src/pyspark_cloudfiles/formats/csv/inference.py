"""The schema of CSV files, inferred as by Spark's reader: each value can widen its column's type."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import InferRequest
from pyspark_cloudfiles.formats.csv.blocks import CsvPart, Header, check_limits, parts
from pyspark_cloudfiles.formats.csv.cutters import ArrowCutter, is_plain
from pyspark_cloudfiles.formats.csv.dialect import Dialect
from pyspark_cloudfiles.formats.csv.tokenizer import Tokenizer
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.text_columns import arrow_casts
from pyspark_cloudfiles.values.time_patterns import compiled
from pyspark_cloudfiles.values.widening import LONGEST, wider

_DATES_THAT_ARE_TIMESTAMPS = {"yyyy-MM-dd", "yyyy-M-d", "yyyy-M-dd", "yyyy-MM-d", "yyyy-MM", "yyyy-M", "yyyy"}
_INT, _LONG, _DOUBLE = T.IntegerType(), T.LongType(), T.DoubleType()
_DATE, _TIMESTAMP, _BOOLEAN, _STRING = T.DateType(), T.TimestampType(), T.BooleanType(), T.StringType()
# From narrow to wide: a value is tried from the type of its column on.
_FIRST_CELLS = 100
_STEPS = ("integer", "long", "decimal", "double", "date", "timestamp", "boolean", "string")


class CsvTypes:
    """The columns that were found, with their types."""

    def __init__(self, request: InferRequest) -> None:
        self._request, self._types = request, ColumnTypes(request) if request.infer_types else None
        self._dialect = Dialect.of(request.options)
        self._tokenizer = Tokenizer(self._dialect)
        self._cutter = ArrowCutter(self._dialect) if is_plain(self._dialect) and base.FAST_PATH else None
        self._spelling: dict[str, str] = {}
        self._found: dict[str, T.DataType | None] = {}

    def add(self, file: SourceFile) -> None:
        """Add a file; where only names are wanted, its beginning is enough."""
        for part in parts(file, self._dialect, self._request.options):
            names = list(map(self._known, part.names))
            if self._types is not None and names:
                self._narrow(part, names, self._types)
            elif names:
                return

    def _narrow(self, part: CsvPart, names: list[str], types: ColumnTypes) -> None:
        """Add the values of some records of a file to what is known of its columns."""
        block, places = part.block(Header(part.names, [], [])), list(range(len(names)))
        cut = None if self._cutter is None else self._cutter.cells(block, places)
        if cut is not None and not cut.refused:
            for name, column in zip(names, cut.columns, strict=True):
                self._found[name] = types.narrowed_by_column(self._found[name], column)
            return
        found = (block.tokens(number, self._tokenizer) for number in range(block.count))
        records = [tokens for tokens in found if tokens is not None]
        check_limits(part.file, records, self._dialect)
        for place, name in enumerate(names):
            cells = (tokens[place] for tokens in records if place < len(tokens))
            self._found[name] = types.narrowed(self._found[name], cells)

    def schema(self) -> T.StructType:
        """Return them."""
        return T.StructType([T.StructField(name, data_type or _STRING) for name, data_type in self._found.items()])

    def _known(self, name: str) -> str:
        """Note a name, and return how it was spelled first."""
        name = self._spelling.setdefault(name if self._request.case_sensitive else name.lower(), name)
        self._found.setdefault(name, None)
        return name


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
            "date": _test(compiled(pattern).day, _DATE) if prefers_date else (lambda text: None),
            "timestamp": _test(timestamps, _TIMESTAMP),
            "boolean": _test(conversion.boolean, _BOOLEAN),
            "string": lambda text: _STRING,
        }

    def narrowed(self, known: T.DataType | None, cells: Iterable[str | None]) -> T.DataType | None:
        """Return the type of a column after some more cells; None as long as all are empty."""
        # The same text again says nothing new.
        for cell in dict.fromkeys(cells):
            if isinstance(known, T.StringType):
                return known
            if cell and cell != self._null:
                known = self._merged(known, self._type_of(known, cell))
        return known

    def narrowed_by_column(self, known: T.DataType | None, cells: pa.Array) -> T.DataType | None:
        """Return the same, and look only at cells that are not plainly of the type that is known."""
        rest = cells.drop_null()
        while len(rest) and not isinstance(known, T.StringType):
            known = self.narrowed(known, rest.slice(0, _FIRST_CELLS).to_pylist())
            rest = self._not_covered(known, rest.slice(_FIRST_CELLS))
        return known

    def _not_covered(self, known: T.DataType | None, cells: pa.Array) -> pa.Array:
        """Leave out cells that are of a type; where that cannot be told by column, those that repeat themselves."""
        if known is None or isinstance(known, T.StringType | T.DecimalType):
            return cells.unique()
        casts = arrow_casts(known, to_arrow_type(known, timezone="UTC"), self._options, self._timezone)
        for arrow_cast in casts:
            try:
                arrow_cast.cast(cells.slice(0, 1))  # failing at all of them takes longer
                if arrow_cast.is_safe(cells, arrow_cast.cast(cells)):
                    return cells.slice(0, 0)
            except pa.ArrowInvalid:
                pass
        if isinstance(known, T.NumericType | T.BooleanType) and casts:
            # Of these, all that look so are so.
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
    return lambda text: data_type if conversion.converts(convert, text) else None


def _whole_decimal(text: str) -> T.DataType | None:
    try:
        _, digits, exponent = conversion.exact(text).as_tuple()
    except ValueError:
        return None
    if int(exponent) < 0:
        return None
    # Java keeps an exponent as a negative scale, which no type has.
    return T.DecimalType(len(digits), 0) if len(digits) <= LONGEST and not exponent else None
