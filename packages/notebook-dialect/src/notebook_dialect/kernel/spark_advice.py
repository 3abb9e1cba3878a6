"""What to do about Spark's errors that a first hour brings: a sentence for each, by Spark's own condition or words.

Spark says what is wrong in its terms; what to do stands in its guide.  An error that is not here is shown as Spark has
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from notebook_dialect.close_names import meant

_TYPES: tuple[str, ...] = (
    "INT",
    "LONG",
    "BIGINT",
    "INTEGER",
    "SMALLINT",
    "DOUBLE",
    "FLOAT",
    "DECIMAL",
    "STRING",
    "BOOLEAN",
)
_TYPES += ("DATE", "TIMESTAMP", "BINARY", "ARRAY", "MAP", "STRUCT", "VARIANT")
_FORMATS = ("json", "csv", "parquet", "orc", "text", "delta", "kafka", "rate", "socket", "cloudFiles", "memory", "noop")
_KEYWORDS: tuple[str, ...] = (
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "INSERT",
    "CREATE",
    "DROP",
    "UPDATE",
    "DELETE",
)
_KEYWORDS += ("MERGE", "WITH", "SHOW", "DESCRIBE", "ALTER", "VALUES", "JOIN", "LIMIT", "TABLE", "VIEW")

# The first that is found in `Class: message` counts.
_ADVICE: tuple[tuple[str, str], ...] = (
    (
        r"\[PATH_NOT_FOUND\] Path does not exist: (.*?)/[^/]*\. SQLSTATE",
        r'Correct the path: `dbutils.fs.ls("\1")` lists what is there. A file of this machine is `file:/...`.',
    ),
    (r"\[UNRESOLVED_COLUMN", "Write one of the columns that are there: `printSchema()` shows all of them."),
    (
        r"\[WRITE_STREAM_NOT_ALLOWED\]",
        "This DataFrame is not a stream: read it with `spark.readStream`, or write it with `.write`.",
    ),
    (
        r"output mode: complete\. .* no streaming aggregations",
        "Leave the output mode out: complete is for an aggregation, such as `groupBy(...).count()`.",
    ),
    (
        r"output mode: append\. .* aggregations without watermark",
        'Write `.outputMode("complete")` or `"update"`, or put `.withWatermark(...)` before the aggregation.',
    ),
    (r"\[STREAMING_OUTPUT_MODE|^Unknown output mode", "Write another output mode: `append`, `update` or `complete`."),
    (
        r"checkpointLocation must be specified",
        'Add `.option("checkpointLocation", "<a folder of its own>")` before `.start()` or `.toTable()`.',
    ),
    (
        r"Cannot start query with name (\S+) ",
        r"Stop the stream `\1` first (`spark.streams.active` has it), or write another `queryName`.",
    ),
    (r"\[CAST_INVALID_INPUT\]", "Correct the value or its type, or write `try_cast`, which gives NULL."),
    (r"\[CANNOT_PARSE_TIMESTAMP\]", "Correct the pattern, or write `try_to_timestamp`, which gives NULL."),
    (r"\[DIVIDE_BY_ZERO\]", "Write `try_divide(a, b)`, which gives NULL, or leave out rows with 0."),
    (r"\[VALUE_NOT_TRUE\] Value for `(\w+)`", r"Write `\1=True`."),
    (r"\[INVALID_INTERVAL_FORMAT", "Write an interval such as `1 second` or `5 minutes`."),
    (
        r"\[CALL_ON_STREAMING_DATASET_UNSUPPORTED\] The method `write`",
        "Write a stream with `.writeStream`, a checkpoint and `.start()` or `.toTable()`.",
    ),
    (
        r"\[CALL_ON_STREAMING_DATASET_UNSUPPORTED\]|Queries with streaming sources must be executed",
        "A stream has no end: look at it with `display(df)`, or write it with `.writeStream` and `.start()`.",
    ),
    (
        r"Schema must be specified when creating a streaming source",
        'Add `.schema("name TYPE, ...")` before the format; `spark.read` on the same folder shows a schema to copy.',
    ),
    (
        r"\[CANNOT_CONVERT_COLUMN_INTO_BOOL\]",
        "Put each comparison in parentheses: `(a > 1) & (b == 2)`. An `if` takes a value, not a column.",
    ),
    (
        r"Sorting is not supported on streaming",
        "Sort what you read from the table afterwards, or aggregate and write in complete mode.",
    ),
    (r"\[NOT_EXPECTED_TYPE\].* Column, got str", 'Write `F.col("name")` for a column, and `F.lit(...)` for a value.'),
    (
        r"\[NUM_COLUMNS_MISMATCH\]",
        "Select the same columns on both sides, or write `unionByName(other, allowMissingColumns=True)`.",
    ),
    (r"\[FIELD_STRUCT_LENGTH_MISMATCH\]", "Give each row as many values as the schema has columns."),
    (
        r"\[FOREACH_BATCH_USER_FUNCTION_ERROR\]",
        "Correct the function and start the stream again: with its checkpoint, it repeats the batch.",
    ),
)
_KNOWN = tuple((re.compile(pattern, re.DOTALL), sentence) for pattern, sentence in _ADVICE)


def advice(message: str, lines: str, namespace: Mapping[str, Any]) -> str | None:
    """Return what to do about an error of Spark's, one sentence or two; None where nothing is known.

    Parameters
    ----------
    message : str
        What Spark says.
    lines : str
        The lines of the notebook that led there.
    namespace : mapping
        The notebook's variables: its ``spark`` knows the tables.
    """
    if found := re.search(r"\[TABLE_OR_VIEW_NOT_FOUND\] The table or view (\S+) cannot", message):
        create = "Run the cell that creates it, or correct the name: `SHOW TABLES` lists what is there."
        return _did_you_mean(found[1].replace("`", "").rpartition(".")[2], _tables(namespace), create)
    if found := re.search(r'\[UNSUPPORTED_DATATYPE\] Unsupported data type "(\w+)', message):
        return _did_you_mean(found[1], _TYPES, f"Write a type of Spark: {', '.join(_TYPES[:9])} ...")
    if found := re.search(r"\[DATA_SOURCE_NOT_FOUND\] Failed to find the data source: (\w+)", message):
        return _did_you_mean(found[1], _FORMATS, f"Write a format that is there: {', '.join(_FORMATS[:8])} ...")
    if found := re.search(r"\[PARSE_SYNTAX_ERROR\] Syntax error at or near '?([^'.]*)", message):
        schema = 'Write a schema as `"name TYPE, name TYPE"`.'
        place = "Correct the statement there: a keyword, a comma or a parenthesis before it."
        return schema if "schema(" in lines else _did_you_mean(found[1].upper(), _KEYWORDS, place)
    return next((found.expand(sentence) for known, sentence in _KNOWN if (found := known.search(message))), None)


def _did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    other = meant(name, known)
    return f"Did you mean `{other}`?" if other and other != name else otherwise


def _tables(namespace: Mapping[str, Any]) -> list[str]:
    with suppress(Exception):  # a session that answers nobody has no advice to give
        return [table.name for table in namespace["spark"].catalog.listTables()]
    return []
