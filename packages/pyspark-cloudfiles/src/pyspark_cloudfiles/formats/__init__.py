"""The file formats that can be ingested, by the name that ``cloudFiles.format`` gives them.

:mod:`.base` is the interface of a format.  The text formats ``json``, ``csv`` and ``xml`` share :mod:`.engine`, and
the first two :mod:`.lines`.  ``avro``, ``parquet`` and ``orc`` have column types of their own, and share
:mod:`.file_schemas` and :mod:`.fitting`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.formats.base import Format

if TYPE_CHECKING:
    from pyspark_cloudfiles.options import Options

# Imported when needed: a worker that reads JSON should not wait for the imports of other formats.
_CLASSES = {
    "json": ("json_reader", "JsonFormat"),
    "csv": ("csv_reader", "CsvFormat"),
    "parquet": ("columnar", "ParquetFormat"),
    "text": ("plain_files", "TextFormat"),
    "binaryfile": ("plain_files", "BinaryFileFormat"),
    "avro": ("avro", "AvroFormat"),
    "orc": ("columnar", "OrcFormat"),
    "xml": ("xml", "XmlFormat"),
}
NAMES = ("json", "csv", "parquet", "text", "binaryFile", "avro", "orc", "xml")


def find_format(name: str) -> Format:
    """Return the format of a name; raise InvalidOption for an unknown one."""
    if name.lower() not in _CLASSES:
        raise InvalidOption(f"cloudFiles.format is {name!r}. Choose one of {', '.join(NAMES)}.")
    module, kind = _CLASSES[name.lower()]
    return getattr(import_module(f"pyspark_cloudfiles.formats.{module}"), kind)()


def stream_format(options: Options) -> Format:
    """Return the format of a stream; raise InvalidOption if it is unknown, or cannot be a VARIANT."""
    if options.single_variant_column is None:
        return find_format(options.format)
    from pyspark_cloudfiles.formats.single_variant import RECORD_READERS, SingleVariantFormat  # few streams have it

    if options.format.lower() not in RECORD_READERS:
        raise InvalidOption(
            f"singleVariantColumn is for {', '.join(RECORD_READERS)}, and cloudFiles.format is {options.format}. "
            "Remove it."
        )
    return SingleVariantFormat(options.format.lower(), options.single_variant_column)
