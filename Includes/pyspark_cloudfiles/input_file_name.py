"""``input_file_name()``, which Spark knows of its own file sources only, for the rows of ``cloudFiles``.

Each task of Spark keeps a note of the file whose rows it is at, and the function reads it.  Here a filter that lets
every row pass writes the note where a row is of another file than the one before; so the function works in every place
where it does with Spark's own sources, and costs no more than comparing two texts for a row.  It gives what
``_metadata.file_path`` gives, as on Databricks: ``dbfs:/x``, where Spark's own sources have ``dbfs:///x``.  Over Spark
Connect there is no ``_metadata``, and the function gives nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark_cloudfiles.layout import METADATA

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The call returns nothing, which is a null.
_NOTE = f"""input_file_name() = {METADATA}.file_path OR java_method(
    'org.apache.spark.rdd.InputFileBlockHolder', 'set',
    {METADATA}.file_path, {METADATA}.file_block_start, {METADATA}.file_block_length) = 'null'"""


def noted(frame: DataFrame) -> DataFrame:
    """Return a frame of which each task notes the file that a row is from; it has a ``_metadata`` column."""
    return frame.where(_NOTE)
