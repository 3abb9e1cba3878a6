"""The course's errors; their root and rules are in ``stream_view.errors``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from streaming_base.errors import ExplainedError, NotAvailable, StreamNotFound, StreamTimeout

__all__ = [
    "BrokerStartError",
    "BrokerUnreachable",
    "ClassroomError",
    "ClusterHasNoCores",
    "ClusterUnreachable",
    "HomeNotShared",
    "JarsUnavailable",
    "JavaNotFound",
    "LessonBusy",
    "NotAvailable",
    "NotSent",
    "SessionStartError",
    "SetupError",
    "StreamNotFound",
    "StreamTimeout",
    "UnknownDataset",
    "WorkersPythonDiffers",
]


# Under the name that the course's own callers know; catching it catches those of the packages below as well.
ClassroomError: TypeAlias = ExplainedError


@dataclass(eq=False)
class SetupError(ClassroomError):
    """A step of the set-up could not be done.

    Parameters
    ----------
    problem : str
        What went wrong, one sentence.
    fix : str
        The one thing to do about it, one sentence.
    detail : str, optional
        The last lines of the failing tool, shown below the sentences.
    """

    problem: str
    fix: str
    detail: str = ""

    def __str__(self) -> str:
        text = f"{self.problem} {self.fix}"
        return f"{text}\n\n{self.detail.rstrip()}" if self.detail else text


class JavaNotFound(SetupError):
    """No Java that Spark can run on, and none could be downloaded."""


class JarsUnavailable(SetupError):
    """The jars are not in the cache and could not be downloaded."""


class ClusterUnreachable(SetupError):
    """No Spark master answers at the address of ``SPARK_MASTER``: correct it, or start the master."""


class ClusterHasNoCores(SetupError):
    """The cluster has no free cores for this session."""


class HomeNotShared(SetupError):
    """The cluster's workers do not reach the course's home, which must be on a shared folder."""


class WorkersPythonDiffers(SetupError):
    """The cluster's workers lack a Python like this one."""


@dataclass(eq=False)
class SessionStartError(ClassroomError):
    """Spark's JVM ended before it answered: read its log."""

    log: str
    tail: str

    def __str__(self) -> str:
        return (
            f"Spark did not start; its last words are below, all of them in {self.log}. "
            f"`python course.py doctor` checks what it needs.\n\n{self.tail}"
        )


@dataclass(eq=False)
class LessonBusy(ClassroomError):
    """The lesson's working directory is in use by another live kernel: shut that one down."""

    lesson: str
    working_dir: str

    def __str__(self) -> str:
        return (
            f"Lesson {self.lesson} is already running in another kernel, which uses {self.working_dir}. "
            "Shut that kernel down (Kernel > Shut Down Kernel in its tab, or the list of running kernels on "
            "the left), then run this cell again."
        )


@dataclass(eq=False)
class UnknownDataset(ClassroomError):
    """No generator has that name."""

    name: str
    known: tuple[str, ...]

    def __str__(self) -> str:
        return f"There is no dataset {self.name!r}. Use one of: {', '.join(self.known)}."


@dataclass(eq=False)
class BrokerStartError(ClassroomError):
    """Kafka's broker ended before it answered: read its log, or use another broker."""

    log: str
    tail: str

    def __str__(self) -> str:
        return (
            f"Kafka's broker did not start; its last words are below, all of them in {self.log}. Put right what they "
            f"say, or set KAFKA_BOOTSTRAP_SERVERS to a broker that runs, and run this cell again.\n\n{self.tail}"
        )


@dataclass(eq=False)
class BrokerUnreachable(ClassroomError):
    """No Kafka broker answers at an address."""

    servers: str
    reason: str = ""

    def __str__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        return (
            f"No Kafka broker answers at {self.servers}{reason}. Correct the address, or start the broker: the "
            "classroom's own with `python course.py kafka start`, which DA.kafka.servers does by itself."
        )


@dataclass(eq=False)
class NotSent(ClassroomError):
    """The broker has not acknowledged all messages."""

    topic: str
    messages: int
    missing: int
    reason: str

    def __str__(self) -> str:
        return (
            f"Of {self.messages} messages for the topic {self.topic}, {self.missing} were not acknowledged: "
            f"{self.reason}. Is the broker up (`python course.py kafka status`), and the topic there? Then send again."
        )
