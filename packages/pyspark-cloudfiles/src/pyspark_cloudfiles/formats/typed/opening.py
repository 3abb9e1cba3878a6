"""The opening of Parquet and ORC files, with errors that name the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.typed.arrow_types import UnknownArrowTypeError, spark_schema

if TYPE_CHECKING:
    from pyarrow import NativeFile


@contextmanager
def opened(file: SourceFile, kind: str) -> Iterator[NativeFile | None]:
    """Open a file; None for one without any bytes, which Spark passes over.

    Raises
    ------
    MissingFile, UnreadableFile
        It is gone; what is done with it raises an error of Arrow's.
    """
    try:
        with filesystem.open_arrow(file.url) as source:
            yield source if source.size() else None
    except FileNotFoundError as error:
        raise MissingFile(file.url) from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(file.url, f"it cannot be read as {kind} file ({error}).") from error


def schema_of(file: SourceFile, schema: pa.Schema, physical: Iterator[str] | None = None) -> StructType:
    """Return the schema of a file as Spark has it; parameters as :func:`.arrow_types.spark_schema`.

    Raises
    ------
    UnreadableFile
        A column has a type that Spark does not have.
    """
    try:
        return spark_schema(schema, physical)
    except UnknownArrowTypeError as error:
        raise UnreadableFile(file.url, f"it has a column of type {error}, which Spark does not have.") from error
