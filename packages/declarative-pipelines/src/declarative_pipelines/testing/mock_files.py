"""Files, tables and topics of a test, in place of those that its pipeline reads: a folder of the test for each path."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from declarative_pipelines.errors import BadArgument, NotMocked, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

TABLE = "__topics"
_SCHEMA = """
key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, timestampType INT,
headers ARRAY<STRUCT<key: STRING, value: BINARY>>
"""


@dataclass
class MockTopics:
    """The topics of a test; ``table`` has their records, as SQL names it."""

    session: SparkSession
    table: str
    topics: set[str] = field(default_factory=set)
    _offsets: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add(self, topic: str, records: Iterable[Any]) -> None:
        """Append records to a topic: values, or objects with value, key, partition, timestamp and headers."""
        rows = [self._row(topic, record) for record in records]
        self.topics.add(topic)
        write(self.table, self.session.createDataFrame(rows, _SCHEMA), "append")

    def frame(self, options: Mapping[str, str], streaming: bool) -> DataFrame:
        """Return the records for a reader with these options; NotMocked for a topic that the test lacks."""
        asked = {topic.strip() for topic in options.get("subscribe", "").split(",")}
        if "assign" in options:
            asked = set(json.loads(options["assign"]))
        elif pattern := options.get("subscribepattern"):
            asked = {topic for topic in self.topics if re.fullmatch(pattern, topic)} or {pattern}
        for topic in asked:
            if topic not in self.topics:
                raise NotMocked(f"the topic {topic}", f"pipeline.mock_topic({topic!r}, [value, ...])")
        reader = self.session.readStream if streaming else self.session.read
        frame = reader.table(self.table).where(f"topic IN ({', '.join(map(repr, sorted(asked)))})")
        return frame if options.get("includeheaders", "false").lower() == "true" else frame.drop("headers")

    def _row(self, topic: str, record: Any) -> tuple[Any, ...]:
        fields = record if isinstance(record, Mapping) else {"value": record}
        partition = fields.get("partition", 0)
        offset = self._offsets[topic, partition]
        self._offsets[topic, partition] += 1
        headers = [(key, _kafka_bytes(value)) for key, value in fields.get("headers", ())]
        timestamp = fields.get("timestamp", datetime.now(UTC))
        key, value = _kafka_bytes(fields.get("key")), _kafka_bytes(fields.get("value"))
        return key, value, topic, partition, offset, timestamp, 0, headers or None


def _kafka_bytes(value: Any) -> bytearray | None:
    if value is None:
        return None
    if isinstance(value, str):
        return bytearray(value.encode())
    return bytearray(value if isinstance(value, bytes) else json.dumps(value).encode())


def write(table: str, frame: DataFrame, mode: str, form: str = "parquet") -> None:
    """Write a frame to a table of the test, in one file; Parquet readers have no log to read first."""
    writer = frame.coalesce(1).write.format(form).mode(mode)
    if form == "delta" and mode == "overwrite":
        writer = writer.option("overwriteSchema", "true")
    writer.saveAsTable(table)


def frame_of(session: SparkSession, name: str, rows: Any, schema: str | StructType | None) -> DataFrame:
    """Return rows as a frame, by names or in the order of the schema.

    Raises BadArgument if the types cannot be inferred, or a row has a column that the schema lacks.
    """
    from pyspark.errors import PySparkTypeError, PySparkValueError
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    fields: Any = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    if isinstance(rows, DataFrame):
        return rows if fields is None else rows.to(fields)
    if not isinstance(rows, Iterable) or hasattr(rows, "columns"):  # a frame of pandas or Arrow
        return session.createDataFrame(rows, fields)
    rows = list(rows)
    if fields is not None:
        return session.createDataFrame([_in_order(name, row, fields.fieldNames()) for row in rows], fields)
    given = [_by_name(row) for row in rows]
    if not given or None in given:
        what = "no rows" if not given else "rows without names of columns"
        raise BadArgument(f"{name} is mocked with {what}. Give their types: schema='id INT, amount DOUBLE'.")
    names = list(dict.fromkeys(column for row in given for column in row))
    try:
        return session.createDataFrame([tuple(row.get(column) for column in names) for row in given], names)
    except (PySparkTypeError, PySparkValueError) as error:
        said = error.getMessage() or str(error)
        raise BadArgument(f"The types of {name} are not to be told from its rows: {said} Give schema=.") from error


def _in_order(name: str, row: Any, columns: Sequence[str]) -> tuple[Any, ...]:
    by_name = _by_name(row)
    if by_name is None:
        return tuple(row)
    unknown = [column for column in by_name if column not in columns]
    if unknown:
        there = f"It has {', '.join(columns)}.{did_you_mean(unknown[0], columns)}"
        raise BadArgument(f"{name} has no column {unknown[0]}, which a mocked row has. {there}")
    return tuple(by_name.get(column) for column in columns)


def _by_name(row: Any) -> dict[str, Any] | None:
    """Return a row's values by name; None where it has no names."""
    if isinstance(row, Mapping):
        return dict(row)
    return dict(zip(row.__fields__, row, strict=True)) if hasattr(row, "__fields__") else None


_SCHEME = re.compile(r"^(?:file|dbfs):/*(?=/)")


@dataclass
class MockFiles:
    """The folders of a test by the paths that they replace; files below ``root`` need no mock."""

    root: Path
    folders: dict[str, Path] = field(default_factory=dict)

    def folder(self, path: str, there: Path | None = None) -> Path:
        """Return the folder that replaces a path, created if necessary."""
        path = _plain(path)
        if there is not None:
            self.folders[path] = there.resolve()
        if path not in self.folders:
            self.folders[path] = self.root / "files" / str(len(self.folders))
            self.folders[path].mkdir(parents=True)
        return self.folders[path]

    def add(self, path: str, files: Mapping[str, Any]) -> Path:
        """Put files into the folder that stands for a path: text, bytes, or a list of objects as lines of JSON."""
        folder = self.folder(path)
        for name, content in files.items():
            to = folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            if not isinstance(content, str | bytes):
                content = "".join(json.dumps(one) + "\n" for one in content)
            to.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    def path(self, path: str) -> str:
        """Return the test's path in place of a path; NotMocked if no mock covers it."""
        plain = _plain(path)
        if any(Path(plain).is_relative_to(folder) for folder in (self.root, *self.folders.values())):
            return path  # a reader that gives its path to another one
        found = max((one for one in self.folders if plain == one or plain.startswith(f"{one}/")), key=len, default=None)
        if found is None:
            raise NotMocked(f"the path {path}", f"pipeline.mock_files({path!r}, {{'name': content}})")
        return self.folders[found].as_uri() + plain[len(found) :]

    def kept(self, path: str) -> str:
        """Return the test's place for something stored at a path, such as inferred schemas."""
        plain = _plain(path)
        if Path(plain).is_relative_to(self.root):
            return path
        return (self.root / "kept" / re.sub(r"\W+", "_", plain).strip("_")).as_uri()


def _plain(path: str) -> str:
    return _SCHEME.sub("", path).rstrip("/") or "/"
