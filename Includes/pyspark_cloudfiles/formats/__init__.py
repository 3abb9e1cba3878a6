"""The file formats that can be ingested, by the name that ``cloudFiles.format`` gives them."""

from __future__ import annotations

from importlib import import_module

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.formats.base import Format

# Imported when needed: a worker that reads JSON should not wait for the imports of others.
_MODULES = {
    "json": "json",
    "csv": "csv",
    "parquet": "parquet",
    "text": "text",
    "binaryfile": "binary_file",
    "avro": "avro",
    "orc": "orc",
    "xml": "xml",
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
    return import_module(f"pyspark_cloudfiles.formats.{module}_format").FORMAT
