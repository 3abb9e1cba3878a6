"""The format ``csv``: columns are matched by name, or by position in files without a header.

What does not fit is rescued; without a rescued column its record is malformed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.csv.blocks import CsvBlock, blocks, check_limits
from pyspark_cloudfiles.formats.csv.cutters import ArrowCutter, TokenCutter, is_plain
from pyspark_cloudfiles.formats.csv.dialect import Dialect
from pyspark_cloudfiles.formats.csv.tokenizer import Tokenizer, Tokens
from pyspark_cloudfiles.formats.records.batches import coalesced_rows
from pyspark_cloudfiles.formats.records.engine import Engine, FastColumns
from pyspark_cloudfiles.formats.records.line_arrays import mask
from pyspark_cloudfiles.formats.records.outcome import Record
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.rescue import Leaf, Leftover, quoted
from pyspark_cloudfiles.values.rescue_columns import member, quoted_texts
from pyspark_cloudfiles.values.text_columns import ArrowCast, arrow_casts, converted

_RAGGED = "it has too many or too few values"


class CsvParser:
    """Reads blocks by a request.

    Raises
    ------
    InvalidOption
        The schema has a type that CSV does not have.
    """

    def __init__(self, request: ReadRequest, dialect: Dialect) -> None:
        self._request, self._dialect = request, dialect
        self._cutter = ArrowCutter(dialect) if is_plain(dialect) else TokenCutter(dialect)
        self._tokenizer = Tokenizer(dialect)
        self._fields = [field for field in request.schema.fields if field.name != request.corrupt_column]
        arrow = to_arrow_schema(T.StructType(self._fields), timezone="UTC")
        self._types = list(arrow.types)
        self._converters = [
            _converter_and_casts(field, arrow_type, request)
            for field, arrow_type in zip(self._fields, self._types, strict=True)
        ]
        # Where bad records have a place of their own, the wrong number of values makes one; else it can be rescued.
        self._ragged_is_malformed = not request.rescue or request.bad_records is not None

    def columns(self, block: CsvBlock) -> FastColumns | None:
        """Return the columns of the records that have the right number of values."""
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
            array, wrong = self._converted(texts, place)
            columns.append(array)
            if wrong:
                misfits.update(wrong)
                left[field.name] = pc.if_else(mask(wrong, len(texts)), texts, None)
        members = [member(name, quoted_texts(texts)) for name, texts in left.items()] if rescue else []
        fast = FastColumns(columns, members, found.refused)
        # Without a rescued column a value that does not fit makes its record malformed.
        return fast if rescue else fast.without_rows(misfits, block.count)

    def records(self, block: CsvBlock, number: int) -> Sequence[Record]:
        """Return a record; none of a blank line."""
        tokens = block.tokens(number, self._tokenizer)
        if tokens is None:
            return []
        check_limits(block.file_of(number), [tokens], self._dialect)
        header = block.header
        placed: list[str | None] = [None] * len(self._fields)
        for place, cell in zip(header.places, tokens, strict=False):
            if place is not None:
                placed[place] = None if cell == self._dialect.null else cell
        leftover = self._extras(block, tokens)
        cells = []
        for place, cell in enumerate(placed):
            try:
                cells.append(None if cell is None else self._converters[place][0](cell))
            except ValueError:
                cells.append(None)
                leftover[self._fields[place].name] = Leaf(quoted(cell or ""))
        is_ragged = len(tokens) != len(header.names)
        return [Record(tuple(cells), leftover, _RAGGED if is_ragged and self._ragged_is_malformed else None)]

    def _converted(self, texts: pa.Array, place: int) -> tuple[pa.Array, Sequence[int]]:
        if isinstance(self._fields[place].dataType, T.StringType):
            return texts, ()
        return converted(texts, self._types[place], *self._converters[place])

    def _extras(self, block: CsvBlock, tokens: Tokens) -> dict[str, Leftover]:
        """Return the values that have no column."""
        names = block.header.names
        found: dict[str, Leftover] = {}
        for position in [*block.header.extras(self._request), *range(len(names), len(tokens))]:
            cell = tokens[position] if position < len(tokens) else None
            if cell is not None and cell != self._dialect.null:
                name = names[position] if position < len(names) else f"_c{position}"
                found[name] = Leaf(quoted(cell), fits=True)
        return found


def _converter_and_casts(
    field: T.StructField, arrow_type: pa.DataType, request: ReadRequest
) -> tuple[conversion.Convert, list[ArrowCast]]:
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
    return convert, arrow_casts(data_type, arrow_type, request.options, request.timezone)


class CsvFormat:
    """The format ``csv``."""

    name = "csv"

    def fixed_schema(self) -> T.StructType | None:
        """Return None: the schema is in the data."""
        return None

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the schema of the files: the columns in the order in which they came up first."""
        from pyspark_cloudfiles.formats.csv.inference import CsvTypes  # tasks that read do not infer

        types = CsvTypes(request)
        for file in files:
            types.add(file)
        return types.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files."""
        dialect = Dialect.of(request.options)
        engine = Engine(CsvParser(request, dialect), request)
        return coalesced_rows(map(engine.rows, blocks(files, dialect, request)))


FORMAT = CsvFormat()
