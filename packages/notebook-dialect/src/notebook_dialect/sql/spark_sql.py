"""The methods that Databricks adds to Spark, and ``spark.sql`` with the forms that only Databricks' SQL has.

Spark gets each statement exactly as it is written.  What it refuses for one of the forms in :mod:`.databricks_sql` is
rewritten and tried again, and an error that is left speaks of what the reader wrote.  ``display`` and ``displayHTML``
are those of stream_view if it is installed, else what IPython and Spark show.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final

from notebook_dialect.catalogs import statements as catalogs
from notebook_dialect.catalogs.statement_reader import StatementReader, literal, quoted_name
from notebook_dialect.sql import databricks_sql, spark_expressions
from notebook_dialect.sql.databricks_sql import RefusedStatement
from streaming_base import hooks
from streaming_base.rewritten_sql import restore_positions
from streaming_base.siblings import function_of_sibling
from streaming_base.sql_statements import tokens_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS_LIMIT = 20  # of a frame, where it is printed
BY = "notebook_dialect"
_DEEP_CLONE = re.compile(
    r"\s*(?:CREATE|REPLACE|CREATE\s+OR\s+REPLACE)\s+TABLE\b(?:(?!\b(?:AS|USING)\b|\().)*?(?<!\bSHALLOW)\s+CLONE\b",
    re.IGNORECASE | re.DOTALL,
)
_OF_ONE_TABLE = ("delta.columnMapping.maxColumnId", "delta.rowTracking.materialized")
#: The columns that Databricks returns of a clone; sizes are in bytes.
_COUNTS: tuple[str, ...] = ("source_table_size", "source_num_of_files", "num_removed_files", "num_copied_files")
# Those that are written most come first.
_NAMES: Final = """
    json csv parquet orc text delta kafka rate socket cloudFiles memory noop console avro xml binaryFile jdbc
    rate-micro-batch statestore state-metadata hive libsvm image
"""
FORMATS = tuple(_NAMES.split())


def display(*values: Any, **options: Any) -> None:
    """Show values; without stream_view, a Spark DataFrame is printed as its method ``show`` prints it.

    ``*values``: the values; ``**options``: those of :func:`stream_view.display`, which a stream needs.
    """
    from IPython.display import display as show
    from pyspark.sql import DataFrame

    if (display_of_stream_view := function_of_sibling("display")) is not None:
        display_of_stream_view(*values, **options)
        return
    for value in values:
        if isinstance(value, DataFrame):
            value.show(ROWS_LIMIT, truncate=False)
        else:
            show(value, **options)


def displayHTML(html: str) -> None:
    """Show HTML."""
    from IPython.display import HTML
    from IPython.display import display as show

    if (display_html := function_of_sibling("display_html")) is not None:
        display_html(html)
    else:
        show(HTML(html))


_COUNTS += ("removed_files_size", "copied_files_size")


def install() -> None:
    """Add the methods of Databricks that Spark's classes lack."""
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter

    _install_sql()
    spark_expressions.install()
    why = "Delta's toTable needs an active session, which only the thread that made the session has"
    hooks.wrap(DataStreamWriter, "toTable", _wrap_to_table, by=BY, layer="language", why=why)
    writers = [DataStreamWriter]
    # Loaded where a session is a Connect one, and only then to be had.
    if connect := sys.modules.get("pyspark.sql.connect.streaming.readwriter"):
        writers.append(connect.DataStreamWriter)
    for writer in writers:
        hooks.add(writer, "table", writer.toTable, by=BY, why="Databricks has writeStream.table")
    with suppress(ImportError):  # Delta need not be there
        from delta.tables import DeltaTable

        why = "Delta looks for a table of one or two parts in spark_catalog only"
        hooks.wrap(DeltaTable, "forName", _wrap_for_name, by=BY, layer="language", why=why)
    hooks.add(DataFrame, "display", _display, by=BY, why="Databricks has DataFrame.display")


def _wrap_for_name(original: Any) -> Any:
    """Have a name of one or two parts mean a table of the current catalog, as in SQL."""

    @wraps(original.__func__)
    def forName(cls: type, sparkSession: Any, tableOrViewName: str) -> Any:
        __tracebackhide__ = True
        catalog = sparkSession.catalog.currentCatalog()
        parts = [token.text for token in tokens_of(tableOrViewName)][::2]
        if catalog == "spark_catalog" or len(parts) > 2 or parts[0].lower() == "delta":
            return original.__func__(cls, sparkSession, tableOrViewName)
        schema = [] if len(parts) == 2 else [f"`{sparkSession.catalog.currentDatabase()}`"]
        return original.__func__(cls, sparkSession, ".".join([f"`{catalog}`", *schema, *parts]))

    return classmethod(forName)


def _wrap_to_table(original: Callable[..., Any]) -> Callable[..., Any]:
    """Make the writer's session the active one of the JVM thread that serves this thread.

    A thread of the notebook's own has none, and neither has the main thread after an interrupt, which cuts its
    connection.  Without one Delta's ``toTable`` fails (DELTA_INVALID_V1_TABLE_CALL).
    """

    @wraps(original)
    def toTable(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        spark = self._spark
        type(spark)._get_j_spark_session_class(spark._jvm).setActiveSession(spark._jsparkSession)
        return original(self, *args, **kwargs)

    return toTable


def _display(self: Any, *arguments: Any, **options: Any) -> None:
    """Show this frame; see :func:`notebook_dialect.sql.spark_sql.display`."""
    display(self, *arguments, **options)


def _install_sql() -> None:
    """Wrap Spark's classes, and those of Spark Connect if they are loaded; calling it again changes nothing."""
    from pyspark.sql import DataFrameReader, DataFrameWriter, SparkSession
    from pyspark.sql.streaming import DataStreamReader, DataStreamWriter

    _install_in(SparkSession, DataFrameReader, (DataFrameWriter, DataStreamReader, DataStreamWriter))
    if connect := sys.modules.get("pyspark.sql.connect.session"):
        # That module has loaded these.
        from pyspark.sql.connect.readwriter import DataFrameReader as Reader
        from pyspark.sql.connect.readwriter import DataFrameWriter as Writer
        from pyspark.sql.connect.streaming.readwriter import DataStreamReader as StreamReader
        from pyspark.sql.connect.streaming.readwriter import DataStreamWriter as StreamWriter

        _install_in(connect.SparkSession, Reader, (Writer, StreamReader, StreamWriter))


def _install_in(session: Any, reader: Any, others: tuple[type, type, type]) -> None:
    writer, stream_reader, stream_writer = others
    _wrap_method(session, "sql", _wrap_sql, "SQL that Spark rejects")
    _wrap_method(session, "table", partial(_wrap_table_read, session_of=lambda spark: spark), "t@v3")
    _wrap_method(
        reader, "table", partial(_wrap_table_read, session_of=lambda of: vars(of).get("_spark") or of._client), "t@v3"
    )
    for kind, method in (
        (writer, "saveAsTable"),
        (writer, "insertInto"),
        (stream_reader, "table"),
        (stream_writer, "toTable"),
    ):
        _wrap_method(kind, method, _wrap_table_name, "names that begin with hive_metastore")


def _wrap_method(kind: type, method: str, make: Callable[[Any], Any], why: str) -> None:
    hooks.wrap(kind, method, make, by=BY, layer="language", why=why)


def _wrap_sql(original: Callable[..., DataFrame]) -> Callable[..., DataFrame]:
    @wraps(original)
    def sql(self: SparkSession, sqlQuery: str, *args: Any, **kwargs: Any) -> DataFrame:
        __tracebackhide__ = True

        def execute(text: str) -> DataFrame:
            return run(self, text, lambda rewritten: original(self, rewritten, *args, **kwargs))

        return catalogs.run(self, sqlQuery, execute)

    return sql


def run(spark: SparkSession, text: str, execute: Callable[[str], DataFrame]) -> DataFrame:
    """Execute a statement; if Spark rejects a form that Databricks has, rewrite it and retry.

    Raises PySparkException: Spark's own error, about the original text; BadSql, NoJson: the statement would be an
    error on Databricks too.
    """
    __tracebackhide__ = True
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    if not isinstance(text, str):
        return execute(text)
    statement = RefusedStatement(text)
    while True:
        try:
            return execute(statement.rewritten.text)
        except (PySparkException, Py4JJavaError) as error:
            another = statement.after(str(error))
            is_clone = another is None and "PARSE_SYNTAX_ERROR" in str(error) and _DEEP_CLONE.match(text) is not None
            if another is None and not is_clone:
                restore_positions(error, statement.rewritten)
                raise
        if another is None:
            return _deep_clone(spark, statement)
        statement = another


def _deep_clone(spark: SparkSession, statement: RefusedStatement) -> DataFrame:
    """Run ``DEEP CLONE`` as ``CREATE TABLE AS SELECT`` with the source's layout and properties; return its counts.

    Columns that are generated or an identity become plain ones, and the progress of streams is not copied.
    """
    reader = StatementReader(replace(statement, catalog=True, travel=True).rewritten.text)
    head = reader.take_one("CREATE OR REPLACE TABLE", "CREATE TABLE", "REPLACE TABLE")
    head += " IF NOT EXISTS" * reader.take("IF NOT EXISTS")
    target = quoted_name(reader.name())
    if not reader.take("CLONE"):
        reader.require("DEEP CLONE")
    source, version = quoted_name(reader.name()), ""
    if kind := reader.take_one("VERSION AS OF", "TIMESTAMP AS OF"):
        version = f" {kind} '{reader.value()}'"
    given: dict[str, str] = {}
    location = ""
    while clause := reader.take_one("TBLPROPERTIES", "LOCATION"):
        if clause == "LOCATION":
            location = f" LOCATION '{reader.string()}'"
        else:
            given = reader.pairs()
    reader.require_end()
    detail = spark.sql(f"DESCRIBE DETAIL {source}").collect()[0]
    layout = ""
    for columns, kind in ((detail["partitionColumns"], "PARTITIONED"), (detail["clusteringColumns"], "CLUSTER")):
        if columns:
            layout = f" {kind} BY ({', '.join(quoted_name(column.split('.')) for column in columns)})"
    own = {name: value for name, value in detail["properties"].items() if not name.startswith(_OF_ONE_TABLE)}
    properties = ", ".join(f"{literal(name)} = {literal(value)}" for name, value in (own | given).items())
    layout += f"{location} TBLPROPERTIES ({properties})" if properties else location
    spark.sql(f"{head} {target} USING delta{layout} AS SELECT * FROM {source}{version}")
    copy = spark.sql(f"DESCRIBE DETAIL {target}").collect()[0]
    counts = (detail["sizeInBytes"], detail["numFiles"], 0, copy["numFiles"], 0, copy["sizeInBytes"])
    return spark.createDataFrame([counts], ", ".join(f"{name} BIGINT" for name in _COUNTS))


def _wrap_table_read(
    original: Callable[..., DataFrame], session_of: Callable[[Any], SparkSession]
) -> Callable[..., DataFrame]:
    """Wrap a method that reads a table so that it accepts ``t@v3``; a new reader then reads the table."""
    known = _wrap_table_name(original)

    @wraps(original)
    def table(self: Any, *args: Any, **kwargs: Any) -> DataFrame:
        from pyspark.errors import PySparkException

        try:
            return known(self, *args, **kwargs)
        except PySparkException:
            asked = next(iter((*args, *kwargs.values())), None)
            then = databricks_sql.split_name(asked) if isinstance(asked, str) else None
            if then is None:
                raise
        name, as_of = then
        return session_of(self).read.options(**as_of.options).table(name)

    return table


def _wrap_table_name(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method whose first parameter is a table's name so that it accepts ``hive_metastore``."""
    signature = inspect.signature(original)

    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        from pyspark.errors import PySparkException

        try:
            return original(self, *args, **kwargs)
        except PySparkException as error:
            given = signature.bind(self, *args, **kwargs)
            name = list(given.arguments)[1]
            asked = given.arguments[name]
            own = databricks_sql.own_name(asked) if isinstance(asked, str) else asked
            if own == asked or databricks_sql.DATABRICKS_CATALOG not in str(error).lower():
                raise
        given.arguments[name] = own
        return original(*given.args, **given.kwargs)

    return method
