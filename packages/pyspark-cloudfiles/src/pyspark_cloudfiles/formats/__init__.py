"""The file formats that can be ingested, by the name that ``cloudFiles.format`` gives them.

:mod:`.base` is the interface of a format.  The text formats ``json``, ``csv`` and ``xml``, and ``variant`` for whole
records in one column, share ``records``.  The formats with column types of their own are in ``typed``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.formats.base import Format

if TYPE_CHECKING:
    from pyspark_cloudfiles.options import Options

# Imported when needed: a worker that reads JSON should not wait for the imports of others.
_MODULES = {
    "json": "json.reader",
    "csv": "csv.reader",
    "parquet": "typed.parquet",
    "text": "text",
    "binaryfile": "binary_file",
    "avro": "typed.avro",
    "orc": "typed.orc",
    "xml": "xml.reader",
}
NAMES = ("json", "csv", "parquet", "text", "binaryFile", "avro", "orc", "xml")


def format_named(name: str) -> Format:
    """Return a format.

    Raises
    ------
    InvalidOption
        There is none of that name.
    """
    module = _MODULES.get(name.lower())
    if module is None:
        raise InvalidOption(f"cloudFiles.format is {name!r}. Choose one of {', '.join(NAMES)}.")
    return import_module(f"pyspark_cloudfiles.formats.{module}").FORMAT


def format_of(options: Options) -> Format:
    """Return the format of a stream.

    Raises
    ------
    InvalidOption
        There is none of that name, or it has no records that could be a VARIANT.
    """
    if options.single_variant_column is None:
        return format_named(options.format)
    from pyspark_cloudfiles.formats.variant.single import FORMATS, SingleVariantFormat  # few streams have it

    if options.format.lower() not in FORMATS:
        raise InvalidOption(
            f"singleVariantColumn is for {', '.join(FORMATS)}, and cloudFiles.format is {options.format}. Remove it."
        )
    return SingleVariantFormat(options.format.lower(), options.single_variant_column)
