"""The outcome of a record: a row, a rescued or corrupt record, a dropped one, or an error.

A malformed record fails the batch, is dropped, or becomes a row whose text is kept in the column for corrupt records or
in the rescued column.  Unknown fields are an error, are rescued, or are dropped.  Only this module knows the modes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.errors import MalformedRecord, UnknownFields
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.records.batches import FileRows, NumberedRows, array_of, batch_of
from pyspark_cloudfiles.values import rescue
from pyspark_cloudfiles.values.plain_arrays import longs

MISFIT = "a value does not fit the type of its column"


class Record(NamedTuple):
    """What a row reader makes of a record.

    Parameters
    ----------
    cells : tuple or None
        A value for each column of the schema, without the one for corrupt records; None: there are none to be had.
    leftover : Mapping
        What did not fit.
    malformed : str or None
        Why the record is malformed, if it is.
    """

    cells: tuple[Any, ...] | None
    leftover: Mapping[str, rescue.Leftover] = {}
    malformed: str | None = None


class Outcome:
    """Collects records, and makes rows of them as the request wants it."""

    def __init__(self, request: ReadRequest) -> None:
        self._request = request
        self._fields = [field for field in request.schema.fields if field.name != request.corrupt_column]
        self._nothing = (None,) * len(self._fields)
        self._cells: list[tuple[Any, ...]] = []
        self._numbers: list[int] = []
        self._corrupt: list[str | None] = []
        self._rescued: list[str | None] = []
        self._bad: list[tuple[str, str, str]] = []
        self._unknown: dict[str, None] = {}
        self._first_unknown: tuple[str, str] | None = None

    def add(self, number: int, url: str, records: Sequence[Record], text: Callable[[], str]) -> None:
        """Add the records of a line.

        Parameters
        ----------
        number : int
            Of the line.
        url : str
            Of its file.
        records : sequence of Record
            What is in it: usually one.
        text : callable
            Returns the line.

        Raises
        ------
        MalformedRecord
            One is malformed, and the mode is FAILFAST.
        """
        if len(records) == 1 and records[0].cells is not None and not records[0].leftover and not records[0].malformed:
            self._append(number, records[0].cells)
            return
        reason = self._malformed(records)
        if reason is not None and self._request.mode == "FAILFAST":
            raise MalformedRecord(url, text())
        if reason is not None and self._request.mode == "DROPMALFORMED":
            if self._request.bad_records is not None:
                self._bad.append((url, text(), reason))
            return
        corrupt = text() if reason is not None and self._request.corrupt_column is not None else None
        for record in records:
            left = record.leftover
            if record.cells is None and corrupt is None:  # without a column of its own the text would be lost
                left = {rescue.CORRUPT_RECORD: rescue.Leaf(rescue.quoted(text()))}
            cells = self._nothing if record.cells is None else record.cells
            self._append(number, cells, corrupt, self._left(left, url) if left else None)

    def rows(self) -> NumberedRows:
        """Return the rows, each with the number of its line.

        Raises
        ------
        UnknownFields
            Some record has fields that the schema does not have, and the request wants it to be an error.
        """
        if self._first_unknown is not None:
            path, record = self._first_unknown
            raise UnknownFields(path, record, list(self._unknown))
        for url, text, reason in self._bad:
            self._request.bad_records(url, text, reason)  # type: ignore[misc]
        cells = zip(*self._cells, strict=True) if self._cells else [()] * len(self._fields)
        columns = [array_of(field.dataType, some) for field, some in zip(self._fields, cells, strict=True)]
        corrupt = pa.array(self._corrupt, pa.string()) if any(self._corrupt) else None
        rescued = pa.array(self._rescued, pa.string()) if any(self._rescued) else None
        batch = batch_of_request(columns, len(self._cells), self._request, corrupt)
        return NumberedRows(longs(self._numbers), batch, rescued)

    def _append(
        self, number: int, cells: tuple[Any, ...], corrupt: str | None = None, rescued: str | None = None
    ) -> None:
        self._numbers.append(number)
        self._cells.append(cells)
        self._corrupt.append(corrupt)
        self._rescued.append(rescued)

    def _malformed(self, records: Sequence[Record]) -> str | None:
        for record in records:
            if record.malformed is not None:
                return record.malformed
            if not self._request.rescue and record.leftover and rescue.has_misfit(dict(record.leftover)):
                return MISFIT
        return None

    def _left(self, leftover: Mapping[str, rescue.Leftover], url: str) -> str | None:
        """Return what is rescued of a record, and note the fields that the schema does not have."""
        if self._request.on_unknown == "error":
            names = dict.fromkeys(rescue.unknown_names(dict(leftover)))
            if names and self._first_unknown is None:
                self._first_unknown = url, rescue.unknown_text(leftover)
            self._unknown |= names
        if self._request.on_unknown == "ignore":
            leftover = {name: part for name, part in leftover.items() if not rescue.is_unknown(part)}
        return rescue.rescued_text(leftover, url) if leftover and self._request.rescue else None


def file_rows(file: SourceFile, records: Iterable[tuple[Record, Callable[[], str]]], request: ReadRequest) -> FileRows:
    """Return the rows of a file's records, each with a function that returns its text."""
    outcome = Outcome(request)
    for number, (record, text) in enumerate(records):
        outcome.add(number, file.url, [record], text)
    _, batch, rescued = outcome.rows()
    return FileRows(file, batch, rescued)


def batch_of_request(
    columns: Sequence[pa.Array], rows: int, request: ReadRequest, corrupt: pa.Array | None = None
) -> pa.RecordBatch:
    """Return columns as a batch of the request's schema, with the column for corrupt records; None: it is all NULL."""
    columns = list(columns)
    if request.corrupt_column is not None:
        place = request.schema.names.index(request.corrupt_column)
        columns.insert(place, pa.nulls(rows, pa.string()) if corrupt is None else corrupt)
    return batch_of(columns, to_arrow_schema(request.schema, timezone="UTC"), rows)
