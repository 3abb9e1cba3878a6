"""What only a classic session can have, because its JVM can be reached: a fast first load, and ``_metadata``.

*The data source created here.*  For ``load`` Spark starts a Python that creates the data source and returns its schema,
and for a query's first batch another that creates the function with which tasks read.  This process has PySpark
imported already; it does both in a fraction of the time, and puts the results where Spark stores its own.

*A warm worker.*  A worker imports PySpark, pyarrow and this package before it reads its first file, which takes longer
than reading a small folder.  Meanwhile Spark plans the query, mostly on one core; so a job without other work makes a
worker do its imports then.  Spark keeps workers, and uses the warm one for the batch if it was started with the same
environment.  The job is one of RDDs: for a query, Spark would generate and compile code first.

*The column* ``_metadata`` is an ordinary last column of the data source, and the frame that ``load`` returns hides it,
with the mark that Spark itself puts on the columns that ``USING`` hides in a join.  ``input_file_name()`` is derived
from it.  Spark supports the function for its own file sources only: each task stores the file of its current rows, and
the function reads it.  Here a filter that passes every row stores the file if it differs from the one of the previous
row, which costs a comparison of two texts per row.  It returns ``_metadata.file_path``, as on Databricks: ``dbfs:/x``,
where Spark's own sources have ``dbfs:///x``.

*Pruning.*  A Python data source always returns all columns, and ``_metadata``, with a path in each row, is larger than
most rows.  So a query's plan is checked when it starts: if no file's name is used, the filter is removed, and if the
column is not used either, the relation is replaced by one without.  A frame's other queries are not affected, because
each has a plan of its own.  A stream for a function of ``foreachBatch`` keeps both, because only Spark knows what the
function will use; so does an unexpected plan.

A release of Spark that stores these private parts elsewhere does the work itself.
"""

from __future__ import annotations

import contextlib
import io
import re
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import types as T

from pyspark_cloudfiles import shipping
from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.layout import METADATA, is_file_metadata, remove_metadata
from pyspark_cloudfiles.option_names import INTERNAL
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import builders, hooks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.datasource import DataSourceStreamReader
    from pyspark.sql.streaming import DataStreamWriter
    from pyspark.sql.types import StructType

    from pyspark_cloudfiles.source.data_source import CloudFilesDataSource


_SOURCE_FIELD = "dataSourceInPython"  # a field of Spark's relation
_PYTHON = "org.apache.spark.sql.execution.datasources.v2.python"


class Created(NamedTuple):
    """A data source, its schema, and the reader of its streams."""

    source: CloudFilesDataSource
    schema: StructType
    reader: DataSourceStreamReader

    def without_metadata(self) -> Created:
        """Return the same without the ``_metadata`` column."""
        source, schema = self.source.without_metadata(), remove_metadata(self.schema)
        return Created(source, schema, source.streamReader(schema))


def can_create_source(spark: SparkSession) -> bool:
    """Whether the JVM of a classic session has the directory of this process, as relative paths need."""
    try:
        return spark._jvm.java.lang.System.getProperty("user.dir") == str(Path.cwd())
    except OSError:  # the directory was removed
        return False


def create_source(options: Mapping[str, str], schema: StructType | None) -> Created:
    """Create the data source, with the user's schema or else the inferred one; its errors are Spark's."""
    from pyspark_cloudfiles.source.data_source import CloudFilesDataSource  # only for sessions that load cloudFiles

    try:
        source = CloudFilesDataSource(options)
        schema = source.schema() if schema is None else schema
        return Created(source, schema, source.streamReader(schema))
    except CloudFilesError as error:
        raise AnalysisException(str(error)) from None  # the text is complete


def inject_into_plan(frame: DataFrame, made: Created) -> None:
    """Store the data source of a frame that was just loaded, and the function that reads it, in Spark's plan."""
    from pyspark.serializers import CPickleSerializer

    jvm = frame.sparkSession._jvm
    try:
        provider = frame._jdf.queryExecution().analyzed().collectLeaves().head().source().get()
        schema = jvm.org.apache.spark.sql.types.DataType.fromJson(made.schema.json())
        pickled = CPickleSerializer().dumps(made.source)
        source = provider.getClass().getDeclaredField(_SOURCE_FIELD)
        source.setAccessible(True)
        source.set(provider, getattr(jvm, f"{_PYTHON}.PythonDataSourceCreationResult")(pickled, schema))
        conf = frame.sparkSession._jsparkSession.sessionState().conf()
        function = _pickled_function(made, conf.arrowMaxRecordsPerBatch(), conf.pysparkBinaryAsBytes())
        no_partitions = jvm.org.apache.spark.api.python.PythonUtils.toSeq([])
        provider.setReadInfo(getattr(jvm, f"{_PYTHON}.PythonDataSourceReadInfo")(function, no_partitions))
    except (Py4JError, TypeError, ImportError, AttributeError):  # another Spark stores or creates them elsewhere
        return


def _pickled_function(made: Created, rows: int, binary_as_bytes: bool) -> bytes:
    """Return the result of Spark's own process: its function around our reader."""
    # Late, because they import pyarrow, which only sessions that load cloudFiles need.
    from pyspark.serializers import read_int
    from pyspark.sql.worker.plan_data_source_read import write_read_func_and_partitions

    answer = io.BytesIO()
    write_read_func_and_partitions(
        answer,
        reader=made.reader,
        data_source=made.source,
        schema=made.schema,
        max_arrow_batch_size=rows,
        binary_as_bytes=binary_as_bytes,
    )
    answer.seek(0)
    return answer.read(read_int(answer))


_MARK = "_cloudfiles_warmed"


def warm_worker(spark: SparkSession, file_format: str) -> threading.Thread | None:
    """Start a thread, once per session, in which one worker, enough for a small folder, imports a format."""
    if getattr(spark, _MARK, False):
        return None
    setattr(spark, _MARK, True)
    thread = threading.Thread(
        target=_import_in_worker, args=(spark, file_format), daemon=True, name="cloudFiles warming"
    )
    thread.start()
    return thread


def _import_in_worker(spark: SparkSession, file_format: str) -> None:
    # It only saves time: a session that ends meanwhile, or an unknown format, is an error elsewhere.
    with contextlib.suppress(Exception):
        spark.sparkContext.setJobDescription("cloudFiles: a worker imports what it will need")  # of this thread's jobs
        run_in_worker(spark, _importing(file_format))


def run_in_worker(spark: SparkSession, function: Callable[[], object]) -> None:
    """Call a function once, in a worker like those of SQL."""
    from pyspark.core.rdd import _prepare_for_python_RDD

    def called(_: int, rows: Iterable) -> Iterator:
        function()
        list(rows)  # Spark ends a worker that has not read all of its input
        return iter(())

    context = spark.sparkContext
    rows = context.parallelize([0], 1)
    command = (called, None, rows._jrdd_deserializer, rows._jrdd_deserializer)
    pickled, broadcasts, environment, includes = _prepare_for_python_RDD(context, command)
    jvm: Any = context._jvm
    made = jvm.SimplePythonFunction(
        bytearray(pickled),
        {**environment, **_environment_of_sql(spark)},
        includes,
        context.pythonExec,
        context.pythonVer,
        broadcasts,
        context._javaAccumulator,
    )
    jvm.PythonRDD(rows._jrdd.rdd(), made, False, False).asJavaRDD().count()


def _environment_of_sql(spark: SparkSession) -> dict[str, str]:
    conf = spark._jsparkSession.sessionState().conf()
    asked = {
        "SPARK_SIMPLIFIED_TRACEBACK": conf.pysparkSimplifiedTraceback(),
        "SPARK_HIDE_TRACEBACK": conf.pysparkHideTraceback(),
    }
    return {name: "1" for name, wanted in asked.items() if wanted}


def _importing(file_format: str) -> Callable[[], object]:
    make_importable, origin = shipping.package_loader()

    def imports() -> object:
        make_importable(*origin)
        # On a worker, after the package was made importable.
        import pyspark.sql.worker.plan_data_source_read  # noqa: F401

        from pyspark_cloudfiles.formats import find_format
        from pyspark_cloudfiles.source.stream_reader import CloudFilesStreamReader  # noqa: F401

        return find_format(file_format)

    return imports


# The errors of a release of Spark that has moved or removed these private parts.
_MOVED = (Py4JError, TypeError, AttributeError, PySparkException)
_HOLDER = "org.apache.spark.rdd.InputFileBlockHolder"


def has_metadata(frame: DataFrame) -> bool:
    return any(map(is_file_metadata, frame.schema.fields))


def hide_metadata(frame: DataFrame) -> DataFrame:
    """Return a frame that hides the column and knows the files of its rows; if this Spark cannot hide it, drop it."""
    with suppress(*_MOVED):
        frame = store_files(frame)
    with suppress(*_MOVED):
        return hide_column(frame)
    return frame.drop(METADATA)


def hide_column(frame: DataFrame) -> DataFrame:
    """Return a frame without the column, which can still be selected by name from it, its filters and projections."""
    visible = frame.drop(METADATA)
    jvm = frame.sparkSession._jvm
    output = frame._jdf.queryExecution().analyzed().output()
    concealed = [column for column in elements(output) if is_metadata_column(column)]
    tag = jvm.org.apache.spark.sql.catalyst.plans.logical.Project.hiddenOutputTag()
    visible._jdf.logicalPlan().setTagValue(tag, jvm.org.apache.spark.api.python.PythonUtils.toSeq(concealed))
    return visible


def is_metadata_column(column: Any) -> bool:
    return column.name() == METADATA


def elements(sequence: Any) -> Iterator[Any]:
    iterator = sequence.iterator()
    while iterator.hasNext():
        yield iterator.next()


def store_files(frame: DataFrame) -> DataFrame:
    """Return a frame whose tasks store the file of each row, from its ``_metadata`` column."""
    from pyspark.sql.classic.dataframe import DataFrame  # only classic sessions have the column

    # Neither as a text nor by PySpark's functions: a session may have used neither yet, and both are slow at first.
    jvm = frame.sparkSession._jvm
    functions = jvm.org.apache.spark.sql.functions
    path, start, length = (functions.col(f"{METADATA}.file_{part}") for part in ("path", "block_start", "block_length"))
    call = [functions.lit(_HOLDER), functions.lit("set"), path, start, length]
    # The call returns nothing, which is a null.
    note = functions.java_method(jvm.org.apache.spark.api.python.PythonUtils.toSeq(call)).equalTo("null")
    is_same = functions.input_file_name().equalTo(path)
    return DataFrame(frame._jdf.filter(getattr(is_same, "or")(note)), frame.sparkSession)


def add_rescued_column(schema: T.StructType, name: str | None) -> T.StructType:
    """Return a user's schema as file sources read it: every column nullable, and with the rescued column."""
    fields = [T.StructField(field.name, field.dataType, True, field.metadata) for field in schema.fields]
    if name and name not in schema.fieldNames():
        fields.append(T.StructField(name, T.StringType()))
    return T.StructType(fields)


_KEY = f"{INTERNAL}load"
_FRAME_FIELD = "ds"  # of a writer in the JVM
_LOADS_LIMIT = 256  # frames of a session that can still be started without the column
_loads: OrderedDict[str, Callable[[], DataFrame]] = OrderedDict()


def remember_load(without_metadata: Callable[[], DataFrame]) -> dict[str, str]:
    """Remember how a frame is loaded without ``_metadata``; return the option that identifies its relation."""
    key = uuid.uuid4().hex
    _loads[key] = without_metadata
    while len(_loads) > _LOADS_LIMIT:
        _loads.popitem(last=False)
    return {_KEY: key}


def install() -> None:
    """Check the columns that a query uses before a writer of streams starts it."""
    from pyspark.sql.streaming import DataStreamWriter

    builders.record(DataStreamWriter)
    for method in ("start", "toTable"):
        hooks.wrap(
            DataStreamWriter, method, _wrap_start, by=PACKAGE, layer="source", why="_metadata only where it is used"
        )


def _wrap_start(original: Any) -> Any:
    @wraps(original)
    def start(self: DataStreamWriter, *args: Any, **kwargs: Any) -> Any:
        _prune(self)
        return original(self, *args, **kwargs)

    return start


def _prune(writer: DataStreamWriter) -> None:
    if not _loads or builders.given_to(writer).has_function:
        return
    try:
        pruned = _pruned(writer._df)
        if pruned is not None:
            frame = writer._jwrite.getClass().getDeclaredField(_FRAME_FIELD)
            frame.setAccessible(True)
            frame.set(writer._jwrite, pruned)
    except (Py4JError, TypeError, AttributeError, PySparkException, CloudFilesError):
        return  # a release of Spark that has moved these parts reads all columns; the query raises other errors


def _pruned(frame: DataFrame) -> Any:
    """Return the query's plan without unused metadata, or None to keep it."""
    spark = frame.sparkSession
    plan = frame._jdf.queryExecution().analyzed()
    found = list(_relations(plan))
    if not found or _names_files(plan, len(found)):
        return None
    rebuilt = _PlanRewriter(spark._jvm, _used(plan)).rewrite(plan)
    if not rebuilt.resolved():
        return None
    return spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, rebuilt)


def _relation_of(node: Any) -> Any:
    """Return the relation of a filter that stores files, or None for another node."""
    if node.getClass().getSimpleName() != "Filter":
        return None
    relation = node.child()
    if relation.getClass().getSimpleName() != "StreamingRelationV2":
        return None
    return relation if relation.extraOptions().get(_KEY) in _loads else None


def _relations(node: Any) -> Iterator[Any]:
    relation = _relation_of(node)
    if relation is not None:
        yield relation
        return
    for child in elements(node.children()):
        yield from _relations(child)


def _names_files(plan: Any, filters: int) -> bool:
    """Whether a plan, besides our filters, uses the name or the block of a row's file."""
    text = plan.toString()
    if " more fields" not in text:
        return len(re.findall("input_file_(?:name|block)", text, re.IGNORECASE)) != filters
    return len(re.findall("InputFile(?:Name|Block)(?!Holder)", plan.toJSON())) != filters


def _used(node: Any) -> set[str]:
    if _relation_of(node) is not None:
        return set()
    used = set(re.findall(r"#(\d+)", node.references().toSeq().mkString(",")))
    return used.union(*(_used(child) for child in elements(node.children())))


class _PlanRewriter:
    """Rebuilds a plan without filters that store files, and with relations without the column if it is not used."""

    def __init__(self, jvm: Any, used: set[str]) -> None:
        self._sequence = jvm.org.apache.spark.api.python.PythonUtils.toSeq
        self._used = used
        self._without: dict[str, Any] = {}

    def rewrite(self, node: Any) -> Any:
        relation = _relation_of(node)
        if relation is not None:
            own: list[Any] = []
            others: list[Any] = []
            for column in elements(relation.output()):
                (own if is_metadata_column(column) else others).append(column)
            is_used = any(str(column.exprId().id()) in self._used for column in own)
            return relation if is_used else self._relation_without_metadata(relation, others)
        before = list(elements(node.children()))
        after = [self.rewrite(child) for child in before]
        if all(one.equals(other) for one, other in zip(before, after, strict=True)):
            return node
        return node.withNewChildren(self._sequence(after))

    def _relation_without_metadata(self, relation: Any, columns: list[Any]) -> Any:
        key = relation.extraOptions().get(_KEY)
        if key not in self._without:  # a frame that a query has twice stays one source with one table
            self._without[key] = _loads[key]()._jdf.queryExecution().analyzed().collectLeaves().head()
        without = self._without[key]
        return without.copy(
            without.source(),
            without.sourceName(),
            without.table(),
            without.extraOptions(),
            self._sequence(columns),
            relation.catalog(),
            relation.identifier(),
            without.v1Relation(),
            relation.sourceIdentifyingName(),
        )
