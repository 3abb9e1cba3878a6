"""``column:field`` over a column of JSON text, in the expressions of DataFrame methods.

Spark gets each expression as it is written.  Where Spark then says that a column is not a VARIANT, the frame tells for
each expression what it has to be, as a statement's tables do in :mod:`.session.spark_sql`.  An expression of ``expr``
is found within the Column that was made of it.  Over Spark Connect nothing is analyzed until it is needed; so a frame
is analyzed at once where an expression has such a path.
"""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from notebook_dialect.sql import json_columns
from notebook_dialect.sql.databricks_sql import RefusedStatement
from streaming_base import hooks
from streaming_base.rewritten_sql import restore_positions
from streaming_base.sql_statements import tokens_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_METHODS = ("select", "selectExpr", "filter", "where", "withColumn", "withColumns", "orderBy", "sort")
_TEXTS = ("selectExpr", "filter", "where")  # whose strings are expressions, not names of columns
_thread = threading.local()
_NODES = "org.apache.spark.sql.internal."
_CONNECT_NODES = "pyspark.sql.connect.expressions"


def install() -> None:
    """Wrap the methods of Spark's frames, and of Spark Connect's where they are loaded."""
    from pyspark.sql.classic.dataframe import DataFrame
    from pyspark.sql.group import GroupedData

    _install_in(DataFrame, GroupedData)
    if connect := sys.modules.get("pyspark.sql.connect.dataframe"):
        from pyspark.sql.connect.group import GroupedData as Grouped

        _install_in(connect.DataFrame, Grouped)


def _install_in(frame: type, grouped: type) -> None:
    for kind, method in (*((frame, method) for method in _METHODS), (grouped, "agg")):
        hooks.wrap(
            kind, method, partial(_wrap_method, method), by="notebook_dialect", layer="language", why="column:field"
        )


def resolve_expression(frame: DataFrame, text: str, is_column: bool = True) -> str:
    """Return an expression in the form that Spark can resolve over a frame.

    Raises Spark's own error, about the original text, or NoJson if the column is neither JSON text nor a VARIANT.
    If ``is_column``, the expression may get an alias: the name that its column would have on Databricks.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    statement = RefusedStatement(text, is_column=is_column)
    while True:
        try:
            with _without_interception():
                frame.selectExpr(statement.rewritten.text).schema  # noqa: B018 - over Connect this analyzes it
            return statement.rewritten.text
        except (PySparkException, Py4JJavaError) as error:
            another = statement.after(str(error))
            if another is None:
                restore_positions(error, statement.rewritten)
                raise
            statement = another


@contextmanager
def _without_interception() -> Iterator[None]:
    """Let rejections of this thread's expressions pass through, for :func:`resolve_expression`."""
    before, _thread.is_settling = getattr(_thread, "is_settling", False), True
    try:
        yield
    finally:
        _thread.is_settling = before


def _wrap_method(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        is_lazy = "connect" in type(self).__module__
        try:
            found = original(self, *args, **kwargs)
            if is_lazy and any(map(_has_path, _expressions_in((args, kwargs), name))):
                found.schema  # noqa: B018 - analyzes it
            return found
        except (PySparkException, Py4JJavaError) as error:
            if getattr(_thread, "is_settling", False) or not _is_refused(str(error), (args, kwargs), name):
                raise
        frame = vars(self).get("_df", self)
        args, kwargs = _resolve_arguments((args, kwargs), name, partial(resolve_expression, frame))
        return original(self, *args, **kwargs)

    return method


def _is_refused(message: str, arguments: Any, name: str) -> bool:
    """Whether a message may be about a path; Spark reports an unparsable expression where it is used."""
    if "PARSE_SYNTAX_ERROR" not in message:
        return json_columns.is_refused(message, [])
    return name not in _TEXTS or any(map(_has_path, _expressions_in(arguments, name)))


def _has_path(text: str) -> bool:
    return ":" in text and any(True for _ in json_columns.extractions(tokens_of(text)))


def _expressions_in(value: Any, name: str) -> Iterator[str]:
    """Yield the expressions in a method's arguments; those in a classic Column are in the JVM."""
    from pyspark.sql import Column

    if isinstance(value, str):
        if name in _TEXTS:
            yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _expressions_in(one, name)
    elif isinstance(value, Mapping):
        yield from _expressions_in(list(value.values()), name)
    elif isinstance(value, Column):
        yield from _expressions_in(vars(value).get("_expr"), "")
    elif type(value).__module__ == _CONNECT_NODES:
        is_text = type(value).__name__ == "SQLExpression"
        yield from _expressions_in(list(vars(value).values()), "selectExpr" if is_text else "")


def _resolve_arguments(value: Any, name: str, settle: Callable[..., str]) -> Any:
    """Return the arguments of a method with each expression in them settled."""
    from pyspark.sql import Column

    if isinstance(value, str):
        return settle(value, is_column=name == "selectExpr") if name in _TEXTS and _has_path(value) else value
    if isinstance(value, list | tuple):
        return type(value)(_resolve_arguments(one, name, settle) for one in value)
    if isinstance(value, Mapping):
        return {key: _resolve_arguments(one, name, settle) for key, one in value.items()}
    if not isinstance(value, Column):
        return value
    is_whole = name in ("select", "agg")
    if hasattr(value, "_jc"):
        return _resolve_classic(value, settle, is_whole)
    return type(value)(_resolve_connect(value._expr, settle, is_whole))


def _resolve_classic(column: Any, settle: Callable[..., str], is_whole: bool) -> Any:
    from pyspark import SparkContext

    jvm = SparkContext._active_spark_context._jvm  # type: ignore[union-attr]
    node = _resolve_node(jvm, column._jc.node(), settle, is_whole)
    return type(column)(getattr(jvm, "org.apache.spark.sql.Column")(node))


def _resolve_node(jvm: Any, value: Any, settle: Callable[..., str], is_whole: bool) -> Any:
    """Return a node of a classic Column, a Scala case class, with its expressions resolved."""
    kind = value.getClass().getName() if hasattr(value, "getClass") else ""
    if kind == "scala.Tuple2":
        return jvm.scala.Tuple2(*(_resolve_node(jvm, part, settle, False) for part in (value._1(), value._2())))
    if kind.startswith("scala.collection."):
        items = [value.apply(number) for number in range(value.length())]
        java = jvm.java.util.ArrayList()
        for item in items:
            java.add(_resolve_node(jvm, item, settle, False))
        return jvm.PythonUtils.toSeq(java)
    if not kind.startswith(_NODES):
        return value
    parts = [value.productElement(number) for number in range(value.productArity())]
    if kind == f"{_NODES}SqlExpression":
        text = parts[0]
        parts[0] = settle(text, is_column=is_whole) if _has_path(text) else text
    else:
        parts = [_resolve_node(jvm, part, settle, False) for part in parts]
    made = jvm
    for name in kind.split("."):
        made = getattr(made, name)
    return made(*parts)


def _resolve_connect(node: Any, settle: Callable[..., str], is_whole: bool) -> Any:
    """Return a node of Spark Connect's Column with the expressions in it settled."""
    if isinstance(node, list | tuple):
        return type(node)(_resolve_connect(one, settle, False) for one in node)
    if type(node).__module__ != _CONNECT_NODES:
        return node
    made = copy.copy(node)
    for name, value in vars(node).items():
        if type(node).__name__ == "SQLExpression" and name == "_expr":
            vars(made)[name] = settle(value, is_column=is_whole) if _has_path(value) else value
        else:
            vars(made)[name] = _resolve_connect(value, settle, False)
    return made
