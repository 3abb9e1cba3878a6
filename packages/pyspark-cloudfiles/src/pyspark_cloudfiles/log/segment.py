"""A segment of a list of rows, and what its file name says of it.

Parquet has checksums of its own for pages, but none for its footer, which says where the pages are and how many rows
they have.
"""

from __future__ import annotations

import re
import uuid
import zlib
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

_SEALED = b"CRC1"
_SEAL_LENGTH = 4 + len(_SEALED)


class DamagedSegmentError(Exception):
    """The bytes are not what was written."""


def seal(table: pa.Table) -> bytes:
    """Return rows as bytes that nobody else has written, with their checksum at the end."""
    buffer = pa.BufferOutputStream()
    # So that a writer recognizes its own file, should the store's answer have been lost.
    pq.write_table(table.replace_schema_metadata({"written": uuid.uuid4().hex}), buffer, compression="zstd")
    content = buffer.getvalue().to_pybytes()
    return content + zlib.crc32(content).to_bytes(4, "little") + _SEALED


def unseal(data: bytes, columns: list[str] | None = None) -> pa.Table:
    """Return the rows that bytes hold.

    Parameters
    ----------
    columns : list of str, optional
        Those that are wanted; a name that the rows do not have is left out.

    Raises
    ------
    DamagedSegmentError
        A bit of them has changed, or a part is missing.
    """
    if not data.endswith(_SEALED):
        raise DamagedSegmentError("its end is missing")
    content = memoryview(data)[:-_SEAL_LENGTH]
    if zlib.crc32(content).to_bytes(4, "little") != data[-_SEAL_LENGTH : -len(_SEALED)]:
        raise DamagedSegmentError("its checksum is another one")
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        names = file.schema_arrow.names
        table = file.read(names if columns is None else [name for name in columns if name in names])
    except (pa.ArrowException, OSError) as error:
        raise DamagedSegmentError(str(error)) from error
    return table.replace_schema_metadata(None) if table.num_columns else table  # which would forget its rows


MERGED = 8
_NAME = re.compile(r"(\d{20})(?:-(\d{1,9}))?\.parquet")


class Segment(NamedTuple):
    """A file of the list.

    Parameters
    ----------
    first, count : int
        The number of its first row, and how many it has.
    is_counted : bool
        Whether its name says how many rows it has, as that of one which was put together of others.
    """

    first: int
    count: int
    is_counted: bool = False

    @staticmethod
    def of_name(name: str) -> Segment | None:
        """Return the segment that a file is by its name, None where it is another file."""
        match = _NAME.fullmatch(name)
        return match and Segment(int(match[1]), int(match[2] or 0), match[2] is not None)

    @property
    def end(self) -> int:
        return self.first + self.count

    @property
    def name(self) -> str:
        count = f"-{self.count}" if self.is_counted else ""
        return f"{self.first:020d}{count}.parquet"

    @property
    def level(self) -> int:
        """How many merges it has behind it."""
        return next(level for level in range(20) if self.count < MERGED ** (level + 1))

    def covers(self, other: Segment) -> bool:
        """Tell whether its rows begin before the other's, or with them, and end after the first of those."""
        return self.first <= other.first < self.end
