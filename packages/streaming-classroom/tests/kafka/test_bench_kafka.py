from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks import _kafka_tools, kafka
from benchmarks._kafka_tools import KafkaTools
from streaming_classroom.setup import jars
from streaming_classroom.setup.java import Java

SENT = """\
Number of records read: 1000
Warmup first 20000 records. Steady state results will print after the complete test summary.
24372 records sent, 4873.4 records/sec (4.76 MB/sec), 3245.0 ms avg latency, 4545.0 ms max latency.
70000 records sent, 10582.010582 records/sec (10.33 MB/sec), 2256.14 ms avg latency, 4545.00 ms max latency.
50000 steady state records sent, 10875.475802 records/sec (10.62 MB/sec), 2339.25 ms avg latency, 2225 ms 50th.

"""
CONSUMED = "2026-11-23 06:32:00:376, 2026-11-23 06:32:08:001, 19.5, 2.6, 20000, 2622.9, 5913, 1712, 11.4, 11682.2430\n"


@pytest.fixture
def tools() -> KafkaTools:
    return KafkaTools(Java(Path("nowhere"), 17), "127.0.0.1:1")


def test_the_tools_are_of_the_brokers_version() -> None:
    [tool] = jars.locked(_kafka_tools.TOOLS)
    assert tool.revision in {jar.revision for jar in jars.locked(jars.KAFKA_BROKER) if jar.module == "kafka-clients"}


def test_what_a_tool_sends_counts_after_the_first_messages(tools: KafkaTools, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(KafkaTools, "_run", lambda _self, *arguments: asked.extend(arguments) or SENT)
    assert tools.send("edits", 50_000, Path("payloads"), 20_000, {"batch.size": "7"}) == 10875.475802
    assert asked[asked.index("--num-records") + 1] == "70000"
    assert asked[asked.index("--command-property") + 1] == "batch.size=7"


def test_what_a_tool_reads_counts_without_joining_the_group(tools: KafkaTools, monkeypatch) -> None:
    monkeypatch.setattr(KafkaTools, "_run", lambda _self, *_arguments: CONSUMED)
    assert tools.read("edits", 20_000) == 11682.243


def test_a_tool_that_fails_is_an_error_with_its_last_words(tools: KafkaTools, monkeypatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "what it said", "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(RuntimeError, match="ConsumerPerformance failed: what it said"):
        tools.read("edits", 1)


def test_a_ratio_is_of_medians_and_over_the_best_of_the_others() -> None:
    rates = {"ours": [1.0, 20.0, 30.0], "kafka": [10.0], "kafka_large_batches": [40.0]}
    assert kafka._compared("send", rates) == {
        "send_ours_per_s": 20,
        "send_kafka_per_s": 10,
        "send_kafka_large_batches_per_s": 40,
        "send_ratio": 0.5,
    }
