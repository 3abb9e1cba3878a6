"""The course's errors; their root and rules are in ``streaming_base.errors``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from streaming_base.errors import ExplainedError
from streaming_base.errors import NotAvailable as NotAvailable

# Under the name that the course's own callers know; catching it catches those of the packages below as well.
ClassroomError: TypeAlias = ExplainedError


@dataclass(eq=False)
class SetupError(ClassroomError):
    """Something that the course stands on could not be set up or started: Java, jars, a cluster, Spark, a broker.

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
