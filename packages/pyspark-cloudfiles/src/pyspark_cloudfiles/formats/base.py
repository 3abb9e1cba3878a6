"""The interface of a file format: it infers a schema from files, and reads files into Arrow.

A format knows nothing of checkpoints, evolution modes or partition columns.  It takes files and a request, and returns
:class:`Rows`.  Data that does not fit the schema is in their ``rescued`` column, or is an error, as the request says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from pyspark.sql import types as T

from pyspark_cloudfiles.filesystems.files import SourceFile

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of a batch stay below this, so that a worker's memory does not grow with the size of a file.
BATCH_BYTES = 8 * 1024 * 1024
# False: every record is read on its own. Tests read the same files both ways, and must get the same rows.
FAST_PATH = True
NoteBad = Callable[[str, str, str], None]


@dataclass(frozen=True)
class ReadRequest:
    """How files are to be read.

    Parameters
    ----------
    schema : StructType
        The data columns, in order: without partition columns, ``_metadata`` and the rescued column; with the column for
        corrupt records, if the user's schema has it.
    on_unknown : {"error", "rescue", "ignore"}
        What to do with fields that the schema does not have: raise :class:`~pyspark_cloudfiles.errors.UnknownFields`,
        put them into the rescued column, or drop them.
    rescue : bool
        Whether there is a rescued column.  With one, a value that does not fit its type becomes NULL and is rescued,
        and neither drops nor fails its record.
    case_sensitive : bool
        Whether a field in another case is another field (and rescued if ``rescue``, but never "unknown").
    mode : {"PERMISSIVE", "DROPMALFORMED", "FAILFAST"}
        What to do with malformed records (and with type mismatches where there is no rescued column), as Spark's
        readers do.
    corrupt_column : str or None
        The column of ``schema`` that takes the text of malformed records.
    bad_records : callable or None
        Called for each record that the mode drops, with the URL of its file, its text, and the reason.
    timezone : str
        Time zone in which timestamps without one are read; an IANA name or an offset.
    machine_timezone : str
        The same of the machine, which the session's JVM runs in.
    options : Mapping
        The format's own options (``header``, ``sep``, ``multiLine`` ...), keys in lower case.
    """

    schema: T.StructType
    on_unknown: Literal["error", "rescue", "ignore"] = "rescue"
    rescue: bool = True
    case_sensitive: bool = True
    mode: Literal["PERMISSIVE", "DROPMALFORMED", "FAILFAST"] = "PERMISSIVE"
    corrupt_column: str | None = None
    bad_records: NoteBad | None = None
    timezone: str = "UTC"
    machine_timezone: str = "UTC"
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class InferRequest:
    """How a schema is to be inferred.

    Parameters
    ----------
    infer_types : bool
        False: every column of a text format (JSON, CSV, XML) is a STRING.  True: the types that Spark's own reader
        infers.  Binary formats have their own types either way.
    case_sensitive : bool
        False: names that differ only in case are one column, in the spelling that came first.
    options : Mapping
        The format's own options, keys in lower case.
    timezone : str
        As in :class:`ReadRequest`.
    hinted : frozenset of str
        Top-level columns, in lower case, that have a schema hint: files may disagree about their types.
    """

    infer_types: bool = False
    case_sensitive: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    timezone: str = "UTC"
    hinted: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Rows:
    """Some rows of some files.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        Exactly the request's schema, as ``to_arrow_schema(schema, timezone="UTC")`` has it.
    counts : list of (SourceFile, int)
        Which files the rows came from, in the order of the rows, and how many from each.
    rescued : pyarrow.Array or None
        STRING, as long as the batch: a JSON object with what did not fit and ``_file_path``, or NULL; None where
        nothing was rescued in the whole batch.
    """

    batch: pa.RecordBatch
    counts: list[tuple[SourceFile, int]]
    rescued: pa.Array | None = None


class Format(Protocol):
    """One file format.  Instances have no state; they are made in each worker."""

    name: str

    def fixed_schema(self) -> T.StructType | None:
        """Return the schema that all files of this format have, or None where it must be inferred."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the schema of the files' data, merged over all of them.

        Without partition columns and rescued column.  Empty files and malformed records are passed over; where nothing
        at all is found, the schema has no fields.

        Raises
        ------
        InferenceFailed
            Types that cannot be merged.
        MissingFile, UnreadableFile
            As :meth:`read`.
        """

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files, in the order given.

        Small files may share a batch; a large one is read in pieces, so that memory stays near ``BATCH_BYTES``.

        Raises
        ------
        UnknownFields, MalformedRecord
            If the request says so.
        MissingFile, UnreadableFile
            A file that is gone, or that is no file of this format at all.
        """
