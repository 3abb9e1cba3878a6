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

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException

from declarative_pipelines.definitions.dataset_names import DatasetNames
from declarative_pipelines.definitions.model import Dataset, DatasetKind, Namespace
from declarative_pipelines.engine import dataset_reads
from declarative_pipelines.engine.jvm_values import JvmValues
from declarative_pipelines.engine.session_settings import temporary_settings
from declarative_pipelines.errors import BadDefinition, innermost_message
from declarative_pipelines.sql.parameters import CatalogMap, literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

# Once in some two hundred plans, on a machine that was busy, the JVM got a null for a flow function's answer, and why
# is not known.  So the graph is resolved again, and how often that was needed is counted.
_TRIES = 3
_GRAPH = "org.apache.spark.sql.pipelines.graph"
_OWN_CATALOG = "spark_catalog"
_NO_NAMESPACE = Namespace()
_VIEW_CHECK = "pipelines.incompatibleViewCheck.enabled"
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
    """A resolved flow: the datasets of the pipeline that it reads, by full names, and its other tables."""

    inputs: frozenset[str]
    tables: frozenset[str]
    is_streaming: bool


@dataclass(frozen=True)
class FailedFlow:
    """A flow that could not be resolved: the datasets that it asked for, and whether it only waits for another flow."""

    inputs: frozenset[str]
    error: BaseException
    waits: bool


class TableNotCreated(Exception):
    """A table could not be created or changed; ``table`` is its full name, the cause has the reason."""

    def __init__(self, table: str) -> None:
        super().__init__(table)
        self.table = table


class TableVersion(NamedTuple):
    """A version of a Delta table: the table's identity, which a table made again does not have, and the number."""

    table: str
    number: int


class SparkEngine:
    """Spark's pipelines engine for one pipeline.

    ``catalog`` and ``database`` complete names of one or two parts; ``storage`` is the pipeline's root, an absolute
    URI; ``catalogs`` maps catalogs that the session does not have.  ``lost_answers`` counts the null answers of the
    JVM, after which a flow was resolved again.
    """

    def __init__(
        self,
        session: SparkSession,
        catalog: str,
        database: str,
        storage: str,
        catalogs: CatalogMap = CatalogMap(),  # noqa: B008 - it cannot be changed
    ) -> None:
        from pyspark.java_gateway import ensure_callback_server_started

        ensure_callback_server_started(session.sparkContext._gateway)
        self.session, self.catalog, self.database, self.storage = session, catalog, database, storage
        self.catalogs = catalogs
        self._scala = JvmValues(session)
        self._nowhere = self._scala.new(f"{_GRAPH}.QueryOrigin", *[self._scala.none()] * 7)
        self._identifiers: dict[tuple[str, ...], Any] = {}  # each costs the JVM three calls
        self._functions: list[_FlowFunction] = []  # all that the JVM was given
        self.lost_answers = 0
        self.is_running = False  # whether flows are called for their rows, not only for what they look like

    def resolve(self, datasets: Sequence[Dataset], flows: Sequence[FlowSource]) -> ResolvedGraph:
        """PipelinePlan a graph: every flow is called until all that it reads is known."""
        for _ in range(_TRIES - 1):
            try:
                return self._resolve(datasets, flows)
            except _NoAnswer:
                self.lost_answers += 1
        return self._resolve(datasets, flows)

    def _resolve(self, datasets: Sequence[Dataset], flows: Sequence[FlowSource]) -> ResolvedGraph:
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
        try:
            return ResolvedGraph(self, self._resolved(context.toDataflowGraph()), functions)
        except Py4JJavaError as error:
            if "NullPointerException" in str(error) and "FlowFunctionResult" in str(error):
                raise _NoAnswer from error
            raise

    def release(self) -> None:
        """Release the flows' functions and their results, which the JVM keeps; no flow can be resolved afterwards."""
        for function in self._functions:
            function.release()
        self._functions.clear()

    def _resolved(self, graph: Any) -> Any:
        """Resolve a graph; Spark 4.3 asks whether names are case-sensitive, where 4.2 asks nothing."""
        try:
            return graph.resolve()
        except Py4JJavaError:
            raise
        except Py4JError as error:
            if "does not exist" not in str(error):
                raise
            return graph.resolve(self.session._jsparkSession.sessionState().conf().caseSensitiveAnalysis())

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
        comment = f" COMMENT {literal(view.comment)}" if view.comment else ""
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

    def read_log(self, dataset: Dataset) -> None:
        """Make Delta read and cache a table's log now instead of at the first write."""
        self._snapshot(dataset).transactions()

    def version(self, dataset: Dataset) -> int:
        """Return the version of a Delta table that the session knows."""
        return int(self._snapshot(dataset).version())

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
            scala.some(None if dataset.is_delta else dataset.format),  # Delta refuses to be told twice
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
    """A resolved graph: the inputs of its flows, their frames, and their tables."""

    def __init__(self, engine: SparkEngine, graph: Any, functions: Mapping[str, _FlowFunction]) -> None:
        self._engine, self._graph, self._functions = engine, graph, functions
        self._scala = engine._scala
        self._planning = threading.Lock()  # the engine changes settings of the session while it plans
        flows = graph.flow()
        self._java_flows = {name: flows.apply(self._identifier(one.flow)) for name, one in functions.items()}
        self._planned = {name for name, flow in self._java_flows.items() if _is_planned(flow)}

    @property
    def failures(self) -> dict[str, FailedFlow]:
        """The flows that could not be resolved."""
        return {name: self._failed(name, flow) for name, flow in self._java_flows.items() if name not in self._planned}

    @property
    def flows(self) -> dict[str, ResolvedFlow]:
        """The flows that were planned."""
        return {name: self._resolved(flow) for name, flow in self._java_flows.items() if name in self._planned}

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

    def create_tables(self, datasets: Iterable[Dataset], full_refresh: Iterable[Dataset] = ()) -> None:
        """Create tables and evolve schemas; tables of a full refresh are emptied and get the new schema.

        Raises TableNotCreated if Spark or the table's format rejects the table or the change.
        """
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
                raise _table_error(error) from error

    def _some(self, datasets: Iterable[Dataset]) -> Any:
        identifiers = [self._engine._identifier(one.name, one.namespace) for one in datasets]
        if not identifiers:
            return self._scala.object(f"{_GRAPH}.NoTables")
        return self._scala.new(f"{_GRAPH}.SomeTables", self._scala.seq(identifiers).toSet())

    def _identifier(self, flow: FlowSource) -> Any:
        return self._engine._identifier(flow.name, flow.namespace, flow.in_catalog)

    def _resolved(self, flow: Any) -> ResolvedFlow:
        tables = self._names(flow.funcResult().usedExternalInputs())
        return ResolvedFlow(self._names(flow.inputs()), tables, flow.df().isStreaming())

    def _failed(self, name: str, flow: Any) -> FailedFlow:
        from pyspark.errors.exceptions.captured import convert_exception

        error = self._functions[name].error
        waits = error is None
        if error is None:
            error = convert_exception(flow.failure().head())
        return FailedFlow(self._names(flow.funcResult().requestedInputs()), error, waits)

    def _names(self, identifiers: Any) -> frozenset[str]:
        return frozenset(identifier.unquotedString() for identifier in self._scala.list(identifiers))


def _table_error(error: Py4JJavaError) -> Exception:
    """Return an error of the engine together with its table; any other error unchanged."""
    from pyspark.errors.exceptions.captured import convert_exception

    java = error.java_exception
    if java.getClass().getSimpleName() != "TableMaterializationException":
        return error
    failure = TableNotCreated(java.tableName().replace("`", ""))
    failure.__cause__ = convert_exception(java.cause())
    return failure


def _is_planned(flow: Any) -> bool:
    """Whether a flow of the engine was planned; py4j only knows by asking for the class."""
    return flow.getClass().getSimpleName() != "ResolutionFailedFlow"


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
        """Called by Spark."""
        metrics = _rows(self._session, execution.observedMetrics())
        if not metrics:
            return
        with self._changed:
            for name in metrics:
                self.heard[name] = metrics
            self._changed.notify_all()

    def onFailure(self, function: str, execution: Any, error: Any) -> None:
        """Called by Spark."""

    def toString(self) -> str:
        """Called by Spark."""
        return "declarative_pipelines"

    class Java:
        """The Java interface of the object."""

        implements = ["org.apache.spark.sql.util.QueryExecutionListener"]  # noqa: RUF012 - py4j asks for a list


def _rows(session: SparkSession, metrics: Any) -> dict[str, dict[str, Any]]:
    """Return observed metrics, a Scala map of rows, as dictionaries.

    Most queries have none, and iterating a Scala map costs eighty calls, since its end is an exception.
    """
    if metrics.isEmpty():
        return {}
    scala = JvmValues(session)
    return {pair._1(): _values(pair._2()) for pair in scala.list(metrics)}


def _values(row: Any) -> dict[str, Any]:
    names = row.schema().fieldNames()
    return {names[number]: row.get(number) for number in range(row.length())}


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
        reads = _Reads(self._scala, self._as_defined, (all_inputs, available, conf, context, origin))
        self.error = None
        try:
            with dataset_reads.intercept_reads(reads.frame, self._name):
                data = self._scala.new("scala.util.Success", self.flow.make()._jdf)
        except _NotResolved as wait:
            data = self._scala.new("scala.util.Failure", wait.java)
        except BaseException as error:  # an interrupt as well: nothing may be raised into the JVM
            self.error = error
            data = self._scala.new("scala.util.Failure", self._throwable(error))
        self._returned.append(self._scala.new(f"{_GRAPH}.FlowFunctionResult", *reads.found(), data, conf))
        return self._returned[-1]

    def _as_defined(self, text: str) -> str:
        """Return a query with the names of catalogs and datasets as the engine has them."""
        text = self._engine.catalogs.in_text(text)
        return self._names.in_text(text, lambda name: self._engine._parts(name, self.flow.namespace))

    def release(self) -> None:
        """Keep nothing more than an object that the JVM may have."""
        self._returned.clear()
        self.error = None
        del self.flow, self._scala, self._engine

    def _throwable(self, error: BaseException) -> Any:
        origin = getattr(error, "_origin", None)
        return origin or self._scala.new("java.lang.RuntimeException", f"{type(error).__name__}: {error}")

    def toString(self) -> str:
        """Called by Spark."""
        return self._name

    class Java:
        """The Java interface of the object."""

        implements = [f"{_GRAPH}.FlowFunction"]  # noqa: RUF012 - py4j asks for a list


class _NoAnswer(Exception):
    """The JVM got a null from a flow function."""


class _NotResolved(Exception):
    """The engine cannot answer a read: the dataset is not resolved yet, or does not exist; ``java`` has the reason."""

    def __init__(self, java: Any) -> None:
        self.java = java


class _Reads:
    """The reads of one call of a flow, which the engine answers and records."""

    def __init__(self, scala: JvmValues, as_defined: Callable[[str], str], arguments: tuple[Any, ...]) -> None:
        self._scala, self._as_defined, self._arguments = scala, as_defined, arguments
        self._sets: list[Any] = []  # requested, batch, streaming, external

    def frame(self, text: str, frames: Mapping[str, DataFrame]) -> DataFrame:
        """Return the frame of a query over datasets, tables, and frames that it has names for."""
        from pyspark.sql import DataFrame

        session = self._scala.session
        plan = self._scala.parser.parsePlan(self._as_defined(text))
        function = self._scala.object(f"{_GRAPH}.FlowAnalysis").createFlowFunctionFromLogicalPlan(plan)
        result = function.call(*self._arguments_with(frames, function))
        new = (result.requestedInputs(), result.batchInputs(), result.streamingInputs(), result.usedExternalInputs())
        new = self._without(frames, new) if frames else new
        self._sets = [old.union(more) for old, more in zip(self._sets, new, strict=True)] if self._sets else list(new)
        data = result.dataFrame()
        if data.isFailure():
            self._raise(data.failed().get())
        return DataFrame(data.get(), session)

    def _arguments_with(self, frames: Mapping[str, DataFrame], function: Any) -> tuple[Any, ...]:
        """Return a flow function's arguments, with the frames as flows that are planned already."""
        all_inputs, available, conf, context, origin = self._arguments
        scala, nothing = self._scala, self._scala.seq([]).toSet()
        for name, frame in frames.items():
            identifier, data = scala.new(_IDENTIFIER, name), scala.new("scala.util.Success", frame._jdf)
            result = scala.new(f"{_GRAPH}.FlowFunctionResult", *[nothing] * 4, data, scala.map({}))
            flow = scala.new(
                f"{_GRAPH}.UntypedFlow", identifier, identifier, function, context, scala.map({}), False, origin
            )
            all_inputs = all_inputs.union(scala.seq([identifier]).toSet())
            available = available.appended(scala.new(f"{_GRAPH}.CompleteFlow", flow, result, False))
        if any(frame.isStreaming for frame in frames.values()):
            conf = conf.updated(_VIEW_CHECK, "false")  # the text has no STREAM before the name of a frame
        return all_inputs, available, conf, context, origin

    def _without(self, frames: Mapping[str, DataFrame], sets: Sequence[Any]) -> tuple[Any, ...]:
        """Return the four sets of inputs without the frames, whose own inputs are known."""
        requested, batch, streaming, external = sets
        scala = self._scala
        requested = requested.diff(scala.seq([scala.new(_IDENTIFIER, name) for name in frames]).toSet())
        batch = scala.seq([one for one in scala.list(batch) if one.aliasIdentifier().name() not in frames]).toSet()
        return requested, batch, streaming, external

    def found(self) -> list[Any]:
        """Return the engine's four sets of inputs."""
        return self._sets or [self._scala.empty_set] * 4

    def _raise(self, java: Any) -> None:
        from pyspark.errors.exceptions.captured import convert_exception

        if java.getClass().getSimpleName() == "UnresolvedDatasetException":
            raise _NotResolved(java)
        raise convert_exception(java)


class _Ignore:
    """A Scala function that ignores the engine's events."""

    def apply(self, event: Any) -> None:
        """Called by Spark."""

    class Java:
        """The Java interface of the object."""

        implements = ["scala.Function1"]  # noqa: RUF012 - py4j asks for a list
