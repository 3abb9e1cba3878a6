"""The schema of files, whatever their format: asked of the format, without the files that nobody can read."""

from __future__ import annotations

from pyspark.sql.types import StructType

from pyspark_cloudfiles import filesystem
from pyspark_cloudfiles.errors import MissingFile, UnreadableFile
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats import format_named
from pyspark_cloudfiles.formats.base import InferRequest
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.plan import local_timezone
from pyspark_cloudfiles.schemas.hints import parse_hints


def infer(files: list[SourceFile], options: Options) -> StructType:
    """Return the schema of the data in ``files``; see :meth:`pyspark_cloudfiles.formats.base.Format.infer`."""
    request = InferRequest(
        infer_types=options.infer_column_types,
        options=options.format_options,
        timezone=options.timezone or local_timezone(),
        hinted=frozenset(hint.path[0].lower() for hint in parse_hints(options.schema_hints)),
    )
    file_format = format_named(options.format)
    while True:
        try:
            return file_format.infer(files, request)
        except MissingFile:
            # Files that went away can be read by nobody; their columns are not missed.
            files = [file for file in files if filesystem.exists(file.url)]
        except UnreadableFile as error:
            left = [file for file in files if file.url != error.path]
            if not options.ignore_corrupt_files or len(left) == len(files):
                raise
            files = left
