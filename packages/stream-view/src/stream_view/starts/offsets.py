"""The offsets that a stream has left in its checkpoint, and what kind of source they are of.

Spark keeps them as text, a file a batch: a version, what holds for all sources, then a line for each source, whose
shape is the source's own.
"""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_VERSION = "v1"  # the second version names its sources, and Spark itself compares the names
#: Fields that the offsets of one kind of source have, and no other's.
_FIELDS = {
    "reservoirId": "a Delta table",
    "seqNum": "cloudFiles",
    "logOffset": "files",
}


def kinds_in(spark: SparkSession, checkpoint: str) -> list[str | None]:
    """Return the kind of source of each offset of a checkpoint's last batch, as ``sources`` calls it."""
    return [_kind(line) for line in _last_offsets(spark, checkpoint)]


def _last_offsets(spark: SparkSession, checkpoint: str) -> list[str]:
    hadoop = spark._jvm.org.apache.hadoop.fs
    folder = hadoop.Path(f"{checkpoint}/offsets")
    files = folder.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    if not files.exists(folder):
        return []
    names = [path.getName() for path in hadoop.FileUtil.stat2Paths(files.listStatus(folder))]
    batches = [int(name) for name in names if name.isdecimal()]
    if not batches:
        return []
    with closing(files.open(hadoop.Path(folder, str(max(batches))))) as stream:
        lines = spark._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8").splitlines()
    return lines[2:] if lines[:1] == [_VERSION] else []


def _kind(line: str) -> str | None:
    try:
        offset = json.loads(line)
    except ValueError:  # a dash, where the source had nothing yet, or a shape that is not known here
        return None
    if isinstance(offset, int):
        return "a rate or socket source"
    if not isinstance(offset, dict):
        return None
    return next((kind for field, kind in _FIELDS.items() if field in offset), _kind_without_a_field(offset))


def _kind_without_a_field(offset: dict[str, Any]) -> str | None:
    if set(offset) == {"offset", "timestamp"}:
        return "the rate-micro-batch source"
    return "Kafka" if offset and all(map(_is_by_partition, offset.values())) else None


def _is_by_partition(of_a_topic: Any) -> bool:
    return isinstance(of_a_topic, dict) and all(key.isdecimal() for key in of_a_topic)
