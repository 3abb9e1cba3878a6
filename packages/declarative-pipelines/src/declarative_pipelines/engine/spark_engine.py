"""Spark's own pipelines engine, in the notebook's JVM and session: the one module that touches Spark's internals.

``org.apache.spark.sql.pipelines`` makes a graph of datasets and flows, finds out what each flow reads, in which order,
and with which schema, creates the tables and lets their schemas grow.  A flow is a Python object that implements the
engine's ``FlowFunction``; what it reads is answered by the engine's ``FlowAnalysis``, on this session.  Nothing goes
over Spark Connect, where a dataset that is not in the catalog yet has no columns.

All of it is internal to Spark and was made for 4.2; another version may need another module like this one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException

from declarative_pipelines.definitions.model import Dataset, DatasetKind, Namespace
from declarative_pipelines.definitions.queries import CatalogMap, DatasetNames
from declarative_pipelines.engine.session import JvmValues, intercept_reads, temporary_settings
from declarative_pipelines.errors import BadDefinition, innermost_message
from streaming_base.errors import short_message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

_GRAPH = "org.apache.spark.sql.pipelines.graph"
_OWN_CATALOG = "spark_catalog"
_NO_NAMESPACE = Namespace()
_IDENTIFIER = "org.apache.spark.sql.catalyst.TableIdentifier"


@dataclass(frozen=True)
class FlowSource:
    """A flow for the engine; ``make`` returns its frame and may be called several times."""

    name: str
    target: str
    make: Callable[[], DataFrame]
    conf: Mapping[str, str] = field(default_factory=dict)
    in_catalog: bool = True  # views and sinks are not
    is_once: bool = False  # such a flow's frame is no stream, though its target is a streaming table
    namespace: Namespace = _NO_NAMESPACE


@dataclass(frozen=True)
class ResolvedFlow:
    """A flow after the resolution: the datasets of the pipeline that it reads, by full names, and its other tables.

    ``error`` is why it could not be resolved; it ``waits`` if that is only because another flow could not.
    """

    inputs: frozenset[str]
    tables: frozenset[str] = frozenset()
    is_streaming: bool = False
    error: BaseException | None = None
    waits: bool = False


class TableVersion(NamedTuple):
    """A version of a Delta table: the table's identity, which a table made again does not have, and the number."""

    table: str
    number: int


class SparkEngine:
    """Spark's pipelines engine for one pipeline.

    ``catalog`` and ``database`` complete names of one or two parts; ``storage`` is the pipeline's root, an absolute
    URI; ``catalogs`` maps catalogs that the session does not have; ``schema_locations`` are where each flow's sources
    keep the schemas that they infer.
    """

    def __init__(self, session: SparkSession, catalog: str, database: str, storage: str, catalogs: CatalogMap) -> None:
        from pyspark.java_gateway import ensure_callback_server_started

        ensure_callback_server_started(session.sparkContext._gateway)
        self.session, self.catalog, self.database, self.storage = session, catalog, database, storage
        self.catalogs = catalogs
        self.schema_locations: dict[str, str] = {}
        self._scala = JvmValues(session)
        self._nowhere = self._scala.new(f"{_GRAPH}.QueryOrigin", *[self._scala.none()] * 7)
        self._identifiers: dict[tuple[str, ...], Any] = {}  # each costs the JVM three calls
        self._functions: list[_FlowFunction] = []  # all that the JVM was given
        self.is_running = False  # whether flows are called for their rows, not only for what they look like

    def resolve(self, datasets: Sequence[Dataset], flows: Sequence[FlowSource]) -> ResolvedGraph:
        """Resolve the graph: call each flow until its inputs are resolved."""
        self.use_in_this_thread()
        context = self._scala.new(
            f"{_GRAPH}.GraphRegistrationContext", self.catalog, self.database, self._scala.map({})
        )
        for dataset in datasets:
            try:
                self._register(context, dataset)
            except (PySparkException, Py4JJavaError) as error:
                problem = f"{dataset.name} cannot be defined: {innermost_message(error)}"
                raise BadDefinition(dataset.location, problem) from error
        names = DatasetNames([tuple(self._full_parts(dataset)) for dataset in datasets])
        functions = {flow.name: _FlowFunction(self, flow, names) for flow in flows}
        self._functions += functions.values()
        for flow in flows:
            context.registerFlow(self._flow(flow, functions[flow.name]))
        return ResolvedGraph(self, context.toDataflowGraph().resolve(), functions)

    def release(self) -> None:
        """Release the flows' functions and their results, which the JVM keeps; no flow can be resolved afterwards."""
        for function in self._functions:
            function.release()
        self._functions.clear()

    def full_name(self, dataset: Dataset) -> str:
        """Return a dataset's name with the engine's catalog and database; views and sinks have neither."""
        return ".".join(self._full_parts(dataset))

    def _full_parts(self, dataset: Dataset) -> list[str]:
        return self._parts(dataset.name, dataset.namespace) if dataset.is_in_catalog else [dataset.name]

    def quoted(self, dataset: Dataset) -> str:
        """Return a table's full name as SQL has it."""
        parts = self._parts(dataset.name, dataset.namespace)
        # Delta's own functions know no catalog's name.
        return ".".join(f"`{part}`" for part in (parts[1:] if parts[0] == _OWN_CATALOG else parts))

    def publish_view(self, view: Dataset, text: str) -> None:
        """Make a view of the pipeline's database, in the catalog, of a query's text."""
        said = (view.comment or "").replace("\\", "\\\\").replace("'", "\\'")
        comment = f" COMMENT '{said}'" if said else ""
        name = ".".join(f"`{part}`" for part in self._parts(view.name, view.namespace)[1:])
        before = self.session.catalog.currentDatabase()
        self.session.catalog.setCurrentDatabase(self._parts(view.name, view.namespace)[1])
        try:
            self.session.sql(f"CREATE OR REPLACE VIEW {name}{comment} AS {self.catalogs.in_text(text)}")
        finally:
            self.session.catalog.setCurrentDatabase(before)

    def has_catalog_of(self, dataset: Dataset) -> bool:
        """Whether the session has the catalog that a table is in."""
        catalog = self._parts(dataset.name, dataset.namespace)[0]
        return catalog == _OWN_CATALOG or self.session.conf.get(f"spark.sql.catalog.{catalog}", None) is not None

    def create_databases(self, datasets: Iterable[Dataset]) -> None:
        """Create the databases of tables in mapped catalogs."""
        for dataset in datasets:
            given = dataset.name.replace("`", "").split(".")
            catalog = given[0] if len(given) > 2 else dataset.namespace.catalog
            if dataset.is_in_catalog and catalog and catalog.lower() in self.catalogs.prefixes:
                _, database, _ = self._parts(dataset.name, dataset.namespace)
                self.session.sql(f"CREATE SCHEMA IF NOT EXISTS `{database}`")

    def use_in_this_thread(self) -> None:
        """Make the session the active one of this thread's JVM thread, as the engine expects."""
        self._scala.object("org.apache.spark.sql.classic.SparkSession").setActiveSession(self.session._jsparkSession)

    def committed_batch(self, dataset: Dataset, application: str) -> int:
        """Return the last batch of a stream that a Delta table has; -1 if it has none."""
        found = self._snapshot(dataset).transactions()
        return int(found.apply(application)) if found.contains(application) else -1

    def newest_versions(self, tables: Iterable[str]) -> dict[str, int]:
        """Return the newest versions of Delta tables, by the ids of Delta's offsets; other tables are omitted."""
        found = {}
        for table in tables:
            with suppress(Py4JJavaError, ValueError):  # no Delta table, or not one of a catalog
                catalog, database, name = table.split(".")
                identity, number = self._newest_version(Namespace(catalog, database), name)
                found[identity] = number
        return found

    def newest_version(self, dataset: Dataset) -> TableVersion | None:
        """Return the newest version of a Delta table, or None if it does not exist."""
        try:
            version = self._newest_version(dataset.namespace, dataset.name)
        except (Py4JJavaError, AnalysisException):
            return None
        return version if version.number >= 0 else None

    def _newest_version(self, namespace: Namespace, table: str) -> TableVersion:
        snapshot = self._log(namespace, table).update(False, self._scala.none(), self._scala.none())
        return TableVersion(snapshot.metadata().id(), int(snapshot.version()))

    def table_property(self, dataset: Dataset, key: str) -> str | None:
        """Return a property of a Delta table; None where it has none of that name."""
        found = self._snapshot(dataset).metadata().configuration()
        return found.apply(key) if found.contains(key) else None

    def _snapshot(self, dataset: Dataset) -> Any:
        return self._log(dataset.namespace, dataset.name).unsafeVolatileSnapshot()

    def _log(self, namespace: Namespace, table: str) -> Any:
        log = self._scala.object("org.apache.spark.sql.delta.DeltaLog")
        return log.forTable(self.session._jsparkSession, self._identifier(table, namespace))

    def _parts(self, name: str, namespace: Namespace) -> list[str]:
        parts = name.replace("`", "").split(".")
        around = [namespace.catalog or self.catalog, namespace.database or self.database]
        catalog, database, *rest = around[: max(3 - len(parts), 0)] + parts
        return [*self.catalogs.located(catalog, database), *rest]

    def _identifier(self, name: str, namespace: Namespace = _NO_NAMESPACE, in_catalog: bool = True) -> Any:
        parts = tuple(self._parts(name, namespace)) if in_catalog else (name,)
        if parts not in self._identifiers:
            *around, table = parts
            self._identifiers[parts] = self._scala.new(_IDENTIFIER, table, *map(self._scala.some, reversed(around)))
        return self._identifiers[parts]

    def _register(self, context: Any, dataset: Dataset) -> None:
        scala, origin = self._scala, self._nowhere
        if dataset.kind is DatasetKind.TEMPORARY_VIEW:
            name = self._identifier(dataset.name, in_catalog=False)
            comment = scala.some(dataset.comment)
            context.registerView(
                scala.new(f"{_GRAPH}.TemporaryView", name, scala.map({}), scala.none(), comment, origin)
            )
        elif dataset.kind is DatasetKind.SINK:
            name = self._identifier(dataset.name, in_catalog=False)
            context.registerSink(
                scala.new(f"{_GRAPH}.SinkImpl", name, dataset.format, scala.map(dataset.options), origin)
            )
        else:
            context.registerTable(self._table(dataset))

    def _table(self, dataset: Dataset) -> Any:
        scala = self._scala
        return scala.new(
            f"{_GRAPH}.Table",
            self._identifier(dataset.name, dataset.namespace),
            scala.some(scala.schema(dataset.schema)),
            scala.some(scala.seq(dataset.partition_by) if dataset.partition_by else None),
            scala.some(scala.seq(dataset.cluster_by) if dataset.cluster_by else None),
            scala.none(),
            scala.map(dataset.properties),
            scala.some(dataset.comment),
            self._nowhere,
            dataset.kind is not DatasetKind.MATERIALIZED_VIEW,
            # Delta, which is the default, refuses to be told twice.
            scala.some(None if (dataset.format or "delta").lower() == "delta" else dataset.format),
        )

    def _flow(self, flow: FlowSource, function: _FlowFunction) -> Any:
        scala = self._scala
        catalog, database, _ = self._parts("any", flow.namespace)
        location = scala.new(f"{_GRAPH}.QueryContext", scala.some(catalog), scala.some(database))
        return scala.new(
            f"{_GRAPH}.UntypedFlow",
            self._identifier(flow.name, flow.namespace, flow.in_catalog),
            self._identifier(flow.target, flow.namespace, flow.in_catalog),
            function,
            location,
            scala.map(flow.conf),
            flow.is_once,
            self._nowhere,
        )


class ResolvedGraph:
    """A resolved graph: its flows, their frames, and their tables."""

    def __init__(self, engine: SparkEngine, graph: Any, functions: Mapping[str, _FlowFunction]) -> None:
        self._engine, self._graph, self._functions = engine, graph, functions
        self._scala = engine._scala
        self._planning = threading.Lock()  # the engine changes settings of the session while it plans
        flows = graph.flow()
        self._java_flows = {
            name: flows.apply(engine._identifier(one.flow.name, one.flow.namespace, one.flow.in_catalog))
            for name, one in functions.items()
        }
        self.flows = {name: self._resolved(name, flow) for name, flow in self._java_flows.items()}

    def _resolved(self, name: str, flow: Any) -> ResolvedFlow:
        from pyspark.errors.exceptions.captured import convert_exception

        def names(identifiers: Any) -> frozenset[str]:
            return frozenset(identifier.unquotedString() for identifier in self._scala.list(identifiers))

        inputs = flow.funcResult()
        if flow.getClass().getSimpleName() != "ResolutionFailedFlow":  # py4j knows only by asking for the class
            return ResolvedFlow(names(flow.inputs()), names(inputs.usedExternalInputs()), flow.df().isStreaming())
        own = self._functions[name].error
        error = convert_exception(flow.failure().head()) if own is None else own
        return ResolvedFlow(names(inputs.requestedInputs()), error=error, waits=own is None)

    def frame(self, flow: str) -> DataFrame:
        """Return a new frame of a flow, over the current tables."""
        from pyspark.sql import DataFrame

        self._engine.use_in_this_thread()
        with self._planning:
            planned = self._graph.reanalyzeFlow(self._java_flows[flow])
            error = self._functions[flow].error
            if error is not None:
                raise error
            return DataFrame(planned.df(), self._engine.session)

    def create_tables(self, datasets: Sequence[Dataset], full_refresh: Sequence[Dataset] = ()) -> None:
        """Create tables and evolve schemas; tables of a full refresh are emptied and get the new schema.

        Raises BadDefinition if Spark or the table's format rejects the table or the change.
        """
        from pyspark.errors.exceptions.captured import convert_exception

        scala = self._scala
        self._engine.use_in_this_thread()
        context = scala.new(
            f"{_GRAPH}.PipelineUpdateContextImpl",
            self._graph,
            _Ignore(),
            self._some(datasets),
            self._some(full_refresh),
            self._engine.storage,
        )
        with temporary_settings(self._engine.session, {"spark.sql.sources.default": "delta"}):
            try:
                scala.object(f"{_GRAPH}.DatasetManager").materializeDatasets(self._graph, context)
            except Py4JJavaError as error:
                java = error.java_exception
                if java.getClass().getSimpleName() != "TableMaterializationException":
                    raise
                name, cause = java.tableName().replace("`", ""), convert_exception(java.cause())
                dataset = next(one for one in (*datasets, *full_refresh) if self._engine.full_name(one) == name)
                text = short_message(cause)
                text = text if text.startswith("[") else innermost_message(cause)
                said = f"the table {dataset.name} cannot be created or changed: {text}"
                if "DELTA_DUPLICATE_COLUMNS_FOUND" in text:
                    said += " Names that differ by case only are one column: spell it in one way, as the table has it."
                raise BadDefinition(dataset.location, said) from cause

    def _some(self, datasets: Iterable[Dataset]) -> Any:
        identifiers = [self._engine._identifier(one.name, one.namespace) for one in datasets]
        if not identifiers:
            return self._scala.object(f"{_GRAPH}.NoTables")
        return self._scala.new(f"{_GRAPH}.SomeTables", self._scala.set(identifiers))


def observed_so_far(session: SparkSession, query: StreamingQuery) -> dict[str, dict[str, Any]]:
    """Return the metrics observed so far by the running batch; progress reports arrive too late."""
    execution = query._jsq.streamingQuery().lastExecution()
    return _rows(session, execution.observedMetrics())


class WriteObserver:
    """Collects the observed metrics of a session's batch writes, in a ``with`` block.

    ``heard`` has, by the name of an observation, the values of each observation of the same query.
    """

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._changed = threading.Condition()
        self.heard: dict[str, dict[str, dict[str, Any]]] = {}
        self._java: Any = None

    def __enter__(self) -> WriteObserver:
        # py4j makes a new JVM object each time that a Python object is passed, and Spark unregisters only the object
        # that was registered. So one object is made here, in a list, and used for both.
        self._java = JvmValues(self._session).named("java.util.Collections.singletonList")(self).get(0)
        self._session._jsparkSession.listenerManager().register(self._java)
        return self

    def __exit__(self, *error: object) -> None:
        self._session._jsparkSession.listenerManager().unregister(self._java)
        self._java = None  # the listener and its object of the JVM would keep each other forever

    def wait_for(self, name: str, deadline: float) -> dict[str, dict[str, Any]] | None:
        """Return the metrics of the query that has this observation, or None at the deadline."""
        with self._changed:
            self._changed.wait_for(lambda: name in self.heard, deadline)
            return self.heard.pop(name, None)

    def onSuccess(self, function: str, execution: Any, nanoseconds: int) -> None:
        metrics = _rows(self._session, execution.observedMetrics())
        if not metrics:
            return
        with self._changed:
            for name in metrics:
                self.heard[name] = metrics
            self._changed.notify_all()

    def onFailure(self, function: str, execution: Any, error: Any) -> None:
        """Do nothing."""

    def toString(self) -> str:
        return "declarative_pipelines"

    class Java:
        implements = ["org.apache.spark.sql.util.QueryExecutionListener"]  # noqa: RUF012 - py4j asks for a list


def _rows(session: SparkSession, metrics: Any) -> dict[str, dict[str, Any]]:
    """Return observed metrics, a Scala map of rows, as dictionaries.

    Most queries have none, and iterating a Scala map costs eighty calls, since its end is an exception.
    """
    if metrics.isEmpty():
        return {}
    found = {}
    for pair in JvmValues(session).list(metrics):
        row = pair._2()
        found[pair._1()] = {name: row.get(number) for number, name in enumerate(row.schema().fieldNames())}
    return found


class _FlowFunction:
    """A flow as Spark's ``FlowFunction``; ``error`` is the error of its last call."""

    def __init__(self, engine: SparkEngine, flow: FlowSource, names: DatasetNames) -> None:
        self._scala, self.flow = engine._scala, flow
        self._engine, self._names = engine, names
        self._name = flow.name
        self.error: BaseException | None = None
        # What is only returned may be collected here before the JVM has looked it up, which then gets a null.
        self._returned: list[Any] = []

    def call(self, all_inputs: Any, available: Any, conf: Any, context: Any, origin: Any) -> Any:
        """Return the flow's inputs, and its frame or its error; called by Spark."""
        scala = self._scala
        inputs: list[Any] = []  # sets of what is requested, read in a batch, streamed, and outside the pipeline

        def read(text: str) -> DataFrame:
            result = self._analyze(text).call(all_inputs, available, conf, context, origin)
            new = [result.requestedInputs(), result.batchInputs(), result.streamingInputs()]
            new.append(result.usedExternalInputs())
            inputs[:] = [old.union(more) for old, more in zip(inputs, new, strict=True)] if inputs else new
            return _frame_of(result.dataFrame(), scala.session)

        self.error = None
        try:
            with intercept_reads(read, self._engine.schema_locations.get(self._name)):
                data = scala.new("scala.util.Success", self.flow.make()._jdf)
        except _NotResolved as wait:
            data = scala.new("scala.util.Failure", wait.java)
        except BaseException as error:  # an interrupt as well: nothing may be raised into the JVM
            self.error = error
            origin_of_error = getattr(error, "_origin", None)
            text = f"{type(error).__name__}: {error}"
            data = scala.new("scala.util.Failure", origin_of_error or scala.new("java.lang.RuntimeException", text))
        found = inputs or [scala.set([])] * 4
        self._returned.append(scala.new(f"{_GRAPH}.FlowFunctionResult", *found, data, conf))
        return self._returned[-1]

    def _analyze(self, text: str) -> Any:
        """Return Spark's function for a query, with the names of catalogs and datasets as the engine has them."""
        text = self._engine.catalogs.in_text(text)
        text = self._names.in_text(text, lambda name: self._engine._parts(name, self.flow.namespace))
        plan = self._engine.session._jsparkSession.sessionState().sqlParser().parsePlan(text)
        return self._scala.object(f"{_GRAPH}.FlowAnalysis").createFlowFunctionFromLogicalPlan(plan)

    def release(self) -> None:
        """Keep nothing more than an object that the JVM may have."""
        self._returned.clear()
        self.error = None
        del self.flow, self._scala, self._engine

    def toString(self) -> str:
        return self._name

    class Java:
        implements = [f"{_GRAPH}.FlowFunction"]  # noqa: RUF012 - py4j asks for a list


class _NotResolved(Exception):
    """The engine cannot answer a read: the dataset is not resolved yet, or does not exist; ``java`` has the reason."""

    def __init__(self, java: Any) -> None:
        self.java = java


def _frame_of(data: Any, session: SparkSession) -> DataFrame:
    """Return the frame of a Scala ``Try``, or raise its failure."""
    from pyspark.errors.exceptions.captured import convert_exception
    from pyspark.sql import DataFrame

    if not data.isFailure():
        return DataFrame(data.get(), session)
    java = data.failed().get()
    if java.getClass().getSimpleName() == "UnresolvedDatasetException":
        raise _NotResolved(java)
    raise convert_exception(java)


class _Ignore:
    """A Scala function that ignores the engine's events."""

    def apply(self, event: Any) -> None:
        """Called by Spark."""

    class Java:
        implements = ["scala.Function1"]  # noqa: RUF012 - py4j asks for a list
