"""The interface of a file format: it infers a schema from files, and reads files into Arrow.

A format knows nothing of checkpoints, evolution modes or partition columns.  It takes files and a request, and returns
:class:`Rows`.  Data that does not fit the schema is in their ``rescued`` column, or is an error, as the request says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

from pyspark.sql.types import StructType

from pyspark_cloudfiles.filesystems.files import SourceFile

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of a batch stay below this, so that a worker's memory does not grow with the size of a file.
BATCH_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class ReadRequest:
    """How files are read.

    ``schema`` has the data columns only, and the column for corrupt records if the user's schema has it.  With
    ``rescue``, a value that does not fit its type becomes NULL and is rescued, and neither drops nor fails its record.
    A field in another case is rescued if ``case_sensitive``, but never unknown.  ``bad_records`` is called for each
    record that the mode drops, with the URL of its file, its text and the reason.  Keys of ``options`` are in lower
    case.
    """

    schema: StructType
    on_unknown: Literal["error", "rescue", "ignore"] = "rescue"
    rescue: bool = True
    case_sensitive: bool = True
    mode: Literal["PERMISSIVE", "DROPMALFORMED", "FAILFAST"] = "PERMISSIVE"
    corrupt_column: str | None = None
    bad_records: Callable[[str, str, str], None] | None = None
    timezone: str = "UTC"
    machine_timezone: str = "UTC"
    options: Mapping[str, str] = field(default_factory=dict)

    def data_schema(self) -> StructType:
        """Return the schema without the column for corrupt records."""
        return StructType([field for field in self.schema if field.name != self.corrupt_column])


@dataclass(frozen=True)
class InferRequest:
    """How a schema is inferred.

    Without ``infer_types``, every column of a text format is a STRING.  Without ``case_sensitive``, names that differ
    only in case are one column, in the spelling that came first.  Files may disagree about the types of ``hinted``
    columns, which are in lower case.
    """

    infer_types: bool = False
    case_sensitive: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    timezone: str = "UTC"
    hinted: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Rows:
    """Some rows of some files.

    ``batch`` has exactly the request's schema, as ``to_arrow_schema(schema, timezone="UTC")`` has it.  ``counts`` are
    the rows of each file, in their order.  ``rescued`` has a JSON object or NULL for each row, or is None.
    """

    batch: pa.RecordBatch
    counts: list[tuple[SourceFile, int]]
    rescued: pa.Array | None = None


class Format:
    """A file format.  Instances have no state; they are created in each worker."""

    def fixed_schema(self) -> StructType | None:
        """Return the schema of all files of the format, or None if it must be inferred."""
        return None

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> StructType:
        """Return the merged schema of the files' data, without partition columns and rescued column.

        Empty files and malformed records are skipped; if nothing is found, the schema has no fields.  Raise
        InferenceFailed if types cannot be merged, and the errors of :meth:`read`.
        """
        return self.fixed_schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files in the order given, in batches of about ``BATCH_BYTES``.

        Raise UnknownFields and MalformedRecord if the request says so, MissingFile, and UnreadableFile for another
        format.
        """
        raise NotImplementedError


Part = TypeVar("Part")


class Names:
    """The names of columns; of names that differ only in case the first counts."""

    def __init__(self, names: Sequence[str], case_sensitive: bool) -> None:
        self._exact = {name: index for index, name in reversed(list(enumerate(names)))}
        self._folded = {name.lower(): index for index, name in reversed(list(enumerate(names)))}
        self._case_sensitive = case_sensitive

    def index_of(self, name: str) -> int | None:
        index = self._exact.get(name)
        return self._folded.get(name.lower()) if index is None and not self._case_sensitive else index

    def is_unknown(self, name: str) -> bool:
        """Whether there is no such column in any case."""
        return name.lower() not in self._folded


def coalesce(parts: Iterable[Part], size: Callable[[Part], int]) -> Iterator[list[Part]]:
    """Yield the parts in their order, in groups of at most ``BATCH_BYTES`` (or one part)."""
    waiting: list[Part] = []
    total = 0
    for part in parts:
        more = size(part)
        if waiting and total + more > BATCH_BYTES:
            yield waiting
            waiting, total = [], 0
        waiting.append(part)
        total += more
    if waiting:
        yield waiting
