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

from notebook_dialect.cloning import clone_statement, deep_clone
from notebook_dialect.sql import catalog_names, time_travel
from notebook_dialect.sql.databricks_sql import RefusedStatement
from streaming_base import hooks
from streaming_base.rewritten_sql import explain

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BY = "notebook_dialect"


def install() -> None:
    """Teach Spark's classes, and Spark Connect's where they are loaded; calling it again changes nothing."""
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
    _wrap(session, "sql", _understanding, "SQL that Spark rejects")
    _wrap(session, "table", partial(_travelling, session_of=lambda spark: spark), "t@v3")
    _wrap(reader, "table", partial(_travelling, session_of=lambda of: vars(of).get("_spark") or of._client), "t@v3")
    for kind, method in (
        (writer, "saveAsTable"),
        (writer, "insertInto"),
        (stream_reader, "table"),
        (stream_writer, "toTable"),
    ):
        _wrap(kind, method, _in_own_catalog, "names that begin with hive_metastore")


def _wrap(kind: type, method: str, make: Callable[[Any], Any], why: str) -> None:
    hooks.wrap(kind, method, make, by=BY, layer="language", why=why)


def _understanding(original: Callable[..., DataFrame]) -> Callable[..., DataFrame]:
    @wraps(original)
    def sql(self: SparkSession, sqlQuery: str, *args: Any, **kwargs: Any) -> DataFrame:
        __tracebackhide__ = True
        return run(self, sqlQuery, lambda text: original(self, text, *args, **kwargs))

    return sql


def run(spark: SparkSession, text: str, execute: Callable[[str], DataFrame]) -> DataFrame:
    """Have a statement executed, rewritten as far as Spark refuses it.

    Raises
    ------
    PySparkException
        Spark's own error; of a statement that was rewritten, with the places and the text that the reader knows.
    BadSql, NoJson
        What Spark refuses cannot mean anything on Databricks either.
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
                explain(error, statement.rewritten)
                raise
        if is_clone:
            return deep_clone.run(spark, text)
        statement = another


def _travelling(
    original: Callable[..., DataFrame], session_of: Callable[[Any], SparkSession]
) -> Callable[..., DataFrame]:
    """Let a method that reads a table understand ``t@v3``; the table is then read by a reader of its own."""
    known = _in_own_catalog(original)

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


def _in_own_catalog(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method that takes a table's name first understand those that begin with ``hive_metastore``."""
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
