"""Errors of ``dbutils``, with the texts that notebooks look for and one sentence on what to do.

On Databricks an error of ``dbutils.fs`` is an ``ExecutionError`` around a Java exception, and code asks for the
Java name in its text: ``if "java.io.FileNotFoundException" in str(error)``.  That works here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from streaming_base.close_names import closest_name
from streaming_base.errors import ExplainedError


@dataclass(eq=False)
class ExecutionError(ExplainedError):
    """A command of ``dbutils`` failed.

    ``cause`` is the Java exception's name and text, as Databricks shows them; ``fix`` is one sentence.
    """

    cause: str
    fix: str

    def __str__(self) -> str:
        # A line of its own: a path at the end of the cause is copied more easily without a full stop.
        return f"{self.cause}\n{self.fix}"


class PathNotFound(ExecutionError):
    """Nothing is there: correct the path."""

    def __init__(self, path: str) -> None:
        parent = path.rstrip("/").rpartition("/")[0] + "/"
        super().__init__(
            f"java.io.FileNotFoundException: No such file or directory {path}",
            f'Correct the path; dbutils.fs.ls("{parent}") shows what is there.',
        )


class PathInvalid(ExecutionError):
    """The text is not a valid path."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(f"java.lang.IllegalArgumentException: {problem}", fix)


class PathProtected(ExecutionError):
    """The path is not the lesson's own, so it is neither written nor removed."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(f"java.lang.SecurityException: {problem}", fix)


class FileCommandFailed(ExecutionError):
    """The command does not fit the file or folder at the path."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(f"java.io.IOException: {problem}", fix)


class NotSupported(ExecutionError):
    """A feature of Databricks that does not exist here."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(f"java.lang.UnsupportedOperationException: {problem}", fix)


class FileExists(ExecutionError):
    """A file is there already: overwrite it or choose another name."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"org.apache.hadoop.fs.FileAlreadyExistsException: File already exists: {path}",
            "Pass overwrite=True to replace it, or choose another name.",
        )


@dataclass(eq=False)
class SecretNotFound(ExplainedError):
    """No such secret in the environment: set the variable."""

    scope: str
    key: str
    variable: str

    def __str__(self) -> str:
        return (
            "java.lang.IllegalArgumentException: "
            f"Secret does not exist with scope: {self.scope} and key: {self.key}\n"
            f"Set the environment variable {self.variable} before the notebook's kernel starts."
        )


@dataclass(eq=False)
class InputWidgetNotDefined(ExplainedError):
    """No widget and no parameter of that name: create it first, or correct the name."""

    name: str
    known: tuple[str, ...] = ()

    def __str__(self) -> str:
        create = f'Create it first: dbutils.widgets.text("{self.name}", "a default").'
        return (
            f"com.databricks.dbutils_v1.InputWidgetNotDefined: No input widget named {self.name} is defined\n"
            f"{did_you_mean(self.name, self.known)}{create}"
        )


@dataclass(eq=False)
class WidgetInvalid(ExplainedError):
    """A widget cannot have this default, these choices or this value."""

    name: str
    problem: str
    fix: str

    def __str__(self) -> str:
        return f"java.lang.IllegalArgumentException: Widget {self.name}: {self.problem}\n{self.fix}"


@dataclass(eq=False)
class FsUsageError(ExplainedError):
    """A malformed ``%fs`` line; ``usage`` shows the right form."""

    problem: str
    usage: str

    def __str__(self) -> str:
        return f"{self.problem} {self.usage}"


@dataclass(eq=False)
class UnknownMethod(ExplainedError):
    """The utility has no method of that name."""

    name: str
    known: tuple[str, ...]

    def __str__(self) -> str:
        guess = did_you_mean(self.name, self.known)
        return f"There is no method {self.name!r} here. {guess}There are: {', '.join(self.known)}."


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that names the nearest known name, or nothing."""
    nearest = closest_name(str(name), known, alike=0.5)
    return f"Did you mean {nearest}? " if nearest else ""


@contextmanager
def as_execution_errors(path: object) -> Iterator[None]:
    """Raise errors of the operating system about a file as :class:`ExecutionError`."""
    try:
        yield
    except FileNotFoundError as error:
        raise PathNotFound(str(path)) from error
    except OSError as error:
        fix = "Check that the name is not too long, that no file is where a folder is needed, and who owns it."
        raise FileCommandFailed(f"{error.strerror or error}: {path}", fix) from error
