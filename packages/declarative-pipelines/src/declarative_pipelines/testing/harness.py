"""``PipelineTest``: a pipeline under test, with tables, files and topics of the test's own, removed at its end."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from declarative_pipelines import source_files
from declarative_pipelines.definitions import api_modules
from declarative_pipelines.definitions.model import Dataset, DatasetKind, Definitions, SourceLocation, without_live
from declarative_pipelines.engine.spark_engine import SparkEngine
from declarative_pipelines.engine.storage import PipelineLocation, Storage
from declarative_pipelines.errors import BadArgument, BadDefinition
from declarative_pipelines.pipeline import UpdateRun, find_session, in_session
from declarative_pipelines.planning.plan import parse_schemas
from declarative_pipelines.planning.selection import Selection
from declarative_pipelines.source_files import names_for_files
from declarative_pipelines.sql.parameters import OWN
from declarative_pipelines.testing import mock_files, part, redirected_reads
from declarative_pipelines.testing.mock_files import TABLE as TOPICS
from declarative_pipelines.testing.mock_files import MockFiles, MockTopics
from declarative_pipelines.testing.outcome import PipelineTestResult
from declarative_pipelines.testing.redirected_reads import RedirectedNames, paths_in
from declarative_pipelines.updates.event_log import EventLog, EventRow
from declarative_pipelines.updates.results import GraphKnown, Progress
from declarative_pipelines.updates.update_lock import only_in_session

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from declarative_pipelines.updates.results import Update

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
    database
        The database that the pipeline's own tables have in production, with its catalog or without: where the
        pipeline writes it before a name, the test's own is meant.
    spark
        The session; by default this process's. Several tests may share it, one after another.
    """

    def __init__(
        self,
        *files: str | Path,
        configuration: Mapping[str, str] | None = None,
        database: str | None = None,
        spark: SparkSession | None = None,
    ) -> None:
        self.spark = find_session(spark)
        self.files = source_files.files(files)
        self._configuration = {**_SETTINGS, **(configuration or {})}
        self._folder = Path(tempfile.mkdtemp(prefix="pipeline_test_")).resolve()
        self._names = RedirectedNames(database=f"pipeline_test_{uuid.uuid4().hex[:12]}", own=_own(database))
        self._databases: set[str] = set()
        self._mocked: dict[str, str] = {}  # formats by names
        self._files = MockFiles(self._folder)
        self._location = PipelineLocation(
            "test", OWN, self._names.database, Storage(self.spark, (self._folder / "storage").as_uri())
        )
        self._create_database(self._names.database)
        self._topics = MockTopics(self.spark, self._names.quoted(TOPICS))
        api_modules.install()
        redirected_reads.install()

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
            schema = self._declared(name)
        frame = mock_files.frame_of(self.spark, name, rows, schema)
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
        self._write(name, mock_files.frame_of(self.spark, name, rows, schema), "append")

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
        running = UpdateRun(
            self.spark, self._location, self._names, asked, 0, self._observe, _NoLog(self._location.storage, "test")
        )
        with (
            only_in_session(self.spark, "test"),
            in_session(self.spark, self._location, self._configuration),
            redirected_reads.redirect_reads(_TestReads(self._names, self._files, self._topics)),
        ):
            update = running.run(lambda: self._definitions(names), dry_run=False)
        if check:
            update.raise_if_failed()
        return PipelineTestResult(update, self.spark, self._versions(update), self._version)

    def _definitions(self, outputs: tuple[str, ...]) -> Definitions:
        definitions = part.replace_by_tables(part.remove_mocked(self._read(), self._mocked), outputs)
        if not definitions.datasets:
            raise BadDefinition(None, "The files define no dataset that is not mocked.")
        for dataset in definitions.datasets:
            self._names.learn(dataset.name)
            self._create_database(self._names.table(dataset.name)[0])
            if dataset.namespace.database:
                self._create_database(
                    self._names.located(dataset.namespace.catalog or OWN, dataset.namespace.database)[1]
                )
        return part.only(definitions, self._part(definitions, outputs))

    def _part(self, definitions: Definitions, outputs: tuple[str, ...]) -> frozenset[str]:
        texts = "".join(file.read_text(encoding="utf-8") for file in self.files)
        names = tuple(one.name for one in definitions.datasets)
        case = (texts, names, outputs, frozenset(self._mocked), tuple(self._configuration.items()))
        if case not in _parts:
            _parts[case] = part.required_part(self._engine(), definitions, outputs)
        return _parts[case]

    def _observe(self, progress: Progress) -> None:
        if isinstance(progress, GraphKnown):  # before anything runs
            part.refuse_tables_of_others(progress, self._names)

    def _read(self) -> Definitions:
        definitions = source_files.read(self.files, names_for_files(self.spark, self._configuration))
        parse_schemas(definitions)
        return definitions

    def _declared(self, name: str) -> Any:
        """Return the schema that a dataset's definition declares, where the pipeline has one of that name."""
        with in_session(self.spark, self._location, self._configuration):
            found = self._read().dataset(name)
        return None if found is None else found.schema

    def _write(self, name: str, frame: DataFrame, mode: str) -> None:
        self._names.learn(name)
        self._create_database(self._names.table(name)[0])
        mock_files.write(self._names.quoted(name), frame, mode, self._mocked[name])

    def _create_database(self, database: str) -> None:
        if database not in self._databases:
            location = (self._folder / database).as_uri()
            self.spark.sql(f"CREATE SCHEMA IF NOT EXISTS `{database}` LOCATION '{location}'")
            self._databases.add(database)

    def _versions(self, update: Update) -> dict[str, tuple[str, int]]:
        tables = {one.name: self._names.quoted(one.name) for one in update.datasets}
        views = {one.name for one in update.datasets if one.kind is DatasetKind.TEMPORARY_VIEW}
        there = {name: table for name, table in tables.items() if name not in views}
        return {
            name: (table, self._version(name)) for name, table in there.items() if self.spark.catalog.tableExists(table)
        }

    def _version(self, dataset: str) -> int:
        return self._engine().version(Dataset(dataset, DatasetKind.TABLE, SourceLocation("", 0)))

    def _engine(self) -> SparkEngine:
        return SparkEngine(self.spark, OWN, self._names.database, self._location.storage.root, self._names)


class _NoLog(EventLog):
    """The event log of a test: none, since the result has the counts, and a commit takes as long as a batch."""

    def append(self, update: str, events: Sequence[EventRow]) -> None:
        """Forget the events."""

    def running(self) -> tuple[str, ...]:
        """Return nothing: a killed update ends its test."""
        return ()

    def begin(self, update: str) -> None:
        """Record nothing."""

    def end(self) -> None:
        """Record nothing."""


class _TestReads:
    """The redirection of a pipeline's reads to a test."""

    def __init__(self, names: RedirectedNames, files: MockFiles, topics: MockTopics) -> None:
        self._names, self._files, self._topics = names, files, topics

    def name(self, name: str) -> str:
        """Return a table's name as the test has it."""
        if paths := paths_in(name):
            return self._with_paths(name, paths)
        return self._names.quoted(name) if "." in without_live(name) else name

    def text(self, text: str) -> str:
        """Return SQL text with the test's names and paths."""
        text = self._with_paths(text, paths_in(text))
        return self._names.in_text(text)

    def path(self, path: str) -> str:
        """Return a path as the test has it."""
        return self._files.path(path)

    def kept(self, path: str) -> str:
        """Return the test's place for something that the pipeline stores at a path."""
        return self._files.kept(path)

    def topics(self, session: SparkSession, options: Mapping[str, str], streaming: bool) -> DataFrame:
        """Return the records of topics."""
        return self._topics.frame(options, streaming)

    def _with_paths(self, text: str, paths: list[Any]) -> str:
        for path in reversed(paths):
            text = f"{text[: path.start]}`{self._files.path(path.value)}`{text[path.end :]}"
        return text


def _own(database: str | None) -> tuple[str, str] | None:
    if database is None:
        return None
    *catalog, name = database.lower().replace("`", "").split(".")
    return (catalog[0] if catalog else OWN, name)
