"""CSV tokens to rows: placed by the header, converted column by column; what does not fit is rescued or malformed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.errors import InvalidOption, MalformedRecord
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.arrow_types import rows_without_columns
from pyspark_cloudfiles.formats.base import ReadRequest, Rows
from pyspark_cloudfiles.formats.csv_options import Dialect
from pyspark_cloudfiles.formats.csv_text import Tokens
from pyspark_cloudfiles.values import conversion, rescue
from pyspark_cloudfiles.values.text_columns import Way, column
from pyspark_cloudfiles.values.text_ways import ways


class Header(NamedTuple):
    """Where the columns of a file go.

    Parameters
    ----------
    names : list of str
        The file's columns.
    places : list of int or None
        For each of them the column of the schema, or None.
    unknown : list of str
        Those that the schema does not have in any case.
    """

    names: list[str]
    places: list[int | None]
    unknown: list[str]

    @classmethod
    def of(cls, names: list[str], request: ReadRequest, named: bool) -> Header:
        """Return where columns go: by name, or by position where the file does not name them."""
        wanted = [name for name in request.schema.names if name != request.corrupt_column]
        if not named:
            return cls(names, [place if place < len(wanted) else None for place in range(len(names))], [])
        exact = {name: place for place, name in enumerate(wanted)}
        folded = {name.lower(): place for place, name in reversed(list(enumerate(wanted)))}
        places = [exact.get(name) for name in names]
        if not request.case_sensitive:
            places = [folded.get(name.lower()) if place is None else place for name, place in zip(names, places)]  # noqa: B905
        return cls(names, places, [name for name in names if name.lower() not in folded])

    def extras(self, request: ReadRequest) -> list[int]:
        """Return the columns that have no place and are to be kept."""
        others = (position for position, place in enumerate(self.places) if place is None)
        return [position for position in others if request.on_unknown != "ignore" or not self.is_new(position)]

    def is_new(self, position: int) -> bool:
        """Tell whether the schema has a column in no case."""
        return self.names[position] in self.unknown


class RowBuilder:
    """Collects records of one or more files and makes :class:`Rows` of them."""

    def __init__(self, request: ReadRequest, dialect: Dialect) -> None:
        self.files: list[tuple[SourceFile, int]] = []
        self._request = request
        self._dialect = dialect
        self._fields = [field for field in request.schema.fields if field.name != request.corrupt_column]
        self._arrow = to_arrow_schema(request.schema, timezone="UTC")
        self._rows: list[Sequence[str | None]] = []
        self._sources: list[str] = []
        self._leftover: dict[int, dict[str, rescue.Leftover]] = {}
        self._bad: set[int] = set()
        self._ragged: set[int] = set()

    def add(self, file: SourceFile, header: Header, sources: list[str], tokens: list[Tokens]) -> None:
        """Append the records of a file."""
        width, places = len(header.names), header.places
        straight = places == list(range(len(self._fields)))
        extras = header.extras(self._request)
        first = len(self._rows)
        for row, cells in enumerate(tokens, first):
            if len(cells) != width or not straight:
                cells = self._placed(row, cells, header, extras)
            self._rows.append(cells)
        self._sources += sources
        self.files.append((file, len(tokens)))

    def rows(self) -> Rows:
        """Return what was collected.

        Raises
        ------
        MalformedRecord
            The mode is FAILFAST, and a record is malformed.
        """
        columns = self._columns()
        bad = self._malformed()
        if bad and self._request.mode == "FAILFAST":
            first = min(bad)
            raise MalformedRecord(self._url(first), self._sources[first])
        batch = self._batch(columns, bad)
        rescued = self._rescued() if self._request.rescue else None
        if bad and self._request.mode == "DROPMALFORMED":
            self._tell(bad)
            keep = pa.array([row not in bad for row in range(len(self._rows))], pa.bool_())
            return Rows(batch.filter(keep), self._counts(bad), None if rescued is None else rescued.filter(keep))
        return Rows(batch, self.files, rescued)

    def kept(self) -> list[int]:
        """Return which of the records :meth:`rows` gave, after it did."""
        left = self._malformed() if self._request.mode == "DROPMALFORMED" else set()
        return [row for row in range(len(self._rows)) if row not in left]

    def _malformed(self) -> set[int]:
        """Return the records that are malformed: where there is a rescued column, values that do not fit make none."""
        if not self._request.rescue:
            return self._bad
        # Cells too many or too few are rescued as well, unless bad records have a place of their own.
        return set() if self._request.bad_records is None else self._ragged

    def _tell(self, bad: set[int]) -> None:
        if self._request.bad_records is None:
            return
        for row in sorted(bad):
            ragged = row in self._ragged
            reason = "it has too many or too few values" if ragged else "a value does not fit the type of its column"
            self._request.bad_records(self._url(row), self._sources[row], reason)

    def _placed(self, row: int, cells: Tokens, header: Header, extras: list[int]) -> Sequence[str | None]:
        """Return the cells in the order of the schema, and note those that have no place there."""
        placed: list[str | None] = [None] * len(self._fields)
        for place, cell in zip(header.places, cells, strict=False):
            if place is not None:
                placed[place] = cell
        if len(cells) != len(header.names):
            self._bad.add(row)
            self._ragged.add(row)
        for position in [*extras, *range(len(header.names), len(cells))]:
            cell = cells[position] if position < len(cells) else None
            if cell is not None and cell != self._dialect.null:
                name = header.names[position] if position < len(header.names) else f"_c{position}"
                self._leftover.setdefault(row, {})[name] = rescue.Leaf(rescue.quoted(cell))
        return placed

    def _columns(self) -> list[pa.Array]:
        width, length = len(self._fields), len(self._rows)
        cells: Any = zip(*self._rows, strict=True) if self._rows else [()] * width
        columns = [self._column(field, list(some)) for field, some in zip(self._fields, cells, strict=True)]
        assert all(len(array) == length for array in columns)
        return columns

    def _column(self, field: T.StructField, cells: list[str | None]) -> pa.Array:
        null, arrow_type = self._dialect.null, self._arrow.field(field.name).type
        cells = [None if cell == null else cell for cell in cells]
        if isinstance(field.dataType, T.StringType):
            return pa.array(cells, arrow_type)
        array, misfits = column(cells, arrow_type, *converter_and_ways(field, arrow_type, self._request))
        for row in misfits:
            self._bad.add(row)
            self._leftover.setdefault(row, {})[field.name] = rescue.Leaf(rescue.quoted(cells[row] or ""))
        return array

    def _batch(self, columns: list[pa.Array], bad: set[int]) -> pa.RecordBatch:
        corrupt = self._request.corrupt_column
        if corrupt is not None:
            texts = [self._sources[row] if row in bad else None for row in range(len(self._rows))]
            columns.insert(self._request.schema.names.index(corrupt), pa.array(texts, pa.string()))
        if not columns:
            return rows_without_columns(len(self._rows))
        return pa.RecordBatch.from_arrays(columns, schema=self._arrow)

    def _rescued(self) -> pa.Array | None:
        if not self._leftover:
            return None
        owners = [file.url for file, count in self.files for _ in range(count)]
        texts = [
            rescue.rescued_text(self._leftover[row], owners[row]) if row in self._leftover else None
            for row in range(len(self._rows))
        ]
        return pa.array(texts, pa.string())

    def _counts(self, bad: set[int]) -> list[tuple[SourceFile, int]]:
        counts, row = [], 0
        for file, count in self.files:
            counts.append((file, count - sum(number in bad for number in range(row, row + count))))
            row += count
        return counts

    def _url(self, row: int) -> str:
        for file, count in self.files:
            if row < count:
                return file.url
            row -= count
        raise IndexError(row)


def converter_and_ways(
    field: T.StructField, arrow_type: pa.DataType, request: ReadRequest
) -> tuple[conversion.Convert, list[Way]]:
    """Return how texts of CSV become values: one by one, and by column.

    Raises
    ------
    InvalidOption
        CSV has no such values.
    """
    data_type = field.dataType
    if isinstance(data_type, T.StructType | T.ArrayType | T.MapType):
        raise InvalidOption(f"CSV has no {data_type.simpleString()} for {field.name}. Read it as a STRING.")
    convert = conversion.converter(data_type, request.options, request.timezone)
    if isinstance(data_type, T.DateType) and "dateformat" not in request.options:
        convert = conversion.dates({})
    return convert, ways(data_type, arrow_type, request.options, request.timezone)
