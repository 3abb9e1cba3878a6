"""The content of a segment: Parquet with a checksum behind it.

Parquet has checksums of its own for pages, but none for its footer, which says where the pages are and how many rows
they have.
"""

from __future__ import annotations

import uuid
import zlib

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
