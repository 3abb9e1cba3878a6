"""``PipelineTest``: a pipeline under test, with tables, files and topics of the test's own, and what it makes."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from declarative_pipelines import source_files
from declarative_pipelines.definitions import api_modules
from declarative_pipelines.definitions.model import (
    Dataset,
    DatasetKind,
    Definitions,
    SourceLocation,
    find,
    is_same,
    without_live,
)
from declarative_pipelines.definitions.queries import OWN
from declarative_pipelines.engine.spark_engine import SparkEngine, TableVersion
from declarative_pipelines.engine.storage import PipelineLocation, Storage
from declarative_pipelines.errors import BadArgument, BadDefinition, NotMocked, did_you_mean
from declarative_pipelines.pipeline import UpdateRun, find_session, in_session, only_in_session
from declarative_pipelines.source_files import names_for_files
from declarative_pipelines.testing import reads
from declarative_pipelines.testing.reads import TABLE as TOPICS
from declarative_pipelines.testing.reads import MockFiles, MockTopics, RedirectedNames, Redirects
from declarative_pipelines.updates.flow_nodes import Selection, flows_of, suggestion
from declarative_pipelines.updates.plan import parse_schemas, source_of
from declarative_pipelines.updates.results import GraphKnown, Progress

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.types import StructType

    from declarative_pipelines.updates.results import DatasetResult, ExpectationResult, Update


@dataclass(frozen=True)
class PipelineTestResult:
    """The result of one update under test.

    Parameters
    ----------
    update
        The update, as :func:`.run_pipeline` returns it.
    tables
        The tables that it has made, as SQL has them, each with its version then.
    version
        Returns the version that a table has now.
    """

    update: Update
    session: SparkSession
    tables: Mapping[str, tuple[str, TableVersion]]
    version: Callable[[str], TableVersion | None]

    @property
    def error(self) -> Exception | None:
        """Why the update failed; None if it did not."""
        return self.update.error

    def frame(self, dataset: str) -> DataFrame:
        """Return a dataset as this update has left it, also where a later one has changed it meanwhile.

        Raises
        ------
        BadArgument
            The update has not made it.
        """
        made = find(dataset, self.tables)
        if made is None:
            problem = f"This update has made no table {dataset}"
            hint = did_you_mean(dataset, self.tables) or f" It has made {', '.join(sorted(self.tables)) or 'none'}."
            raise BadArgument(f"{problem}; a view has rows where run() names it.{hint}")
        table, version = self.tables[made]
        # Delta reads an older version's log for it, which takes longer than the rows.
        is_newest = self.version(made) == version
        return self.session.sql(f"SELECT * FROM {table}{'' if is_newest else f' VERSION AS OF {version.number}'}")

    def rows(self, dataset: str) -> list[Row]:
        """Return the rows of a dataset, sorted by their columns from the left; NULLs come first."""
        rows = self.frame(dataset).collect()
        try:
            return sorted(rows, key=lambda row: [_sortable(value) for value in row])
        except TypeError:  # maps, and what else has no order
            return sorted(rows, key=repr)

    def dataset(self, name: str) -> DatasetResult:
        """Return how many rows the update has written to a dataset and dropped, its kind and state."""
        return self.update.dataset(name)

    def expectation(self, dataset: str, name: str) -> ExpectationResult:
        """Return the counts of an expectation, over all flows; None where they are not known.

        Raises
        ------
        BadArgument
            The dataset has none of that name, or did not run.
        """
        own = [one for one in self.update.expectations if is_same(one.dataset, dataset)]
        found = [one for one in own if one.name == name]
        if not found:
            there = ", ".join(repr(one.name) for one in own) or "none"
            raise BadArgument(f"{dataset} has no expectation {name!r} that was counted. It has {there}.")
        passed, failed = [one.passed for one in found], [one.failed for one in found]
        return replace(
            found[0],
            passed=None if None in passed else sum(passed),
            failed=None if None in failed else sum(failed),
        )


def _sortable(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return value is not None, [_sortable(one) for one in value]
    return (False, 0) if value is None else (True, value)


# A test has few rows: one partition each and one state store in place of hundreds, and logs of a few lines.
_SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.stats.collect": "false",
}

#: What is needed for some outputs: a pipeline's tests have the same ones again and again.
_parts: dict[Hashable, frozenset[str]] = {}


class PipelineTest:
    """A pipeline under test; a ``with`` block removes what it has made.

    Parameters
    ----------
    *files
        The pipeline's sources, as :func:`.run_pipeline` takes them.
    configuration
        The pipeline's configuration.
    spark
        The session; by default this process's. Several tests may share it, one after another.
    """

    def __init__(
        self,
        *files: str | Path,
        configuration: Mapping[str, str] | None = None,
        spark: SparkSession | None = None,
    ) -> None:
        self.spark = find_session(spark)
        self.files = source_files.files(files)
        self._configuration = {**_SETTINGS, **(configuration or {})}
        self._folder = Path(tempfile.mkdtemp(prefix="pipeline_test_")).resolve()
        self._names = RedirectedNames(database=f"pipeline_test_{uuid.uuid4().hex[:12]}")
        self._databases: set[str] = set()
        self._mocked: dict[str, str] = {}  # formats by names
        self._files = MockFiles(self._folder)
        self._location = PipelineLocation(
            "test", OWN, self._names.database, Storage(self.spark, (self._folder / "storage").as_uri())
        )
        self._create_database(self._names.database)
        self._topics = MockTopics(self.spark, self._names.quoted(TOPICS))
        api_modules.install()
        reads.install()

    def __enter__(self) -> PipelineTest:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the test's databases with their tables, its files and its checkpoints."""
        for database in sorted(self._databases):
            self.spark.sql(f"DROP SCHEMA IF EXISTS `{database}` CASCADE")
        self._databases.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def mock(self, name: str, rows: Any, schema: str | StructType | None = None, format: str = "parquet") -> None:
        """Put rows in place of a table that the pipeline reads, or of one of its datasets, which is not run then.

        Parameters
        ----------
        name
            As the pipeline writes it, with up to three parts.
        rows
            A list of Rows, of dictionaries, or of tuples where ``schema`` names their columns; or a frame.
        schema
            Columns and types, as DDL text; by default, what the dataset's definition declares, or what the rows say.
        format
            ``delta`` where the pipeline needs what only Delta has: its change feed, versions, or the error of a stream
            whose rows were changed.
        """
        name = without_live(name)
        if schema is None and not hasattr(rows, "columns"):
            with in_session(self.spark, self._location, self._configuration):
                declared = self._read().dataset(name)
            schema = None if declared is None else declared.schema
        frame = reads.frame_of(self.spark, name, rows, schema)
        if name in self._mocked and self._mocked[name] != format:
            self.spark.sql(f"DROP TABLE {self._names.quoted(name)}")
        self._mocked[name] = format
        self._write(name, frame, "overwrite")

    def append(self, name: str, rows: Any) -> None:
        """Append rows to a mocked table, as they arrive between two updates; columns that a row leaves out are NULL."""
        name = without_live(name)
        if name not in self._mocked:
            raise BadArgument(
                f"{name} is not mocked yet, so nothing can be appended to it: pipeline.mock({name!r}, ...)."
            )
        schema = self.spark.table(self._names.quoted(name)).schema
        self._write(name, reads.frame_of(self.spark, name, rows, schema), "append")

    def mock_files(self, path: str, files: Mapping[str, Any] | str | Path | None = None) -> Path:
        """Put files in place of those that the pipeline reads at a path, and return the folder that they are in.

        Parameters
        ----------
        path
            As the pipeline writes it, or a folder above; files that are added later have arrived meanwhile.
        files
            Contents by names: text, bytes, or a list of objects, which become lines of JSON. Or a folder that is there.
        """
        if files is None or isinstance(files, str | Path):
            return self._files.folder(path, None if files is None else Path(files))
        return self._files.add(path, files)

    def mock_topic(self, topic: str, records: Iterable[Any]) -> None:
        """Append records to a topic that the pipeline reads with Spark's Kafka source; there is no broker.

        Parameters
        ----------
        records
            Values: text, bytes, or objects that become JSON. Or mappings with ``value``, and with ``key``,
            ``partition``, ``timestamp`` and ``headers`` where they matter.
        """
        self._topics.add(topic, records)

    def table(self, name: str) -> str:
        """Return the SQL name of a table of the test."""
        return self._names.quoted(without_live(name))

    def run(self, *outputs: str, full_refresh: bool = False, check: bool = True) -> PipelineTestResult:
        """Run an update of some datasets and of what they need that is not mocked; without names, of all.

        Parameters
        ----------
        *outputs
            Datasets. A view that is named has rows in the result.
        full_refresh
            Read everything from the beginning.
        check
            Raise what the update failed with; otherwise the result's ``error`` has it.
        """
        names = tuple(without_live(name) for name in outputs)
        asked = Selection(full_refresh_all=full_refresh)
        # Without an event log: the result has the counts, and a commit takes as long as a batch.
        running = UpdateRun(self.spark, self._location, self._names, asked, 0, self._observe, has_log=False)
        with (
            only_in_session(self.spark, "test"),
            in_session(self.spark, self._location, self._configuration),
            reads.redirect_reads(Redirects(self._names, self._files, self._topics)),
        ):
            update = running.run(lambda: self._definitions(names), dry_run=False)
        if check:
            update.raise_if_failed()
        tables = [one.name for one in update.datasets if one.kind is not DatasetKind.TEMPORARY_VIEW]
        versions = {name: (self._names.quoted(name), version) for name in tables if (version := self._version(name))}
        return PipelineTestResult(update, self.spark, versions, self._version)

    def _definitions(self, outputs: tuple[str, ...]) -> Definitions:
        """Return the definitions of the part that a test runs, without what it has mocked."""
        read = self._read()
        definitions = _only(read, [one.name for one in read.datasets if find(one.name, self._mocked) is None])
        names = [one.name for one in definitions.datasets]
        for output in outputs:
            if find(output, names) is None:
                problem = f"The pipeline has no dataset {output}, or the test has mocked it."
                raise BadArgument(problem + suggestion(output, names))
        definitions.datasets[:] = [_as_table(one, find(one.name, outputs) is not None) for one in definitions.datasets]
        if not definitions.datasets:
            raise BadDefinition(None, "The files define no dataset that is not mocked.")
        for dataset in definitions.datasets:
            self._names.learn(dataset.name)
            self._create_database(self._names.table(dataset.name)[0])
            namespace = dataset.namespace
            if namespace.database:
                self._create_database(self._names.located(namespace.catalog or OWN, namespace.database)[1])
        texts = "".join(file.read_text(encoding="utf-8") for file in self.files)
        case = (texts, tuple(names), outputs, frozenset(self._mocked), tuple(self._configuration.items()))
        if case not in _parts:
            _parts[case] = self._required_part(definitions, outputs) if outputs else frozenset(names)
        return _only(definitions, _parts[case])

    def _required_part(self, definitions: Definitions, outputs: tuple[str, ...]) -> frozenset[str]:
        """Return the outputs and all datasets that they read.

        Errors of other datasets do not matter: unneeded ones may lack their tables.
        """
        engine, flows = self._engine(), flows_of(definitions)
        graph = engine.resolve(definitions.datasets, [source_of(flow, engine) for flow in flows])
        names = {engine.full_name(one): one.name for one in definitions.datasets}
        needed, left = set(), [one.name for one in definitions.datasets if find(one.name, outputs)]
        while left:
            name = left.pop()
            if name not in needed:
                needed.add(name)
                inputs = [one for flow in flows if flow.target.name == name for one in graph.flows[flow.name].inputs]
                left += [names[one] for one in inputs if one in names]
        return frozenset(needed)

    def _observe(self, progress: Progress) -> None:
        """Raise NotMocked, before anything runs, if the pipeline reads a table that is neither its nor the test's."""
        if not isinstance(progress, GraphKnown):
            return
        own = {dataset.name for dataset in progress.datasets}
        for table, _ in progress.edges:
            *around, _ = table.split(".")
            if table not in own and around and not self._names.has(around[-1]) and "/" not in table:
                raise NotMocked(f"the table {table}", f"pipeline.mock({table.removeprefix('spark_catalog.')!r}, rows)")

    def _read(self) -> Definitions:
        definitions = source_files.read(self.files, names_for_files(self.spark, self._configuration))
        parse_schemas(definitions)
        return definitions

    def _write(self, name: str, frame: DataFrame, mode: str) -> None:
        self._names.learn(name)
        self._create_database(self._names.table(name)[0])
        reads.write(self._names.quoted(name), frame, mode, self._mocked[name])

    def _create_database(self, database: str) -> None:
        if database not in self._databases:
            location = (self._folder / database).as_uri()
            self.spark.sql(f"CREATE SCHEMA IF NOT EXISTS `{database}` LOCATION '{location}'")
            self._databases.add(database)

    def _version(self, dataset: str) -> TableVersion | None:
        return self._engine().newest_version(Dataset(dataset, DatasetKind.TABLE, SourceLocation("", 0)))

    def _engine(self) -> SparkEngine:
        return SparkEngine(self.spark, OWN, self._names.database, self._location.storage.root, self._names)


def _only(definitions: Definitions, needed: Collection[str]) -> Definitions:
    """Return the definitions of some datasets."""
    return Definitions(
        [one for one in definitions.datasets if one.name in needed],
        [one for one in definitions.flows if find(one.target, needed)],
        [one for one in definitions.changes if find(one.target, needed)],
    )


def _as_table(dataset: Dataset, is_output: bool) -> Dataset:
    """Return a table in place of a sink, and of a view whose rows the test requests."""
    if dataset.kind is DatasetKind.SINK:
        return replace(dataset, kind=DatasetKind.STREAMING_TABLE, format=None, options={}, take_batch=None)
    if dataset.kind is DatasetKind.TEMPORARY_VIEW and is_output:
        return replace(dataset, kind=DatasetKind.TABLE)
    return dataset
