"""Copies a Delta table's files and commits them, in Delta's own transaction, to a table of their own.

A file keeps its name, which no other has, so one that is there with its size has been copied before.  All that is
written is below the copy's directory, nothing at all is deleted, and the copy's log never names a file of the source.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from streaming_base.errors import BadSql

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

UNFINISHED = ".copying"  # behind the name of a file while it is copied
_ABOUT_ITSELF = ("id", "name", "description", "createdTime")
_CLUSTERING = "delta.clustering"
_OF_ONE_TABLE = "delta.rowTracking.materialized"  # properties that name columns in the files of one table alone
_VECTOR = re.compile(r"deletion_vector_([0-9a-f-]{36})\.bin$")


@dataclass(frozen=True)
class CloneSource:
    """A Delta table at a version: Delta's snapshot, and the name that the history records."""

    snapshot: Any
    name: str

    @property
    def root(self) -> Any:
        """Its directory."""
        return self.snapshot.dataPath()


@dataclass
class Metrics:
    """The figures of a copy, under Delta's names; sizes in bytes."""

    sourceTableSize: int
    sourceNumOfFiles: int
    numRemovedFiles: int = 0
    numCopiedFiles: int = 0
    removedFilesSize: int = 0
    copiedFilesSize: int = 0


@dataclass(frozen=True)
class _File:
    """A data file of the copy: its entry in the log, and the files to copy with their targets."""

    add: dict[str, Any]
    copies: tuple[tuple[Any, Any], ...]

    @property
    def key(self) -> tuple:
        return _key(self.add)


def copy(spark: SparkSession, source: CloneSource, log: Any, properties: Mapping[str, str]) -> Metrics:
    """Copy a source's files and metadata into a table, in one commit to the table's Delta log.

    Raises
    ------
    BadSql
        The directory of a new copy has files in it that are not the source's.
    """
    jvm = spark._jvm
    delta = jvm.org.apache.spark.sql.delta
    files = list(_files(jvm, source, log.dataPath()))
    metrics = Metrics(source.snapshot.sizeInBytes(), source.snapshot.numOfFiles())
    transaction = log.startTransaction()
    before = transaction.snapshot()
    is_new = before.version() < 0  # which takes the properties that the session gives new tables, where it has none
    transaction.updateMetadata(_action(jvm, _metadata(source, before, properties)), not is_new)
    if is_new:
        _refuse_strangers(spark, log.dataPath(), files)
    there = {_key(json.loads(add.json())["add"]): add for add in before.allFiles().collectAsList()}
    gone = [add for key, add in there.items() if key not in {file.key for file in files}]
    _copy_files(spark, files, metrics)
    metrics.numRemovedFiles, metrics.removedFilesSize = len(gone), sum(add.size() for add in gone)
    actions = [
        *(_action(jvm, {"add": file.add}) for file in files if file.key not in there),
        *(add.remove() for add in gone),
        *_streams_and_clustering(jvm, source, before),
    ]
    log.createLogDirectoriesIfNotExists()
    transaction.commitLarge(
        spark._jsparkSession,
        _seq(jvm, actions).iterator(),
        jvm.scala.Option.apply(transaction.protocol().merge(_seq(jvm, [source.snapshot.protocol()]))),
        getattr(delta, "DeltaOperations$Clone")(source.name, source.snapshot.version()),
        _map(jvm, {}),
        _map(jvm, {name: str(value) for name, value in vars(metrics).items()}),
    )
    return metrics


def is_first_copy(spark: SparkSession, log: Any, source: CloneSource) -> bool:
    """Whether a log's one version is a copy of a source, with files of its own."""
    snapshot = log.unsafeVolatileSnapshot()
    entry = spark.sql(f"DESCRIBE HISTORY delta.`{log.dataPath().toString()}`").first()
    if (
        snapshot.version() != 0
        or entry["operation"] != "CLONE"
        or entry["operationParameters"].get("source") != source.name
    ):
        return False
    return not any(_is_absolute(add.path()) for add in snapshot.allFiles().collectAsList())


def _refuse_strangers(spark: SparkSession, root: Any, files: list[_File]) -> None:
    """Raise BadSql if the directory has other files than a failed try left: VACUUM of the copy would remove them."""
    system = root.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    if not system.exists(root):
        return
    ours = {to.toString() for file in files for _, to in file.copies}
    found = system.listFiles(root, True)
    while found.hasNext():
        path = found.next().getPath().toString()
        if path.removesuffix(UNFINISHED) not in ours:
            raise BadSql(f"{root.toString()} is no place for the copy, there are files in it, such as {path}.")


def _files(jvm: Any, source: CloneSource, root: Any) -> Iterator[_File]:
    """Yield the source's files as files of a table in another directory."""
    absolute = jvm.org.apache.spark.sql.delta.util.DeltaFileOperations.absolutePath
    for found in source.snapshot.allFiles().collectAsList():
        add = json.loads(found.json())["add"]
        begin = absolute(source.root.toString(), add["path"])
        # A shallow clone's paths are absolute.
        add["path"] = add["path"].rpartition("/")[2] if _is_absolute(add["path"]) else add["path"]
        copies = [(begin, absolute(root.toString(), add["path"]))]
        if (vector := add.get("deletionVector")) and vector["storageType"] != "i":  # that one is in the log
            begin = found.deletionVector().absolutePath(source.root)
            name, own = _own_vector(jvm, vector, begin, source.root)
            add["deletionVector"] = vector | own
            copies.append((begin, jvm.org.apache.hadoop.fs.Path(root, name)))
        _refuse_outside(root, [to for _, to in copies])
        # A clone keeps no row IDs, on Databricks either.
        add = {key: value for key, value in add.items() if key not in ("baseRowId", "defaultRowCommitVersion")}
        yield _File(add | {"dataChange": True}, tuple(copies))


def _own_vector(jvm: Any, vector: dict[str, Any], path: Any, root: Any) -> tuple[str, dict[str, str]]:
    """Return the name of a deletion vector's file below the copy's directory, and its name in the log."""
    if vector["storageType"] == "u":  # its name is said already, relative to the table
        return path.toString().removeprefix(f"{root.toString()}/"), {}
    found = _VECTOR.search(path.toString())
    if found is None:
        raise BadSql(f"{path.toString()} is no file of deletion vectors whose name Delta knows.")
    codec = getattr(getattr(jvm.org.apache.spark.sql.delta.util, "Codec$Base85Codec$"), "MODULE$")
    encoded = codec.encodeUUID(jvm.java.util.UUID.fromString(found[1]))
    return found[0], {"storageType": "u", "pathOrInlineDv": encoded}


def _refuse_outside(root: Any, paths: list[Any]) -> None:
    """Raise BadSql if a file of the log is outside the table, by ``..`` in its name."""
    for path in paths:
        if not path.toString().startswith(f"{root.toString()}/"):
            raise BadSql(f"{path.toString()} would be outside of the copy's directory {root.toString()}.")


def _copy_files(spark: SparkSession, files: list[_File], metrics: Metrics) -> None:
    """Copy missing files, each complete before it is visible, and count the data files."""
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    for file in files:
        (begin, to), *vectors = file.copies
        if _copy_file(spark._jvm, conf, begin, to, file.add["size"]):
            metrics.numCopiedFiles += 1
            metrics.copiedFilesSize += file.add["size"]
        for begin, to in vectors:
            _copy_file(spark._jvm, conf, begin, to, begin.getFileSystem(conf).getFileStatus(begin).getLen())


def _copy_file(jvm: Any, conf: Any, begin: Any, to: Any, size: int) -> bool:
    """Copy one file unless it exists; return whether it was copied."""
    files = to.getFileSystem(conf)
    if files.exists(to) and files.getFileStatus(to).getLen() == size:
        return False
    unfinished = jvm.org.apache.hadoop.fs.Path(to.toString() + UNFINISHED)
    jvm.org.apache.hadoop.fs.FileUtil.copy(begin.getFileSystem(conf), begin, files, unfinished, False, True, conf)
    if not files.rename(unfinished, to):
        raise OSError(f"{unfinished.toString()} could not be renamed to {to.toString()}")
    return True


def _metadata(source: CloneSource, before: Any, properties: Mapping[str, str]) -> dict[str, Any]:
    """Return the schema and properties of the copy; its own name and id stay."""
    theirs, own = (json.loads(snapshot.metadata().json())["metaData"] for snapshot in (source.snapshot, before))
    is_new = before.version() < 0
    kept = (
        {} if is_new else {key: value for key, value in own["configuration"].items() if key.startswith(_OF_ONE_TABLE)}
    )
    about = {"id": str(uuid4()), "createdTime": time.time_ns() // 1_000_000} if is_new else own
    names = {key: about[key] for key in _ABOUT_ITSELF if key in about}
    schema = {key: value for key, value in theirs.items() if key not in _ABOUT_ITSELF}
    return {"metaData": schema | names | {"configuration": theirs["configuration"] | dict(properties) | kept}}


def _streams_and_clustering(jvm: Any, source: CloneSource, before: Any) -> Iterator[Any]:
    """Yield the actions for the streams' progress and the clustering of the source."""
    transactions = source.snapshot.setTransactions()
    yield from (transactions.apply(number) for number in range(transactions.size()))
    theirs, own = (_clustering(snapshot) for snapshot in (source.snapshot, before))
    if theirs is not None:
        yield theirs
    elif own is not None:
        removed = json.loads(own.json())["domainMetadata"] | {"removed": True}
        yield _action(jvm, {"domainMetadata": removed})


def _clustering(snapshot: Any) -> Any | None:
    domains = snapshot.domainMetadata()
    found = (domains.apply(number) for number in range(domains.size()))
    return next((domain for domain in found if domain.domain() == _CLUSTERING), None)


def _key(add: dict[str, Any]) -> tuple:
    """Return the identity of a log entry: its file and its deletion vector."""
    vector = add.get("deletionVector") or {}
    return (add["path"], vector.get("storageType"), vector.get("pathOrInlineDv"), vector.get("offset"))


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or re.match(r"[A-Za-z][\w+.-]*:", path) is not None


def _action(jvm: Any, action: dict[str, Any]) -> Any:
    return jvm.org.apache.spark.sql.delta.actions.Action.fromJson(json.dumps(action))


def _seq(jvm: Any, items: list[Any]) -> Any:
    return jvm.org.apache.spark.api.python.PythonUtils.toSeq(items)


def _map(jvm: Any, items: dict[str, str]) -> Any:
    return jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(items)
