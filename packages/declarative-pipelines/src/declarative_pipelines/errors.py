"""What can be wrong with a pipeline, each with where it stands and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streaming_base.close_names import closest_name
from streaming_base.errors import ExplainedError, short_message

if TYPE_CHECKING:
    from declarative_pipelines.definitions.model import SourceLocation


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a sentence about the closest known name, after a blank, or an empty string."""
    found = closest_name(name, names, alike=0.6)
    return f" Did you mean {found}?" if found else ""


_NO_SUCH_KEY = re.compile(r"SQL_CONF_NOT_FOUND\] The SQL config \"?([^\s\"]+)\"? cannot be found")


def unset_key(error: BaseException) -> str | None:
    """Return a sentence about a key of the configuration that is read and not set; None for any other error."""
    found = _NO_SUCH_KEY.search(str(error))
    if found is None:
        return None
    return (
        f"spark.conf.get({found[1]!r}): the update's configuration has no such key. Set it by "
        f"run_pipeline(..., configuration={{{found[1]!r}: ...}}), or by --conf {found[1]}=... in the shell."
    )


def innermost_message(error: BaseException) -> str:
    """Return the message of the last cause in a chain of Java exceptions."""
    causes = str(error).split("\nCaused by: ")
    if len(causes) == 1:
        return short_message(error)
    text = re.sub(r"^[\w.$]+: ", "", causes[-1].partition("\n\tat ")[0])
    return short_message(Exception(text))


class PipelineError(ExplainedError):
    """Root of this package's errors."""


@dataclass(eq=False)
class BadArgument(PipelineError, ValueError):
    """An argument of :func:`run_pipeline` or of the shell command: correct it."""

    problem: str

    def __str__(self) -> str:
        return self.problem


@dataclass(eq=False)
class BadDefinition(PipelineError, ValueError):
    """A wrong definition, with its location."""

    location: SourceLocation | None
    problem: str

    def __str__(self) -> str:
        return f"{self.location}: {self.problem}" if self.location else self.problem


@dataclass(eq=False)
class UnsupportedFeature(BadDefinition, NotImplementedError):
    """A feature of the platform that does not exist here; the sentence names the replacement."""


@dataclass(eq=False)
class ExpectationFailed(PipelineError):
    """A record of an ``expect_or_fail``: correct the record, or choose another consequence."""

    dataset: str
    flow: str
    expectations: tuple[str, ...]
    record: str

    def __str__(self) -> str:
        names = ", ".join(repr(name) for name in self.expectations)
        return (
            f"A record does not meet {names} of {self.dataset}, and such a record fails the update "
            f"(flow {self.flow}). The record: {self.record}"
        )


@dataclass(eq=False)
class FlowFailed(PipelineError):
    """A flow ended with Spark's error."""

    dataset: str
    flow: str
    reason: str

    def __str__(self) -> str:
        of = "" if self.flow == self.dataset else f" (flow {self.flow})"
        return f"{self.dataset}{of} was not updated: {self.reason}"


@dataclass(eq=False)
class NotMocked(PipelineError, LookupError):
    """A pipeline under test reads something that is not the test's own: mock it."""

    what: str
    how: str

    def __str__(self) -> str:
        return f"The pipeline reads {self.what}, which this test has not mocked. Mock it: {self.how}."
