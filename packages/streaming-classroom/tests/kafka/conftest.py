"""One broker for all tests that need no broker of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from streaming_classroom.kafka import broker, servers
from streaming_classroom.kafka.topics import LessonKafka
from streaming_classroom.lesson import lesson as lesson_module
from streaming_classroom.lesson.lesson import Lesson, start_lesson

# A kernel that asks for a broker, says where it is, and survives an interrupt as a kernel does.
KERNEL = """
import signal, sys
from streaming_classroom.kafka import servers
signal.signal(signal.SIGINT, lambda *_: None)
print(servers.bootstrap_servers(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="session")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give the folder of the shared broker, which ends with the tests."""
    yield tmp_path_factory.mktemp("home") / "kafka"
    broker.stop_own()


@pytest.fixture
def address(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return where the shared broker answers; if a test has stopped it, it is started again."""
    monkeypatch.delenv(servers.VARIABLE, raising=False)
    monkeypatch.setattr(broker, "folder", lambda: _folder)
    return servers.bootstrap_servers()


@pytest.fixture
def kafka(address: str, tmp_path: Path) -> Iterator[LessonKafka]:
    """Give the topics of a lesson, without the lesson and its Spark."""
    kafka = LessonKafka("learner_kafka-", tmp_path / "mark")
    yield kafka
    kafka._clear()


@pytest.fixture
def DA(spark: SparkSession, address: str) -> Iterator[Lesson]:
    """Start a lesson whose data land in a topic."""
    yield start_lesson("Kafka", dataset="wikipedia/edits", into_topic="edits")
    lesson_module.cleanup()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give this process a home that is not there yet, without a broker; what is started in it is stopped."""
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / "häuslich mit Leerzeichen"))
    monkeypatch.delenv(servers.VARIABLE, raising=False)
    monkeypatch.setattr(broker, "_started", set())
    yield tmp_path / "häuslich mit Leerzeichen"
    broker.stop_own()
    broker.stop()


@pytest.fixture
def kernel(home: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start another kernel in that home; the first line it prints is the address of its broker."""
    started = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", KERNEL]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True))
        return started[-1]

    yield start
    for process in started:
        process.communicate(timeout=120)


@pytest.fixture
def read(spark: SparkSession) -> Callable[..., DataFrame]:
    """Read what is in a topic."""

    def read(address: str, topic: str, **options: str) -> DataFrame:
        reader = spark.read.format("kafka").option("kafka.bootstrap.servers", address).option("subscribe", topic)
        return reader.option("includeHeaders", True).options(**options).load()

    return read


@pytest.fixture
def write() -> Callable[[DataFrame, str, str], None]:
    """Write a frame's rows to a topic."""

    def write(frame: DataFrame, address: str, topic: str) -> None:
        frame.write.format("kafka").option("kafka.bootstrap.servers", address).option("topic", topic).save()

    return write
