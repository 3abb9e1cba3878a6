"""``CREATE TABLE t DEEP CLONE s``, which open-source Delta lacks: a copy that does not need its source.

A new copy is in the catalog only when it is complete; one that was interrupted continues when its statement is
repeated.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from notebook_dialect.cloning import delta_copy
from notebook_dialect.cloning.clone_statement import CloneStatement
from notebook_dialect.cloning.delta_copy import CloneSource, Metrics
from streaming_base.errors import BadSql, NotAvailable
from streaming_base.rewritten_sql import restore_positions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from notebook_dialect.cloning.delta_copy import CloneSource

_FORM = (
    "Spark does not understand this DEEP CLONE. It is written CREATE [OR REPLACE] TABLE [IF NOT EXISTS] copy "
    "DEEP CLONE source [VERSION AS OF n | TIMESTAMP AS OF 'time'] [TBLPROPERTIES (...)] [LOCATION 'path']."
)


class CloneTarget:
    """The table that a statement copies to: a name in the catalog, or a path.

    ``is_taken`` is whether a Delta table exists there; ``properties`` are added to those of the source.
    """

    def __init__(self, spark: SparkSession, statement: CloneStatement) -> None:
        self._spark, self._name = spark, statement.target
        self._state = spark._jsparkSession.sessionState()
        read = self._parsed(statement.shallow.text)
        self.creates, self.replaces = read.isCreateCommand(), read.isReplaceCommand()
        self.if_not_exists = read.ifNotExists()
        configs = spark._jvm.org.apache.spark.sql.delta.DeltaConfigs
        self.properties = _dict(configs.validateConfigurations(read.tablePropertyOverrides()))
        self._location = read.targetLocation().get() if read.targetLocation().isDefined() else None
        parts = read.target().multipartIdentifier()
        names = [parts.apply(number) for number in range(parts.size())]
        self.is_path = len(names) == 2 and names[0].lower() == "delta" and "/" in names[1]
        if self.is_path:
            self.path = self._qualified(names[1])
            self.is_taken = self._version >= 0
        else:
            self._identifier = self._identifier_of(names)
            self.is_taken = self._state.catalog().tableExists(self._identifier)
            self.path = self._path_of_table() if self.is_taken else self._path_for_table()

    @property
    def log(self) -> Any:
        """Delta's log there."""
        return self._spark._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(self._spark._jsparkSession, self.path)

    @property
    def _version(self) -> int:
        """The newest version there, -1 where there is no Delta table."""
        none = self._spark._jvm.scala.Option.empty
        return self.log.update(False, none(), none()).version()

    def refuse_used_by_others(self, source: CloneSource) -> None:
        """Raise BadSql if the directory has another Delta table in it, or overlaps with the source's.

        A copy of the same source is accepted: its statement was interrupted before the table was registered.
        """
        here, there = (f"{path.toString()}/" for path in (self.path, source.root))
        if here.startswith(there) or there.startswith(here):
            raise BadSql(
                f"{self.path.toString()} is no place for a copy of {source.root.toString()}: one is within the other."
            )
        if self._version >= 0 and not delta_copy.is_first_copy(self._spark, self.log, source):
            raise BadSql(
                f"{self.path.toString()} has another Delta table in it. Choose another place, or remove it first."
            )

    def register(self) -> None:
        """Register the table in the catalog; without a LOCATION as a managed one, whose files are removed by DROP.

        SQL makes a table with a path external, and refuses to create one without a path where files exist; so the
        catalog's entry itself is changed, as Spark's own commands change it.
        """
        path = self.path.toString().replace("\\", "\\\\").replace("'", "\\'")
        self._spark.sql(f"CREATE TABLE {self._name} USING delta LOCATION '{path}'")
        if self._location is not None:
            return
        entry = self._state.catalog().getTableMetadata(self._identifier)
        values = [entry.productElement(number) for number in range(entry.productArity())]
        kinds = getattr(self._spark._jvm.org.apache.spark.sql.catalyst.catalog, "CatalogTableType$")
        values[1] = getattr(kinds, "MODULE$").MANAGED()  # behind the identifier
        self._state.catalog().alterTable(entry.copy(*values))

    def _parsed(self, shallow: str) -> Any:
        from pyspark.errors import ParseException

        try:
            return self._state.sqlParser().parsePlan(shallow)
        except ParseException:
            raise BadSql(_FORM) from None

    def _identifier_of(self, names: list[str]) -> Any:
        if len(names) == 3 and names[0] == "spark_catalog":
            names = names[1:]
        if len(names) > 2:
            raise BadSql(f"{self._name} is in another catalog, and DEEP CLONE makes tables in the session's own.")
        jvm = self._spark._jvm
        database = jvm.scala.Option.apply(names[0] if len(names) == 2 else None)
        return jvm.org.apache.spark.sql.catalyst.TableIdentifier(names[-1], database)

    def _path_for_table(self) -> Any:
        return self._qualified(self._location or self._state.catalog().defaultTablePath(self._identifier).toString())

    def _path_of_table(self) -> Any:
        entry = self._state.catalog().getTableMetadata(self._identifier)
        if not (entry.provider().isDefined() and entry.provider().get() == "delta"):
            raise BadSql(f"{self._name} is there and is no Delta table. DROP it first, or choose another name.")
        path = self._qualified(entry.location().toString())
        if self._location is not None and not self._qualified(self._location).equals(path):
            raise BadSql(
                f"{self._name} is at {path.toString()}, and LOCATION says {self._location}. Leave LOCATION out."
            )
        return path

    def _qualified(self, path: str) -> Any:
        found = self._spark._jvm.org.apache.hadoop.fs.Path(path)
        if not found.isAbsolute():
            raise BadSql(f"{path} is no absolute path. Begin it with a / or with a scheme such as file:/.")
        return found.getFileSystem(self._state.newHadoopConf()).makeQualified(found)


def _dict(mapping: Any) -> dict[str, str]:
    """Return a map of Scala's."""
    found, entries = {}, mapping.iterator()
    while entries.hasNext():
        entry = entries.next()
        found[entry._1()] = entry._2()
    return found


_COLUMNS: tuple[str, ...] = ("source_table_size", "source_num_of_files", "num_removed_files")
_COLUMNS += ("num_copied_files", "removed_files_size", "copied_files_size")


def run(spark: SparkSession, text: str) -> DataFrame:
    """Create or update the copy, and return one row with the figures that Databricks returns.

    The source's schema with its comments, properties, constraints, partitioning or clustering, deletion vectors and
    the progress of streams that write to it are copied; its description and history are not, as on Databricks.  Only
    files that the copy lacks are copied.  Files that the source no longer has are removed from the copy, whose older
    versions keep them until ``VACUUM``.  The copy's history gets one entry ``CLONE`` for each statement.

    Supported: names and paths, ``VERSION AS OF``, ``TIMESTAMP AS OF``, ``OR REPLACE``, ``IF NOT EXISTS``,
    ``LOCATION``, ``TBLPROPERTIES``.  A source that is not a Delta table, a used target and Spark Connect are errors.
    """
    __tracebackhide__ = True
    from pyspark.errors import PySparkException

    if not hasattr(spark, "_jvm"):
        raise NotAvailable(
            "DEEP CLONE needs a session whose driver runs here.", "Write CREATE TABLE ... AS SELECT instead."
        )
    statement = CloneStatement(text)
    try:
        return _run(spark, statement)
    except PySparkException as error:
        restore_positions(error, statement.shallow)
        raise


def _run(spark: SparkSession, statement: CloneStatement) -> DataFrame:
    target, source = CloneTarget(spark, statement), _source(spark, statement)
    if target.is_taken and target.if_not_exists:
        return _frame(spark, Metrics(0, 0)).limit(0)
    if not (target.replaces if target.is_taken else target.creates):
        return spark.sql(statement.shallow.text)  # which changes nothing: Spark says what is wrong
    if not target.is_taken:
        target.refuse_used_by_others(source)
    metrics = delta_copy.copy(spark, source, target.log, target.properties)
    if not target.is_taken and not target.is_path:
        target.register()
    return _frame(spark, metrics)


def _source(spark: SparkSession, statement: CloneStatement) -> CloneSource:
    """Return the table that a statement copies, at the version that it names."""
    from py4j.java_gateway import is_instance_of

    plan = spark.sql(statement.source_query)._jdf.queryExecution().analyzed()
    while plan.nodeName() in ("Project", "SubqueryAlias"):
        plan = plan.child()
    gateway, files = spark.sparkContext._gateway, "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
    index = "org.apache.spark.sql.delta.files.TahoeLogFileIndex"
    is_table = plan.nodeName() == "LogicalRelation" and is_instance_of(gateway, plan.relation(), files)
    if not is_table or not is_instance_of(gateway, plan.relation().location(), index):
        raise BadSql("What DEEP CLONE is to copy is no Delta table. Write CREATE TABLE ... AS SELECT instead.")
    snapshot, table = plan.relation().location().getSnapshot(), plan.catalogTable()
    path = f"delta.`{snapshot.dataPath().toString()}`"
    return CloneSource(snapshot, table.get().identifier().unquotedString() if table.isDefined() else path)


def _frame(spark: SparkSession, metrics: Metrics) -> DataFrame:
    columns = (f"{value}L AS {name}" for name, value in zip(_COLUMNS, astuple(metrics), strict=True))
    return spark.sql(f"SELECT {', '.join(columns)}")
