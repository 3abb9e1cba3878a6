"""Topics of a test, in place of Kafka's: records in one table, with the columns that Spark's Kafka source has."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from declarative_pipelines.errors import NotMocked
from declarative_pipelines.testing import mock_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLE = "__topics"
_SCHEMA = """
key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, timestampType INT,
headers ARRAY<STRUCT<key: STRING, value: BINARY>>
"""


@dataclass
class MockTopics:
    """The topics of a test.

    Parameters
    ----------
    table
        Where their records are, as SQL has it.
    """

    session: SparkSession
    table: str
    topics: set[str] = field(default_factory=set)
    _offsets: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add(self, topic: str, records: Iterable[Any]) -> None:
        """Append records to a topic: values, or objects with value, key, partition, timestamp and headers."""
        rows = [self._row(topic, record) for record in records]
        self.topics.add(topic)
        mock_tables.write(self.table, self.session.createDataFrame(rows, _SCHEMA), "append")

    def frame(self, options: Mapping[str, str], streaming: bool) -> DataFrame:
        """Return the records that a reader with these options asks for, from the first one on.

        Raises
        ------
        NotMocked
            A topic is not the test's.
        """
        asked = self._asked(options)
        for topic in asked:
            if topic not in self.topics:
                raise NotMocked(f"the topic {topic}", f"pipeline.mock_topic({topic!r}, [value, ...])")
        reader = self.session.readStream if streaming else self.session.read
        frame = reader.table(self.table).where(f"topic IN ({', '.join(map(repr, sorted(asked)))})")
        return frame if options.get("includeheaders", "false").lower() == "true" else frame.drop("headers")

    def _asked(self, options: Mapping[str, str]) -> set[str]:
        if "assign" in options:
            return set(json.loads(options["assign"]))
        if "subscribepattern" in options:
            pattern = options["subscribepattern"]
            return {topic for topic in self.topics if re.fullmatch(pattern, topic)} or {pattern}
        return {topic.strip() for topic in options.get("subscribe", "").split(",")}

    def _row(self, topic: str, record: Any) -> tuple[Any, ...]:
        fields = record if isinstance(record, Mapping) else {"value": record}
        partition = fields.get("partition", 0)
        offset = self._offsets[topic, partition]
        self._offsets[topic, partition] += 1
        headers = [(key, _bytes(value)) for key, value in fields.get("headers", ())]
        timestamp = fields.get("timestamp", datetime.now(UTC))
        key, value = _bytes(fields.get("key")), _bytes(fields.get("value"))
        return key, value, topic, partition, offset, timestamp, 0, headers or None


def _bytes(value: Any) -> bytearray | None:
    if value is None:
        return None
    if isinstance(value, str):
        return bytearray(value.encode())
    return bytearray(value if isinstance(value, bytes) else json.dumps(value).encode())
