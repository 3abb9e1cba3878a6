"""What Kafka costs in the classroom: messages of 1 KB on two cores, and how long one of them is under way.

Producer to topic is what the feed of a lesson sends with, against Kafka's own performance tool, with its defaults and
with batches as large as ours: the same payloads, all with idempotence and all acknowledgements; ``ratio`` is ours over
the faster of theirs.  Topic to Delta is a stream that writes every column, against Kafka's tool that reads the same
topic and throws it away: not the same work, but what the broker can give.  Sides alternate, so that a noisy machine
disturbs all alike.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import _kafka_tools
from benchmarks._kafka_latency import TRIGGERS, under_way
from benchmarks._kafka_tools import KafkaTools
from streaming_classroom import get_spark, start_lesson
from streaming_classroom.kafka import client, servers, shared_broker
from streaming_classroom.kafka.client import KafkaRecord
from streaming_classroom.kafka.topics import LessonKafka

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import DataStreamWriter

CORES = 2
SIZE = 1024
SENT, READ = 50_000, 100_000  # messages of a round
WARM = 20_000  # messages that a producer sends before it is timed
PAYLOADS = 1000  # different ones
ROUNDS = 3
TIMEOUT = 120  # seconds for one cold start
# The Python client's: its batches are of 1 MB, Java's of 16 KB, and it may keep 1 GB of messages, Java's 32 MB.
LARGE_BATCHES = {"batch.size": "1000000", "buffer.memory": "268435456"}
STAGES = ("session", "messages_in_topic", "first_row")

Figures = dict[str, float]


def main() -> None:
    """Run all sides, print tables, and as the last line the figures as JSON."""
    if hasattr(psutil.Process, "cpu_affinity"):  # macOS has none; whatever is started here inherits it
        psutil.Process().cpu_affinity(psutil.Process().cpu_affinity()[:CORES])
    os.environ.pop(servers.VARIABLE, None)  # a broker of somebody else's is not what is measured
    figures = _cold_start()
    with _broker() as (kafka, tools, scratch):
        figures |= _producer_to_topic(kafka, tools, scratch)
        with _session() as spark:
            figures |= _topic_to_delta(spark, kafka, tools, scratch) | _latency(spark, kafka, scratch)
    _print_tables(figures)
    print(json.dumps({"ratio": figures["send_ratio"]} | figures))


@contextmanager
def _broker() -> Iterator[tuple[LessonKafka, KafkaTools, Path]]:
    """Have a new broker in a home of its own, Kafka's tools for it, and the home as a place for files."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        os.environ["CLASSROOM_HOME"] = home
        place = Path(home)
        try:
            yield LessonKafka("bench-", place / "mark"), _kafka_tools.fetched(servers.bootstrap_servers()), place
        finally:
            shared_broker.leave()


@contextmanager
def _session() -> Iterator[SparkSession]:
    """Have a session whose JVM is made to compute long, as one is that does this every day."""
    os.environ["CLASSROOM_FAST_START"] = "0"
    spark = get_spark()
    try:
        yield spark
    finally:
        spark.stop()


def _cold_start() -> Figures:
    """Return the seconds from the start of a process, in a new home, to each stage of a first lesson with Kafka."""
    runs = [_first_row() for _round in _rounds("cold")]
    return {f"{stage}_s": round(statistics.median(run[stage] for run in runs), 2) for stage in STAGES}


def _first_row() -> dict[str, float]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        began = time.time()
        done = subprocess.run(
            [sys.executable, "-m", __spec__.name, "first-row"],
            env=os.environ | {"CLASSROOM_HOME": home},
            cwd=home,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
    return {stage: at - began for stage, at in json.loads(done.stdout.splitlines()[-1]).items()}


def _work() -> dict[str, float]:
    """Do what a learner's first cells do; return when each stage was reached, in seconds since 1970."""
    spark = get_spark()
    reached = {"session": time.time()}
    DA = start_lesson("bench", dataset="wikipedia/edits", into_topic="edits")
    DA.data_factory.load()
    reached["messages_in_topic"] = time.time()
    place = Path.cwd() / "delta"
    query = _to_delta(spark, DA.kafka, DA.kafka.topic("edits"), place).start()
    while not (query.lastProgress or {"numInputRows": 0})["numInputRows"]:
        if query.awaitTermination(0.05):
            raise RuntimeError("the stream has ended")
    reached["first_row"] = time.time()
    query.stop()
    assert not spark.read.format("delta").load(f"{place.as_uri()}/table").isEmpty()
    return reached


def _producer_to_topic(kafka: LessonKafka, tools: KafkaTools, scratch: Path) -> Figures:
    """Return the messages a second that the feed's sender and Kafka's own tool bring into a topic."""
    draw = random.Random(7)
    payloads = ["".join(draw.choices(string.ascii_uppercase, k=SIZE)) for _ in range(PAYLOADS)]
    file = scratch / "payloads.txt"
    file.write_text("\n".join(payloads), encoding="ascii")
    values = [draw.choice(payloads).encode() for _ in range(SENT)]
    rates: dict[str, list[float]] = {"ours": [], "kafka": [], "kafka_large_batches": []}
    for number in _rounds("send"):
        with _topic(kafka, f"ours-{number}") as topic:
            _send(kafka, topic, values[:WARM])
            began = time.perf_counter()
            _send(kafka, topic, values)
            rates["ours"].append(SENT / (time.perf_counter() - began))
        for side, settings in (("kafka", {}), ("kafka_large_batches", LARGE_BATCHES)):
            with _topic(kafka, f"{side}-{number}") as topic:
                rates[side].append(tools.send(topic, SENT, file, WARM, settings))
    return _compared("send", rates)


def _send(kafka: LessonKafka, topic: str, values: list[bytes]) -> None:
    """Send as the feed does, with the headers that it adds."""
    headers = ((("batch", b"0"), ("line", str(line).encode())) for line in range(len(values)))
    records = (KafkaRecord(value, headers=more) for value, more in zip(values, headers, strict=True))
    client.send(kafka.client_options, topic, records)


def _topic_to_delta(spark: SparkSession, kafka: LessonKafka, tools: KafkaTools, scratch: Path) -> Figures:
    """Return the messages a second that a stream writes to Delta, and that Kafka's own tool only reads."""
    rates: dict[str, list[float]] = {"ours": [], "kafka": []}
    with _topic(kafka, "full") as topic:
        tools.fill(topic, READ, SIZE)
        _seconds_to_delta(spark, kafka, topic, scratch / "warm")  # what is compiled and loaded at the first time
        for number in _rounds("read"):
            rates["ours"].append(READ / _seconds_to_delta(spark, kafka, topic, scratch / f"delta-{number}"))
            rates["kafka"].append(tools.read(topic, READ))
    return _compared("to_delta", rates)


def _seconds_to_delta(spark: SparkSession, kafka: LessonKafka, topic: str, place: Path) -> float:
    began = time.perf_counter()
    _to_delta(spark, kafka, topic, place).trigger(availableNow=True).start().awaitTermination()
    seconds = time.perf_counter() - began
    assert spark.read.format("delta").load(f"{place.as_uri()}/table").count() == READ
    shutil.rmtree(place)
    return seconds


def _to_delta(spark: SparkSession, kafka: LessonKafka, topic: str, place: Path) -> DataStreamWriter:
    """Return a stream, not started, of all columns of a topic from its beginning into a Delta table."""
    source = spark.readStream.format("kafka").options(**kafka.options).option("subscribe", topic)
    stream = source.option("startingOffsets", "earliest").load().writeStream.format("delta")
    stream = stream.option("checkpointLocation", f"{place.as_uri()}/checkpoint")
    return stream.option("path", f"{place.as_uri()}/table")


def _latency(spark: SparkSession, kafka: LessonKafka, scratch: Path) -> Figures:
    """Return the milliseconds from an event to its result in another topic, of all events of all runs."""
    found: dict[str, list[float]] = {trigger: [] for trigger in TRIGGERS}
    for number in _rounds("latency"):
        for trigger, times in found.items():
            times += under_way(spark, kafka, scratch, trigger, number)
    figures = {}
    for trigger, times in found.items():
        figures[f"{trigger}_ms"] = round(statistics.median(times), 1)
        figures[f"{trigger}_p95_ms"] = round(statistics.quantiles(times, n=20)[-1], 1)
    return figures


@contextmanager
def _topic(kafka: LessonKafka, name: str) -> Iterator[str]:
    """Have a topic that is deleted after, so that the disk does not fill."""
    yield kafka.create_topic(name)
    kafka.delete_topic(name)


def _rounds(of: str) -> Iterable[int]:
    return track(range(ROUNDS), f"Rounds: {of}", console=Console(stderr=True), transient=True)


def _compared(what: str, rates: dict[str, list[float]]) -> Figures:
    """Return the median of each side, and ours over the best of the others."""
    medians = {side: round(statistics.median(found)) for side, found in rates.items()}
    others = [median for side, median in medians.items() if side != "ours"]
    named = {f"{what}_{side}_per_s": median for side, median in medians.items()}
    return named | {f"{what}_ratio": round(medians["ours"] / max(others), 2)}


def _print_tables(figures: Figures) -> None:
    rates = Table(title=f"Messages of {SIZE:,} bytes a second, medians of {ROUNDS}", title_justify="left")
    rates.add_column("from, to")
    for heading in ("classroom", "Kafka's own tool", "the same, large batches", "ratio"):
        rates.add_column(heading, justify="right")
    for name, what in (("producer to topic", "send"), ("topic to Delta; Kafka's tool reads only", "to_delta")):
        found = [figures.get(f"{what}_{side}_per_s") for side in ("ours", "kafka", "kafka_large_batches")]
        cells = ("" if rate is None else f"{rate:,.0f}" for rate in found)
        rates.add_row(name, *cells, f"{figures[f'{what}_ratio']:.2f}")
    waits = Table(title="How long it takes", title_justify="left")
    for heading in ("from, to", "median", "19 of 20 within"):
        waits.add_column(heading, justify="left" if heading == "from, to" else "right")
    for stage in STAGES:
        waits.add_row(f"cold start to {stage.replace('_', ' ')}", f"{figures[f'{stage}_s']:.1f} s", "")
    for trigger in TRIGGERS:
        median, most = figures[f"{trigger}_ms"], figures[f"{trigger}_p95_ms"]
        waits.add_row(f"event to result topic, {trigger.replace('_', ' ')}", f"{median:.0f} ms", f"{most:.0f} ms")
    Console().print(rates)
    Console().print(waits)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(_work()))
