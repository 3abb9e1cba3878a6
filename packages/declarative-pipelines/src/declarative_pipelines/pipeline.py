"""``run_pipeline``: one update, from the sources to its result, in the notebook's own session.

Spark's engine has no continuous mode for pipelines in 4.2; what the platform calls continuous is here an update that is
repeated at an interval.
"""

from __future__ import annotations

import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from declarative_pipelines import source_files, update_graph
from declarative_pipelines.definitions import api_modules, registry
from declarative_pipelines.definitions.model import DatasetKind, Definitions
from declarative_pipelines.definitions.queries import CatalogMap
from declarative_pipelines.engine.session import close_idle_connections, temporary_settings
from declarative_pipelines.engine.spark_engine import SparkEngine, WriteObserver
from declarative_pipelines.engine.storage import Checkpoint, PipelineLocation, Storage, find_location, only_update
from declarative_pipelines.errors import BadArgument, PipelineError, innermost_message
from declarative_pipelines.source_files import names_for_files
from declarative_pipelines.update_graph import shared_graph
from declarative_pipelines.updates import event_log as event_logs
from declarative_pipelines.updates import execution
from declarative_pipelines.updates.event_log import EventLog, UpdateRecord
from declarative_pipelines.updates.execution import Execution
from declarative_pipelines.updates.flow_nodes import FlowNode, Selection, flows_of
from declarative_pipelines.updates.flow_runs import RunContext, run_of
from declarative_pipelines.updates.plan import PipelinePlan, parse_schemas, plan
from declarative_pipelines.updates.results import (
    FlowProgress,
    Observer,
    Progress,
    State,
    Update,
    UpdateChanged,
)
from streaming_base.errors import ExplainedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def run_continuously(*files: str | Path, every: float = 10.0, updates: int | None = None, **arguments: Any) -> Update:
    """Update a pipeline again and again, and return the last update.

    It ends with an update that fails, with an interrupt of the cell, or after ``updates`` of them.

    Parameters
    ----------
    every
        Seconds from one begin to the next; an update that takes longer is followed at once.
    **arguments
        As of :func:`run_pipeline`. What is to be refreshed in full is so in the first update only.

    Raises
    ------
    KeyboardInterrupt
        It was interrupted.
    """
    done = 0
    with shared_graph():
        while True:
            began = time.monotonic()
            update = run_pipeline(*files, **arguments)
            done += 1
            if update.error is not None or done == updates:
                return update
            for once in ("full_refresh", "full_refresh_all"):
                arguments.pop(once, None)
            time.sleep(max(0.0, began + every - time.monotonic()))


AT_ONCE = 2  # flows at a time; more of them wait for each other on a laptop
RETRIES = 2  # of a flow, outside development
# What goes into a sink is counted by Spark's reports of its batches, of which it keeps the newest hundred otherwise.
ALL_REPORTS = {"spark.sql.streaming.numRecentProgressUpdates": "100000"}
_JOB_GROUP = "spark.jobGroup.id"
_DELTA = "io.delta.sql.DeltaSparkSessionExtension"
_DELTA_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
# Spark 4.2.0 hangs forever where a Python UDF reads a Delta table in its columnar form.
_SAFE = {"spark.sql.execution.arrow.pythonUDF.columnarInput.enabled": "false"}


def run_pipeline(
    *files: str | Path,
    full_refresh: str | Iterable[str] = (),
    full_refresh_all: bool = False,
    refresh: str | Iterable[str] = (),
    development: bool = True,
    dry_run: bool = False,
    database: str | None = None,
    storage: str | None = None,
    configuration: Mapping[str, str] | None = None,
    name: str | None = None,
    observer: Observer | None = None,
    show: bool = True,
    raise_on_failure: bool = False,
    spark: SparkSession | None = None,
) -> Update:
    """Run one update of a pipeline, and return what it did.

    Streaming tables read what is new, each row once; materialized views are computed again, and keep their rows for
    readers until the new ones are there, also where the update fails. An update that was killed is continued by the
    next one: no row is lost, and none is there or counted twice.

    Parameters
    ----------
    *files
        The sources: Python, SQL, notebooks, or folders of them. Without any, what this notebook's cells have defined.
    full_refresh, refresh
        Datasets to update, those of ``full_refresh`` emptied and read from the beginning; no others are updated then.
    full_refresh_all
        Empty all tables and read everything from the beginning.
    development
        A flow that fails is not tried again.
    dry_run
        Only plan: find out what is wrong with the definitions. Nothing is written.
    database
        Where tables are whose name says nothing else; by default, the current one.
    storage
        Where checkpoints and the event log are, by default beside the database's tables.
    configuration
        Settings of the session while the update runs, which definitions read by ``spark.conf.get``. A catalog that
        names begin with is mapped to a prefix of databases by ``pipelines.catalogs.<catalog>``.
    name
        What the pipeline is called; by default as its first file. A pipeline's name tells its default storage.
    observer
        Called with each event of :mod:`.updates.results`; for batches, in the threads of their streams.
    show
        In a notebook, draw the datasets below the cell, and what the update does with them while it runs.
    raise_on_failure
        Raise the error of an update that fails, as a script or CI wants it.

    Returns
    -------
    Update
        Its ``state`` is COMPLETED or FAILED; ``error`` says why. ``raise_if_failed()`` raises it.

    Raises
    ------
    BadArgument
        A file, a dataset or an argument that is not there.
    PipelineError
        Another update of this pipeline runs, or another pipeline in this session.
    KeyboardInterrupt
        It was interrupted. Its flows have been stopped; the session can be used, and the next update continues.
    """
    session = find_session(spark)
    api_modules.install()
    settings = dict(configuration or {})
    catalogs = CatalogMap.of(settings)
    location = find_location(session, files, database, storage, name, catalogs)
    asked = Selection.of(refresh, full_refresh, full_refresh_all)

    def update(observe: Observer) -> Update:
        running = UpdateRun(session, location, catalogs, asked, 0 if development else RETRIES, observe)
        return running.run(lambda: _definitions(files, session, settings), dry_run)

    # A dry run writes nothing, a lock neither, and may look at what an update of another session is writing.
    lock = nullcontext() if dry_run else only_update(location.storage)
    with lock, only_in_session(session, location.name), in_session(session, location, settings):
        observe = observer or (lambda progress: None)
        done = update_graph.run_and_show(update, location.name, dry_run, observe) if show else update(observe)
    return done.raise_if_failed() if raise_on_failure else done


def event_log(pipeline: Update | str, spark: SparkSession | None = None) -> DataFrame:
    """Return the event log of a pipeline, by one of its updates or by its storage.

    The columns are those of the platform: ``id``, ``sequence``, ``origin``, ``timestamp``, ``message``, ``level``,
    ``maturity_level``, ``error``, ``details`` (JSON) and ``event_type``.
    """
    root = pipeline.storage if isinstance(pipeline, Update) else pipeline
    return EventLog(Storage(spark or find_session(), root), "").frame()


class UpdateRun:
    """One update, while it runs."""

    def __init__(
        self,
        session: SparkSession,
        location: PipelineLocation,
        catalogs: CatalogMap,
        asked: Selection,
        retries: int,
        observer: Observer,
        has_log: bool = True,
    ) -> None:
        self._catalogs, self._has_log = catalogs, has_log
        self._session, self._location, self._asked, self._retries = session, location, asked, retries
        self._observer = observer
        self._id, self._began = str(uuid.uuid4()), time.monotonic()
        self._record = UpdateRecord(self._id, EventLog(location.storage, location.name), asked)
        self._plan: PipelinePlan | None = None
        self._execution: Execution | None = None

    def run(self, definitions: Callable[[], Definitions], dry_run: bool) -> Update:
        """Plan, run and record the update."""
        try:
            self._run(definitions(), dry_run)
        except BadArgument:
            raise  # nothing was begun
        except ExplainedError as error:
            return self._end(State.FAILED, error, dry_run)
        except (PySparkException, Py4JJavaError) as error:
            failure = PipelineError(f"The update failed before its flows ran: {innermost_message(error)}")
            failure.__cause__ = error
            return self._end(State.FAILED, failure, dry_run)
        except KeyboardInterrupt:
            context = self._session.sparkContext
            group = context.getLocalProperty(_JOB_GROUP)
            context.setLocalProperty(_JOB_GROUP, f"the record of {self._id}")  # the interrupt cancels the cell's
            try:
                said = "The update was stopped. What it had written stays; the next update continues from there."
                self._end(State.STOPPED, PipelineError(said), dry_run)
            finally:
                context.setLocalProperty(_JOB_GROUP, group)  # type: ignore[arg-type]  # None takes it away
            raise
        failed = [flow.error for flow in self._results() if flow.error is not None]
        return self._end(State.FAILED if failed else State.COMPLETED, next(iter(failed), None), dry_run)

    def _run(self, definitions: Definitions, dry_run: bool) -> None:
        self._observe(UpdateChanged(State.QUEUED, self._seconds()))
        location = self._location
        engine = SparkEngine(self._session, location.catalog, location.database, location.storage.root, self._catalogs)
        try:
            flows = flows_of(definitions)
            chosen = execution.choose(engine, location.storage, flows, self._asked.emptied(definitions))
            engine.schema_locations = {name: checkpoint.schemas for name, checkpoint in chosen.items()}
            self._plan = plan(engine, definitions)
            self._observe(self._record.graph(self._plan))
            if not dry_run:
                self._execute(self._plan, self._plan.select(self._asked), chosen)
        finally:
            engine.release()

    def _execute(self, plan: PipelinePlan, flows: Sequence[FlowNode], chosen: Mapping[str, Checkpoint]) -> None:
        self._observe(UpdateChanged(State.RUNNING, self._seconds()))
        if self._has_log:
            self._record.notice_left_over(chosen)
        execution.prepare(plan, flows, chosen)
        plan.engine.is_running = True
        has_sinks = any(flow.target.kind is DatasetKind.SINK for flow in flows)
        settings = ALL_REPORTS if has_sinks else {}
        with WriteObserver(self._session) as writes, temporary_settings(self._session, settings):
            emptied = self._asked.emptied(plan.definitions)
            context = RunContext(self._id, plan, chosen, writes, self._on_batch, emptied)
            runs = [run_of(flow, context) for flow in flows]
            self._execution = Execution(runs, AT_ONCE, self._retries, self._observe, plan.engine.use_in_this_thread)
            results = self._execution.run()
        if all(flow.error is None for flow in results):
            execution.publish_views(plan)

    def _on_batch(self, flow: str, counts: Mapping[str, Any]) -> None:
        if self._execution is not None:
            self._execution.add_counts(flow, counts)

    def _results(self) -> tuple[FlowProgress, ...]:
        return () if self._execution is None else self._execution.results

    def _end(self, state: State, error: Exception | None, dry_run: bool) -> Update:
        update = event_logs.result(
            self._id, self._location, state, self._plan, self._results(), self._seconds(), error, dry_run
        )
        if not dry_run and self._has_log:
            self._record.keep(update)
        if not dry_run:
            close_idle_connections(self._session)
        self._observe(UpdateChanged(state, self._seconds(), error))
        for sentence in update.warnings:
            warnings.warn(sentence, RuntimeWarning, stacklevel=2)
        return update

    def _observe(self, progress: Progress) -> None:
        if isinstance(progress, FlowProgress):
            self._record.flow_changed(progress)
        self._observer(progress)

    def _seconds(self) -> float:
        return time.monotonic() - self._began


def _definitions(files: Sequence[str | Path], session: SparkSession, settings: Mapping[str, str]) -> Definitions:
    """Return the definitions of files, or of the notebook's cells; BadArgument if they define nothing."""
    paths = source_files.files(files)
    definitions = source_files.read(paths, names_for_files(session, settings)) if files else registry.of_notebook()
    if not definitions.datasets:
        where = "These files define" if files else "No cell of this notebook has defined"
        raise BadArgument(f"{where} no dataset. A definition is a function with @dlt.table above it, or CREATE in SQL.")
    parse_schemas(definitions)
    return definitions


def find_session(session: SparkSession | None = None) -> SparkSession:
    """Return a session in which updates can run; by default that of this process.

    Raises BadArgument without a session, over Spark Connect, and without Delta.
    """
    from pyspark.sql import SparkSession

    session = session or SparkSession.getActiveSession()
    if session is None:
        raise BadArgument("There is no Spark session. Start one, such as by the notebook's set-up cell.")
    if "connect" in type(session).__module__:
        raise BadArgument("Pipelines need Spark in this process; over Spark Connect, use spark-pipelines run.")
    if _DELTA not in str(session.conf.get("spark.sql.extensions", "")):
        raise BadArgument(
            f"This session has no Delta, which a pipeline's tables need. Start it with {_DELTA} among its "
            f"spark.sql.extensions, {_DELTA_CATALOG} as its spark.sql.catalog.spark_catalog, and Delta's jar, which "
            "delta.configure_spark_with_delta_pip gives to a builder."
        )
    return session


@contextmanager
def in_session(session: SparkSession, location: PipelineLocation, settings: Mapping[str, str]) -> Iterator[None]:
    """Use the pipeline's database and settings in the session during a ``with`` block."""
    before = session.catalog.currentDatabase()
    session.catalog.setCurrentDatabase(location.database)
    try:
        with temporary_settings(session, _SAFE | {key: str(value) for key, value in settings.items()}):
            yield
    finally:
        session.catalog.setCurrentDatabase(before)


_entering = threading.Lock()
_in_sessions: WeakKeyDictionary[SparkSession, str] = WeakKeyDictionary()


@contextmanager
def only_in_session(session: SparkSession, name: str) -> Iterator[None]:
    """Hold the session for one pipeline, whose database and settings it has; PipelineError if another one holds it."""
    with _entering:
        if running := _in_sessions.get(session):
            raise PipelineError(
                f"The pipeline {running} is running in this session, and two at once would mix their settings. "
                "Wait until it has ended, or run one of the two in a process of its own: python -m "
                "declarative_pipelines run."
            )
        _in_sessions[session] = name
    try:
        yield
    finally:
        del _in_sessions[session]
