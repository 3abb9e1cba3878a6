from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import psutil
import pytest
from pyspark.sql import DataFrame, SparkSession

from streaming_classroom import kafka, kafka_broker, ownership, places
from streaming_classroom.errors import BrokerStartError, JarsUnavailable, NotHere, SetupError
from streaming_classroom.setup import java, reset

pytestmark = pytest.mark.kernel

# A kernel that asks for a broker, says where it is, and survives an interrupt as a kernel does.
KERNEL = """
import signal, sys
from streaming_classroom import kafka
signal.signal(signal.SIGINT, lambda *_: None)
print(kafka.bootstrap_servers(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the tests of this module a home of their own, in which one broker is enough."""
    home = tmp_path_factory.mktemp("häuslich mit Leerzeichen")
    with patch.dict(os.environ, {"CLASSROOM_HOME": str(home)}):
        os.environ.pop(kafka.VARIABLE, None)
        yield
        kafka.stop()


@pytest.fixture
def address(_home: None) -> str:
    return kafka.bootstrap_servers()


@pytest.fixture
def nothing_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make this process one that has not asked for a broker yet, in a home that is not there; return it."""
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(kafka.VARIABLE, raising=False)
    monkeypatch.setattr(kafka, "_running", None)
    return tmp_path / "home"


@pytest.fixture
def messages_of_before(nothing_started: Path) -> Path:
    """Return the directory of a broker's messages in that home, which an earlier kernel has made; it is empty."""
    directory = ownership.claim(nothing_started) / "kafka" / "1" / "messages"
    directory.mkdir(parents=True)
    return directory


@pytest.fixture
def kernel(nothing_started: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start another kernel in the same empty home; the first line it prints is the address of its broker."""
    started = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", KERNEL]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True))
        return started[-1]

    yield start
    for process in started:
        process.communicate(timeout=20)


@pytest.fixture
def broken_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a Java in place of the machine's that does what a line of shell says."""

    def put(line: str) -> None:
        program = tmp_path / "jdk" / "bin" / java.EXECUTABLE
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        program.chmod(0o755)
        (program.parents[1] / "release").write_text('JAVA_VERSION="17"', encoding="utf-8")
        monkeypatch.setenv("JAVA_HOME", str(program.parents[1]))

    return put


def messages(spark: SparkSession, address: str, topic: str) -> DataFrame:
    frame = spark.read.format("kafka").option("kafka.bootstrap.servers", address).option("subscribe", topic)
    return frame.option("includeHeaders", True).load()


def write(frame: DataFrame, address: str, topic: str) -> None:
    frame.write.format("kafka").option("kafka.bootstrap.servers", address).option("topic", topic).save()


def numbers(spark: SparkSession, count: int) -> DataFrame:
    return spark.range(count).selectExpr("CAST(id AS STRING) AS key", "CAST(id * id AS STRING) AS value")


def answers(address: str) -> bool:
    return kafka_broker._answers(int(address.rpartition(":")[2]))


def jvms_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return [child for child in psutil.Process(process.pid).children(recursive=True) if "kafka.Kafka" in child.cmdline()]


def test_an_id_of_a_cluster_never_looks_like_an_option(monkeypatch) -> None:
    made = [uuid.UUID(bytes=bytes([first]) + bytes(15)) for first in (0xF8, 0xFB, 0x00)]  # the first two give a "-"
    monkeypatch.setattr(kafka_broker.uuid, "uuid4", lambda: made.pop(0))
    assert kafka_broker._cluster_id() == "A" * 22
    assert made == []


def test_a_message_has_key_value_headers_partition_and_offset(spark: SparkSession, address: str) -> None:
    header = "array(struct('unit' AS key, CAST('V' AS BINARY) AS value)) AS headers"
    columns = ("CAST(id AS STRING) AS key", "concat('v', id) AS value", header, "CAST(id % 2 AS INT) AS partition")
    write(spark.range(6).coalesce(1).selectExpr(*columns), address, "facts")
    rows = messages(spark, address, "facts").orderBy("partition", "offset").collect()
    assert [(row.partition, row.offset) for row in rows] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert [(bytes(row.key), bytes(row.value)) for row in rows[3:]] == [(b"1", b"v1"), (b"3", b"v3"), (b"5", b"v5")]
    assert {(row.topic, row.headers[0].key, bytes(row.headers[0].value)) for row in rows} == {("facts", "unit", b"V")}


def test_a_topic_comes_into_being_with_two_partitions(spark: SparkSession, address: str) -> None:
    write(numbers(spark, 40), address, "new")
    assert {row.partition for row in messages(spark, address, "new").collect()} == {0, 1}


def test_a_stream_writes_to_a_topic_and_another_reads_it_in_limited_batches(
    spark: SparkSession, address: str, tmp_path: Path
) -> None:
    write(numbers(spark, 10), address, "in")

    def stream(topic: str, name: str, most: int):
        reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", address)
        reader = reader.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", most)
        frame = reader.option("subscribe", topic).load().selectExpr("key", "CAST(value AS STRING) AS value")
        checkpoint = (tmp_path / name).as_uri()
        return frame.writeStream.queryName(name).option("checkpointLocation", checkpoint).trigger(availableNow=True)

    through = stream("in", "kafka_through", 100).format("kafka").option("kafka.bootstrap.servers", address)
    assert through.option("topic", "out").start().awaitTermination(30)
    back = stream("out", "kafka_back", 4).format("memory").start()
    assert back.awaitTermination(30)
    sizes = [progress["numInputRows"] for progress in back.recentProgress if progress["numInputRows"]]
    assert sum(sizes) == 10
    assert max(sizes) <= 4
    values = sorted(int(row.value) for row in spark.table("kafka_back").collect())
    assert values == [number * number for number in range(10)]


def test_a_broker_that_is_up_is_used_again(address: str) -> None:
    assert kafka.bootstrap_servers() == address


def test_a_program_that_this_kernel_starts_finds_its_broker(address: str) -> None:
    code = "from streaming_classroom import kafka; print(kafka.bootstrap_servers(), kafka._running)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30).stdout
    assert found.split() == [address, "None"]


def test_a_forked_process_does_not_stop_the_broker_of_its_parent(address: str, monkeypatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    kafka.stop()
    assert kafka.bootstrap_servers() == address
    assert answers(address)


def test_reset_leaves_a_home_alone_whose_broker_is_up(address: str) -> None:
    with pytest.raises(SetupError, match="open in a kernel"):
        reset.remove(places.home())


def test_after_a_stop_it_is_gone_and_a_second_stop_does_nothing(address: str) -> None:
    kafka.stop()
    kafka.stop()
    assert not answers(address)
    assert kafka.VARIABLE not in os.environ


def test_a_broker_started_again_has_the_messages(spark: SparkSession, address: str) -> None:
    write(numbers(spark, 5), address, "kept")
    kafka.stop()
    assert messages(spark, kafka.bootstrap_servers(), "kept").count() == 5


def test_a_broker_that_died_is_started_again(spark: SparkSession, address: str) -> None:
    assert kafka._running is not None
    write(numbers(spark, 5), address, "survives")
    supervised = psutil.Process(kafka._running.broker.supervised.pid)
    for process in supervised.children():
        process.kill()
    supervised.wait(10)
    again = kafka.bootstrap_servers()
    assert answers(again)
    assert messages(spark, again, "survives").count() == 5


def test_the_variable_wins_and_nothing_is_started(nothing_started: Path, monkeypatch) -> None:
    monkeypatch.setenv(kafka.VARIABLE, "broker.example:9092")
    assert kafka.bootstrap_servers() == "broker.example:9092"
    assert not nothing_started.exists()


def test_a_variable_set_later_wins_over_the_broker_that_is_up(address: str, monkeypatch) -> None:
    monkeypatch.setenv(kafka.VARIABLE, "broker.example:9092")
    assert kafka.bootstrap_servers() == "broker.example:9092"


def test_where_spark_runs_elsewhere_no_broker_is_started_here(nothing_started: Path, monkeypatch) -> None:
    monkeypatch.setenv("SPARK_MASTER", "spark://cluster.example:7077")
    with pytest.raises(NotHere, match=r"could not reach a broker here. Set KAFKA_BOOTSTRAP_SERVERS"):
        kafka.bootstrap_servers()


def test_without_a_network_a_sentence_says_what_to_do(nothing_started: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLASSROOM_CACHE", str(nothing_started.parent / "cache"))
    monkeypatch.setenv("CLASSROOM_MAVEN_REPOSITORY", "http://127.0.0.1:9/")
    with pytest.raises(JarsUnavailable, match=r"Connect to the internet .* Or set KAFKA_BOOTSTRAP_SERVERS"):
        kafka.bootstrap_servers()


@pytest.mark.parametrize("harm", ["node.id=2", "node.id=one\nversion=1"])
def test_a_broker_that_cannot_start_gives_its_last_words(
    nothing_started: Path, messages_of_before: Path, harm: str
) -> None:
    (messages_of_before / "meta.properties").write_text(harm, encoding="utf-8")
    with pytest.raises(BrokerStartError, match=r"did not start.*\n\n(.|\n)*(Exception|ERROR)") as caught:
        kafka.bootstrap_servers()
    assert Path(caught.value.log) == nothing_started / "logs" / "kafka-1.log"
    assert kafka.VARIABLE not in os.environ


@pytest.mark.parametrize("formatted", [False, True])
def test_a_java_that_fails_gives_its_last_words(messages_of_before: Path, broken_java, formatted: bool) -> None:
    broken_java("echo Could not reserve enough space >&2; exit 1")
    if formatted:
        (messages_of_before / "meta.properties").touch()
    started = time.monotonic()
    with pytest.raises(BrokerStartError) as caught:
        kafka.bootstrap_servers()
    assert caught.value.tail == "Could not reserve enough space"
    assert time.monotonic() - started < 20  # long before the deadline


def test_a_broker_that_never_answers_is_ended(nothing_started: Path, broken_java, monkeypatch) -> None:
    broken_java(
        'mkdir -p messages; touch messages/meta.properties; echo $$ >> pids; [ "$8" = format ] || exec sleep 50'
    )
    monkeypatch.setattr(kafka_broker, "START_TIMEOUT", 1.0)
    started = time.monotonic()
    with pytest.raises(BrokerStartError):
        kafka.bootstrap_servers()
    assert time.monotonic() - started < 20
    pids = (nothing_started / "kafka" / "1" / "pids").read_text().split()
    assert len(pids) == 2
    assert not any(psutil.pid_exists(int(pid)) for pid in pids)


def test_after_a_failure_the_next_try_has_the_same_messages(nothing_started: Path, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise BrokerStartError("", "")

    # The error is kept, as a notebook keeps it: with it the lock lives on, unless it is released.
    with monkeypatch.context() as patched, pytest.raises(BrokerStartError) as _kept:
        patched.setattr(kafka_broker, "start", fail)
        kafka.bootstrap_servers()
    assert kafka._take_number()[0] == 1


def test_an_unfinished_directory_is_made_anew(messages_of_before: Path, broken_java) -> None:
    broken_java("mkdir messages && touch messages/meta.properties; exit 1")
    half_made = messages_of_before / "bootstrap.checkpoint"
    half_made.write_bytes(b"half")
    with pytest.raises(BrokerStartError):
        kafka.bootstrap_servers()
    assert (half_made.parent / "meta.properties").exists()
    assert not half_made.exists()


def test_a_broker_goes_when_its_kernel_is_killed_and_keeps_the_messages(
    spark: SparkSession, nothing_started: Path, kernel
) -> None:
    process = kernel()
    address = process.stdout.readline().strip()
    write(numbers(spark, 5), address, "orphans")
    jvms = jvms_of(process)
    process.kill()
    _, alive = psutil.wait_procs(jvms, timeout=10)
    assert jvms
    assert not alive
    assert messages(spark, kafka.bootstrap_servers(), "orphans").count() == 5
    assert (nothing_started / "logs" / "kafka-1.log").exists()
    assert not (nothing_started / "logs" / "kafka-2.log").exists()
    kafka.stop()


def test_a_broker_outlives_an_interrupt_of_its_kernel(kernel) -> None:
    process = kernel()
    address = process.stdout.readline().strip()
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(0.5)  # nothing is to happen, so there is nothing to wait for
    assert answers(address)


def test_two_kernels_of_one_home_have_a_broker_each_that_goes_with_its_kernel(kernel) -> None:
    kernels = kernel(), kernel()
    one, other = (process.stdout.readline().strip() for process in kernels)
    assert re.fullmatch(r"127\.0\.0\.1:\d+", one)
    kernels[0].communicate(timeout=20)
    assert not answers(one)
    assert answers(other)


def test_a_port_that_another_program_takes_meanwhile_is_not_mistaken_for_the_brokers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = kafka._ensure_fetched()
    free_ports, asked = kafka_broker._free_ports, []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        def ports(count: int) -> list[int]:
            asked.append(count)
            return [port, *free_ports(count - 1)] if len(asked) == 1 else free_ports(count)

        monkeypatch.setattr(kafka_broker, "_free_ports", ports)
        broker = kafka_broker.start(found, tmp_path / "broker", tmp_path / "broker.log")
    try:
        assert len(asked) == 2 and broker.address != f"127.0.0.1:{port}"
        assert kafka_broker._listens(broker, int(broker.address.rpartition(":")[2]))
        assert not kafka_broker._listens(broker, port)
    finally:
        broker.stop()
