"""``spark.sql`` and its siblings, extended by the forms that only Databricks' SQL has.

Spark gets each statement exactly as it is written.  What it refuses for one of the forms in
:mod:`.sql.databricks_sql` is rewritten and tried again, and an error that is left speaks of what the reader wrote.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from notebook_dialect.catalogs import execution as catalogs
from notebook_dialect.cloning import clone_statement, deep_clone
from notebook_dialect.sql import catalog_names, time_travel
from notebook_dialect.sql.databricks_sql import RefusedStatement
from streaming_base import hooks
from streaming_base.rewritten_sql import restore_positions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BY = "notebook_dialect"


def install() -> None:
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

    Raises
    ------
    PySparkException
        Spark's own error, about the original text.
    BadSql, NoJson
        The statement would be an error on Databricks too.
    """
    __tracebackhide__ = True
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    if not isinstance(text, str):
        return execute(text)
    statement: RefusedStatement | None = RefusedStatement(text)
    while True:
        try:
            return execute(statement.rewritten.text)
        except (PySparkException, Py4JJavaError) as error:
            another = statement.after(str(error))
            is_clone = another is None and clone_statement.is_refused(str(error), statement.tokens)
            if another is None and not is_clone:
                restore_positions(error, statement.rewritten)
                raise
        if is_clone:
            return deep_clone.run(spark, text)
        statement = another


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
            then = time_travel.split_name(asked) if isinstance(asked, str) else None
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
            own = catalog_names.own_name(asked) if isinstance(asked, str) else asked
            if own == asked or catalog_names.DATABRICKS_CATALOG not in str(error).lower():
                raise
        given.arguments[name] = own
        return original(*given.args, **given.kwargs)

    return method
