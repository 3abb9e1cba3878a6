"""The names of the formats that Spark, Delta Lake and ``cloudFiles`` bring; other sources have names of their own."""

from __future__ import annotations

from typing import Final

# Those that are written most come first.
_NAMES: Final = """
    json csv parquet orc text delta kafka rate socket cloudFiles memory noop console avro xml binaryFile jdbc
    rate-micro-batch statestore state-metadata hive libsvm image
"""
FORMATS = tuple(_NAMES.split())
