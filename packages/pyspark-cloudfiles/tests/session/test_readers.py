"""A stream reader that loads cloudFiles for somebody, without a session."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql.types import IntegerType, StructField, StructType

from pyspark_cloudfiles import wrappers
from pyspark_cloudfiles.errors import CloudFilesWarning

GIVEN = StructType([StructField("id", IntegerType(), nullable=False)])


class Reader:
    """Plays Spark Connect's reader, and tells what it was asked to load."""

    def __init__(self, session: Any) -> None:
        self._client, self.said = session, {}

    def format(self, source: str) -> Reader:
        self.said["format"] = source
        return self

    def schema(self, schema: Any) -> Reader:
        self.said["schema"] = schema
        return self

    def name(self, name: str) -> Reader:
        self.said["name"] = name
        return self

    def option(self, key: str, value: Any) -> Reader:
        self.said[key.lower()] = value
        return self

    def options(self, **options: Any) -> Reader:
        for key, value in options.items():
            self.option(key, value)
        return self

    def load(self, path: Any = None) -> Any:
        said = self.said if path is None else self.said | {"path": path}
        return SimpleNamespace(_plan=said, _session=self._client)  # a frame, with what was asked in place of its plan


class Session:
    """Plays a session over Spark Connect with a server somewhere."""

    def __init__(self, host: str = "localhost") -> None:
        self.client = SimpleNamespace(host=host)
        self.conf = SimpleNamespace(get={"spark.sql.session.timeZone": "Europe/Berlin"}.get)
        self.dataSource = SimpleNamespace(register=lambda source: None)
        self.kind = type("Reader", (Reader,), {})
        wrappers.wrap_reader(self.kind)

    @property
    def readStream(self) -> Reader:
        return self.kind(self)


@pytest.fixture(autouse=True)
def strict() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", CloudFilesWarning)
        yield


def test_what_the_user_said_arrives_with_what_the_session_knows():
    reader = Session().readStream.format("cloudFiles").name("files").option("cloudFiles.format", "json")
    loaded = reader.options(header=True, sep=None).option("cloudFiles.schemaLocation", "/c").load("/in")
    assert loaded._plan == {
        "format": "cloudFiles", "name": "files", "cloudfiles.format": "json", "cloudfiles.schemalocation": "/c",
        "header": "true", "path": "/in", "__cloudfiles.timezone": "Europe/Berlin",
    }  # fmt: skip


def test_the_users_reader_stays_the_users():
    reader = Session().readStream.format("cloudFiles").option("cloudFiles.schemaLocation", "/c")
    reader.load("/in")
    assert not any(key.startswith("__cloudfiles") for key in reader.said)
    assert reader.format("json").load("/in")._plan == {
        "format": "json",
        "cloudFiles.schemaLocation".lower(): "/c",
        "path": "/in",
    }


def test_a_schema_is_completed_as_file_sources_do():
    reader = Session().readStream.format("cloudFiles").option("cloudFiles.schemaLocation", "/c")
    schema = reader.option("rescuedDataColumn", "rest").schema(GIVEN).load("/in")._plan["schema"]
    assert [(field.name, field.nullable) for field in schema.fields] == [("id", True), ("rest", True)]


def test_what_is_no_path_is_left_to_spark():
    assert Session().readStream.format("cloudFiles").load(7)._plan == {"format": "cloudFiles", "path": 7}
