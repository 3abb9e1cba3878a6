"""``COPY INTO``: each file goes into a Delta table once, whenever a statement is killed.

What was copied is recorded in the table's folder, in ``_copy_into_log``: a file for each statement, numbered from 1,
with the paths that it copied.  It is written first; Delta then commits the rows and the number in one transaction (its
action ``txn``).  A number that Delta does not know belongs to a statement that was killed, and the next statement
writes that file again.  A lock keeps two statements on one table apart.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from notebook_dialect.catalogs.statement_reader import StatementReader
from notebook_dialect.catalogs.store import CatalogError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader

    from notebook_dialect.catalogs.session_catalogs import SessionCatalogs

LOG = "_copy_into_log"
LOCK_TIMEOUT = 600.0  # seconds to wait for another statement on the same table
APPLICATION = "copy-into"
_RESULT = "num_affected_rows BIGINT, num_inserted_rows BIGINT, num_skipped_corrupt_files BIGINT"
_FORMATS = ("CSV", "JSON", "AVRO", "ORC", "PARQUET", "TEXT", "BINARYFILE", "XML")
_LEAVE_OUT = "ignoreCorruptFiles"
_VALIDATED_ROWS = 50  # as many as the platform shows


@dataclass
class CopyStatement:
    """The parts of a statement; ``columns`` is None without a list, and ``validated_rows`` without VALIDATE."""

    target: list[str]
    source: str = ""
    file_format: str = ""
    select: str = ""
    condition: str = ""
    by_position: bool = False
    columns: list[str] | None = None
    files: list[str] | None = None
    pattern: str | None = None
    validated_rows: int | None = None
    format_options: dict[str, str] = field(default_factory=dict)
    copy_options: dict[str, str] = field(default_factory=dict)

    def copy_option(self, name: str) -> bool:
        """Whether an option of COPY_OPTIONS is true; their names have no case."""
        found = {key.lower(): value for key, value in self.copy_options.items()}
        return found.get(name.lower(), "false").lower() == "true"

    @property
    def leaves_out_corrupt_files(self) -> bool:
        """Whether a file that cannot be read is left out, and tried again by the next statement."""
        found = {key.lower(): value for key, value in self.format_options.items()}
        return found.get(_LEAVE_OUT.lower(), "false").lower() == "true"


def copy_into(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    """Copy the files that the table does not have yet; return the platform's row of counts."""
    from filelock import FileLock, Timeout

    statement = parse(reader)
    table = _table(catalogs, statement.target)
    detail = catalogs.execute(f"DESCRIBE DETAIL {table}").first()
    assert detail is not None
    if detail["format"] != "delta":
        raise CatalogError("COPY_INTO_NON_DELTA", f"{table} is not a Delta table.")
    location = str(detail["location"])
    log = catalogs.files.local_path(location) / LOG
    log.mkdir(exist_ok=True)
    try:
        with FileLock(log / ".lock", timeout=LOCK_TIMEOUT):
            return _copy(catalogs, statement, table, location, log)
    except Timeout:
        sentence = f"Another COPY INTO {table} has been running for {LOCK_TIMEOUT / 60:.0f} minutes. Wait for its end."
        raise CatalogError("CONCURRENT_COPY_INTO", sentence) from None


def _copy(catalogs: SessionCatalogs, statement: CopyStatement, table: str, location: str, log: Path) -> DataFrame:
    committed = _committed(catalogs, location, log.parent / "_delta_log")
    known = set() if statement.copy_option("force") else _copied(log, committed)
    new = [path for path in source_files(catalogs, statement) if path not in known]
    if statement.validated_rows is not None:
        rows = _rows(catalogs, statement, new, location) if new else catalogs.no_rows()
        return rows.limit(min(statement.validated_rows, _VALIDATED_ROWS))
    left_out = _corrupt_files(catalogs, statement, new) if statement.leaves_out_corrupt_files else []
    new = [path for path in new if path not in left_out]
    if not new:
        return catalogs.frame(_RESULT, [(0, 0, len(left_out))])
    half = log / f".{committed + 1}.half"
    half.write_text(json.dumps(new), encoding="utf-8")
    half.replace(log / f"{committed + 1}.json")
    before = _last_commit(catalogs, table)["version"]
    try:
        writer = _rows(catalogs, statement, new, location).write.format("delta").mode("append")
        writer = writer.option("txnAppId", APPLICATION).option("txnVersion", committed + 1)
        writer.option("mergeSchema", str(statement.copy_option("mergeSchema")).lower()).save(location)
    except (PySparkException, Py4JJavaError):
        if corrupt := _corrupt_files(catalogs, statement, new):
            sentence = f"{corrupt[0]} cannot be read as {statement.file_format}. Repair it, or leave such files out: "
            raise CatalogError("FAILED_READ_FILE", f"{sentence}FORMAT_OPTIONS ('{_LEAVE_OUT}' = 'true').") from None
        raise
    last = _last_commit(catalogs, table)
    rows_written = int(last["operationMetrics"].get("numOutputRows", 0)) if last["version"] > before else 0
    return catalogs.frame(_RESULT, [(rows_written, rows_written, len(left_out))])


def _corrupt_files(catalogs: SessionCatalogs, statement: CopyStatement, files: list[str]) -> list[str]:
    """Return the files that Spark cannot read, each of which is read for it once more."""
    options = {key: value for key, value in statement.format_options.items() if key.lower() != _LEAVE_OUT.lower()}
    reader = catalogs.spark.read.format(statement.file_format.lower()).options(**options)
    return [file for file in files if not _is_readable(reader, file)]


def _is_readable(reader: DataFrameReader, file: str) -> bool:
    try:
        reader.load(file).write.format("noop").mode("overwrite").save()
    except (PySparkException, Py4JJavaError):  # the second by a footer without a schema
        return False
    return True


def parse(reader: StatementReader) -> CopyStatement:
    """Return the parts of a statement behind ``COPY INTO``."""
    statement = CopyStatement(reader.name())
    if reader.take("BY POSITION"):
        statement.by_position = True
    elif reader.take("("):
        statement.columns = [part.strip(" `\n") for part in reader.within_parentheses().split(",")]
    reader.require("FROM")
    if reader.take("("):
        inner = StatementReader(reader.within_parentheses())
        inner.require("SELECT")
        first = inner.position
        while not inner.take("FROM"):
            inner.next()
        begin, end = inner.tokens[first].start, inner.tokens[inner.position - 1].start
        statement.select = inner.text[begin:end].strip()
        statement.source, statement.condition = inner.string(), inner.rest()
    else:
        statement.source = reader.string()
    reader.require("FILEFORMAT =")
    statement.file_format = reader.value().upper()
    if statement.file_format not in _FORMATS:
        sentence = f"FILEFORMAT must be one of {', '.join(_FORMATS)}; it is {statement.file_format}."
        raise CatalogError("COPY_INTO_SOURCE_FILE_FORMAT_NOT_SUPPORTED", sentence)
    while clause := reader.take_one("VALIDATE", "FILES =", "PATTERN =", "FORMAT_OPTIONS", "COPY_OPTIONS"):
        _read_clause(statement, clause, reader)
    reader.require_end()
    if statement.files is not None and statement.pattern is not None:
        raise CatalogError("COPY_INTO_SYNTAX_ERROR", "Give either FILES or PATTERN, not both.")
    return statement


def _read_clause(statement: CopyStatement, clause: str, reader: StatementReader) -> None:
    if clause == "VALIDATE":
        statement.validated_rows = _VALIDATED_ROWS
        if not reader.take("ALL") and not reader.is_at_end and reader.tokens[reader.position].text.isdigit():
            statement.validated_rows = int(reader.value())
            reader.require("ROWS")
    elif clause == "FILES =":
        statement.files = list(reader.pairs())
        if not statement.files or len(statement.files) > 1000:
            raise CatalogError(
                "COPY_INTO_SYNTAX_ERROR", f"FILES has {len(statement.files)} files; 1 to 1000 are allowed."
            )
    elif clause == "PATTERN =":
        statement.pattern = reader.string()
    elif clause == "FORMAT_OPTIONS":
        statement.format_options = reader.pairs()
    else:
        statement.copy_options = reader.pairs()


def source_files(catalogs: SessionCatalogs, statement: CopyStatement) -> list[str]:
    """Return the paths of the source's files, in order; names that begin with ``_`` or ``.`` are left out."""
    root = catalogs.files.local_path(statement.source)
    base = catalogs.files.canonical(statement.source).rstrip("/")
    if not root.exists():
        raise CatalogError("PATH_NOT_FOUND", f"{statement.source} does not exist.")
    if root.is_file():
        return [base]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(("_", ".")))
        visible = [name for name in sorted(names) if not name.startswith(("_", "."))]
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in visible]
    if statement.files is not None:
        if missing := sorted(set(statement.files) - set(found)):
            raise CatalogError("PATH_NOT_FOUND", f"{missing[0]} is not in {statement.source}.")
        found = [path for path in found if path in statement.files]
    if statement.pattern is not None:
        matched = _matches(catalogs, f"{base}/{statement.pattern}")
        found = [path for path in found if any(f"{base}/{path}/".startswith(f"{match}/") for match in matched)]
    return [f"{base}/{path}" for path in found]


def _matches(catalogs: SessionCatalogs, glob: str) -> list[str]:
    """Return the files and directories that match a glob, by Hadoop's own rules; over Spark Connect only the files."""
    spark = catalogs.spark
    if not hasattr(spark, "_jvm"):
        return _matching_files(catalogs, glob)
    path = spark._jvm.org.apache.hadoop.fs.Path(glob)
    found = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).globStatus(path) or []
    return [catalogs.files.canonical("dbfs:" + status.getPath().toUri().getPath()) for status in found]


def _matching_files(catalogs: SessionCatalogs, glob: str) -> list[str]:
    from pyspark.errors import AnalysisException

    reader = catalogs.spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    try:
        found = reader.load(glob).inputFiles()
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return []
        raise
    return [catalogs.files.canonical(f"dbfs:{unquote(urlsplit(address).path)}") for address in found]


def _rows(catalogs: SessionCatalogs, statement: CopyStatement, files: list[str], location: str) -> DataFrame:
    """Return the rows of files as the table takes them."""
    options = {key: value for key, value in statement.format_options.items() if key.lower() != "mergeschema"}
    rows = catalogs.spark.read.format(statement.file_format.lower()).options(**options).load(files)
    if statement.select:
        rows.createOrReplaceTempView("__copy_into_source")
        rows = catalogs.execute(f"SELECT {statement.select} FROM __copy_into_source {statement.condition}")
    columns = statement.columns
    if statement.by_position:
        columns = catalogs.spark.read.format("delta").load(location).columns[: len(rows.columns)]
    if columns is not None and len(columns) != len(rows.columns):
        sentence = f"The table gets {len(columns)} columns, and the files have {len(rows.columns)}."
        raise CatalogError("COPY_INTO_COLUMN_ARITY_MISMATCH", sentence)
    return rows if columns is None else rows.toDF(*columns)


def _table(catalogs: SessionCatalogs, name: list[str]) -> str:
    if len(name) == 2 and name[0].lower() == "delta":
        return f"delta.`{name[1]}`"
    return ".".join(f"`{part}`" for part in catalogs.full_name(name))


def _committed(catalogs: SessionCatalogs, location: str, delta_log_folder: Path) -> int:
    """Return the number of the last statement whose rows are in the table."""
    if not hasattr(catalogs.spark, "_jvm"):
        return _last_in_commits(delta_log_folder)
    jvm = catalogs.spark._jvm
    none = jvm.scala.Option.empty
    delta_log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(catalogs.spark._jsparkSession, location)
    found = delta_log.update(False, none(), none()).transactions().get(APPLICATION)
    return int(found.get()) if found.isDefined() else 0


def _last_in_commits(delta_log_folder: Path) -> int:
    """Return the same from the table's commits, which Delta keeps for 30 days."""
    for commit in sorted(delta_log_folder.glob("*.json"), reverse=True):
        for line in commit.read_text(encoding="utf-8").splitlines():
            transaction = json.loads(line).get("txn", {})
            if transaction.get("appId") == APPLICATION:
                return int(transaction["version"])
    return 0


def _copied(log: Path, committed: int) -> set[str]:
    logs = (log / f"{number}.json" for number in range(1, committed + 1))
    return {path for file in logs for path in json.loads(file.read_text(encoding="utf-8"))}


def _last_commit(catalogs: SessionCatalogs, table: str) -> dict:
    last = catalogs.execute(f"DESCRIBE HISTORY {table} LIMIT 1").first()
    assert last is not None
    return last.asDict()
