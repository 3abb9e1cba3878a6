"""What to do about Spark's errors that a first hour brings: a sentence for each, by Spark's own condition or words.

Spark says what is wrong in its terms; what to do stands in its guide.  An error that is not here is shown as Spark has
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from notebook_dialect.sql.spark_sql import FORMATS
from streaming_base.close_names import HIGH_SIMILARITY, closest_name

_NAMES_OF_TYPES: Final = """
    INT LONG BIGINT INTEGER SMALLINT DOUBLE FLOAT DECIMAL STRING BOOLEAN DATE TIMESTAMP TIMESTAMP_NTZ TINYINT BYTE SHORT
    VARCHAR CHAR BINARY ARRAY MAP STRUCT VARIANT INTERVAL
"""
_TYPES = tuple(_NAMES_OF_TYPES.split())
# What a statement starts with.
_FIRST_WORDS: Final = """
    SELECT WITH INSERT CREATE DROP UPDATE DELETE MERGE ALTER SHOW DESCRIBE EXPLAIN TRUNCATE REFRESH OPTIMIZE
"""
_STATEMENTS = tuple(_FIRST_WORDS.split())
# What comes later, where a misspelt one is first taken for an alias of the name before it.
_CLAUSES = ("FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "JOIN", "UNION")
_LATER_WORDS = (*_CLAUSES, "TABLE", "VIEW", "DATABASE", "SCHEMA")
# Formats that Spark knows the package of and has not loaded.
_PACKAGES = {
    "kafka": "org.apache.spark:spark-sql-kafka-0-10_2.13",
    "avro": "org.apache.spark:spark-avro_2.13",
}
_NO_FORMAT = re.compile(r"Failed to find (?:the )?data source: ([\w-]+(?:\.[\w-]+)*)")
_TIME_TRAVEL: Final = (
    'A stream has no `versionAsOf`: write `.option("startingVersion", n)`, or read that version with `spark.read`.'
)
_SYNTAX = re.compile(
    r"\[PARSE_SYNTAX_ERROR\] Syntax error at or near '?([^'.]*)"
    r"(?:.*\(line (\d+), pos (\d+)\)\s*== SQL.*? ==\n(.*))?",
    re.DOTALL,
)

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
    (r"output mode: update\. .* session window", "Write `append` or `complete`: sessions have no update mode."),
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
    (
        r"Distinct aggregations are not supported on streaming",
        "Write `approx_count_distinct`, or count in the table that the stream writes.",
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


def advice(message: str, lines: str, namespace: Mapping[str, Any], whole: str = "") -> str | None:
    """Return advice on an error of Spark's, one sentence or two, or None.

    ``lines`` are the notebook's lines that led to it; ``whole`` is Spark's message with the statement that it quotes.
    """
    if found := re.search(r"\[TABLE_OR_VIEW_NOT_FOUND\] The table or view (\S+) cannot", message):
        create = "Run the cell that creates it, or correct the name: `SHOW TABLES` lists what is there."
        return _did_you_mean(found[1].replace("`", "").rpartition(".")[2], _tables(namespace), create)
    if found := re.search(r'\[UNSUPPORTED_DATATYPE\] Unsupported data type "(\w+)', message):
        return _did_you_mean(found[1], _TYPES, f"Write a type of Spark: {', '.join(_TYPES[:9])} ...")
    if found := _NO_FORMAT.search(message):
        return _of_format(found[1])
    if "time travel is not allowed in streaming" in whole:  # which Spark says below an internal error
        return _TIME_TRAVEL
    if found := _SYNTAX.search(whole or message):
        schema = 'Write a schema as `"name TYPE, name TYPE"`.'
        return schema if "schema(" in lines else _syntax_advice(found)
    return next((found.expand(sentence) for known, sentence in _KNOWN if (found := known.search(message))), None)


def _of_format(name: str) -> str:
    if name in _PACKAGES:
        from pyspark.version import __version__

        package = f"{_PACKAGES[name]}:{__version__}"
        return f"This session lacks the package `{package}`: add it to `spark.jars.packages`, and restart the session."
    if name in FORMATS:
        return f"The package that has the format `{name}` is not in this session: add it, and restart the session."
    return _did_you_mean(name, FORMATS, f"Write a format that is there: {', '.join(FORMATS[:8])} ...")


def _syntax_advice(found: re.Match[str]) -> str:
    """Return the keyword closest to the word at which Spark's parser stopped; table names are excluded."""
    here, before = found[1], _words_before(found)
    places = [(before[-1], _CLAUSES), (here, _LATER_WORDS)] if before else [(here, _STATEMENTS)]
    for word, keywords in places:
        other = closest_name(word.upper(), keywords, HIGH_SIMILARITY)
        if other and not word.upper().startswith(other):  # `orders`, `grouped` and `tables` are names
            return f"Did you mean `{other}`?"
    return "Correct the statement there: a keyword, a comma or a parenthesis before it."


def _words_before(found: re.Match[str]) -> list[str]:
    """Return the words of the statement up to where Spark stopped reading."""
    if not found[4]:
        return []
    lines = found[4].split("\n")[: int(found[2])]
    text = "\n".join([*lines[:-1], lines[-1][: int(found[3])]])
    return re.findall(r"\w+|[^\w\s]", re.sub(r"--.*|/\*.*?\*/", "", text))


def _did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    other = closest_name(name, known, HIGH_SIMILARITY)
    return f"Did you mean `{other}`?" if other and other != name else otherwise


def _tables(namespace: Mapping[str, Any]) -> list[str]:
    with suppress(Exception):  # a session that answers nobody has no advice to give
        return [table.name for table in namespace["spark"].catalog.listTables()]
    return []
