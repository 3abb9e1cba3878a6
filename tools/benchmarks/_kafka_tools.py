"""Kafka's own performance tools: what the broker gives to programs that do nothing else.

They are run as Kafka's scripts run them, and say themselves how fast they were, so that the start of their JVM does
not count.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from streaming_classroom.kafka import servers
from streaming_classroom.setup import guard, jars
from streaming_classroom.setup.java import Java

TOOLS = jars.JarSet(Path(__file__).with_name("kafka-tools.lock"), "kafka-tools")
TIMEOUT = 120  # seconds for one run
# The memory that `kafka-producer-perf-test.sh` gives; and a point in numbers, whatever the language of the machine.
_JVM = ("-Xmx512m", "-XX:+UseG1GC", "-Duser.language=en")


@dataclass(frozen=True)
class KafkaTools:
    """The tools and the broker that they are run against."""

    java: Java
    address: str

    def send(self, topic: str, messages: int, payloads: Path, warm: int, settings: Mapping[str, str]) -> float:
        """Send messages; return how many a second, the first ones not counted.

        Parameters
        ----------
        payloads : Path
            File of texts, one a line, of which each message has one.
        warm : int
            How many more to send before.
        settings : mapping
            What the producer has other than its defaults.
        """
        options = ["--payload-file", str(payloads), "--warmup-records", str(warm)]
        options += [part for pair in settings.items() for part in ("--command-property", "=".join(pair))]
        return self._produce(topic, messages + warm, *options)

    def fill(self, topic: str, messages: int, size: int) -> None:
        """Send messages of random letters."""
        self._produce(topic, messages, "--record-size", str(size))

    def read(self, topic: str, messages: int) -> float:
        """Read messages and throw them away; return how many a second, joining the group not counted."""
        options = ["--topic", topic, "--num-records", str(messages), "--hide-header"]
        printed = self._run("ConsumerPerformance", "--bootstrap-server", self.address, *options)
        return float(printed.split()[-1])

    def _produce(self, topic: str, messages: int, *options: str) -> float:
        to = ["--bootstrap-server", self.address, "--topic", topic]
        how_many = ["--num-records", str(messages), "--throughput", "-1"]
        printed = self._run("ProducerPerformance", *to, *how_many, *options)
        return float(re.findall(r"([\d.]+) records/sec", printed)[-1])

    def _run(self, tool: str, *arguments: str) -> str:
        """Return what a tool printed.

        Raises
        ------
        RuntimeError
            It failed; the message has its last words.
        """
        class_path = os.pathsep.join(map(str, jars.paths(TOOLS) + jars.paths(jars.KAFKA_BROKER)))
        command = [str(self.java.executable), *_JVM, "-cp", class_path, f"org.apache.kafka.tools.{tool}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        if done.returncode != 0:
            raise RuntimeError(f"{tool} failed: {done.stdout[-500:]}{done.stderr[-500:]}")
        return done.stdout


def fetched(address: str) -> KafkaTools:
    """Return the tools for a broker, fetched the first time."""
    java = servers.ensure_fetched()
    with guard.only_one(print), guard.refusals_explained():
        jars.fetch(of=TOOLS)
    return KafkaTools(java, address)
