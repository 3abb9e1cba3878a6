"""The errors of this package, each with a searchable error condition.

They keep their facts in fields and format the text when printed: ``[CONDITION] problem and fix``.  The conditions are
those that Auto Loader documents, if it has one.  The errors travel from Spark's Python workers to the user as text, so
the text carries everything.
"""

from __future__ import annotations

from dataclasses import dataclass, field


class CloudFilesError(Exception):
    """Base class of the errors of this package."""

    condition = "CF_ERROR"

    def __init_subclass__(cls, condition: str = "") -> None:
        if condition:
            cls.condition = condition

    def __str__(self) -> str:
        return f"[{self.condition}] {self.message()}"

    def message(self) -> str:
        """Return the problem and its fix."""
        return " ".join(str(part) for part in self.args)


class InvalidOption(CloudFilesError, condition="CF_INVALID_OPTION"):
    """An option has an invalid value, or contradicts another option."""


@dataclass(eq=False)
class UnknownOptions(CloudFilesError, condition="CF_UNKNOWN_OPTION_KEYS_ERROR"):
    """Neither Auto Loader nor the reader of the format has these options."""

    keys: list[str]
    suggestions: dict[str, str] = field(default_factory=dict)

    def message(self) -> str:
        hints = "".join(f" Did you mean {right} instead of {wrong}?" for wrong, right in self.suggestions.items())
        return (
            f"Found unknown option keys: {', '.join(self.keys)}.{hints} Correct them, or set "
            "cloudFiles.validateOptions to false to ignore them."
        )


class UnsupportedOption(CloudFilesError, condition="CF_UNSUPPORTED_OPTION"):
    """An option or a session setting is not supported by this package."""


class PythonWithoutPackages(CloudFilesError, condition="CF_PYTHON_WITHOUT_PACKAGES"):
    """Spark's workers would run a Python that lacks the source's dependencies."""


class SchemaLocationNeeded(CloudFilesError, condition="CF_MISSING_SCHEMA_LOCATION"):
    """Schema inference has no directory to store the schema in."""


class EmptyDirectory(CloudFilesError, condition="CF_EMPTY_DIR_FOR_SCHEMA_INFERENCE"):
    """The source path has no files to infer a schema from."""


class InferenceFailed(CloudFilesError, condition="CF_FAILED_TO_INFER_SCHEMA"):
    """The schema cannot be inferred, or the files' types cannot be merged."""


class AddNewNotSupported(CloudFilesError, condition="CF_ADD_NEW_NOT_SUPPORTED"):
    """A schema given by the user cannot evolve by adding columns."""


class StateLost(CloudFilesError, condition="CF_STATE_LOST"):
    """The record of ingested files is missing, damaged, or of another stream."""


class StateInUse(CloudFilesError, condition="CF_STATE_IN_USE"):
    """Another process writes the same state."""


class PathNotFound(CloudFilesError, condition="CF_PATH_DOES_NOT_EXIST"):
    """The source path does not exist or cannot be listed."""


@dataclass(eq=False)
class ListingFailed(CloudFilesError, condition="CF_LISTING_FAILED"):
    """A store or a file system kept failing for longer than the retry timeout."""

    url: str
    attempts: int
    seconds: float
    reason: str

    def message(self) -> str:
        return (
            f"{self.url} could not be listed in {self.attempts} attempts over {self.seconds:.0f} seconds, and the last "
            f"error was: {self.reason}."
        )


@dataclass(eq=False)
class MissingFile(CloudFilesError, condition="FAILED_READ_FILE.FILE_NOT_EXIST"):
    """A discovered file does not exist any more."""

    path: str

    def message(self) -> str:
        return (
            f"Error while reading file {self.path}: it was discovered, but does not exist any more. "
            "Restore it, or set ignoreMissingFiles to true to continue without its rows."
        )


@dataclass(eq=False)
class UnreadableFile(CloudFilesError, condition="FAILED_READ_FILE.NO_HINT"):
    """A file is corrupt, truncated, of another format, or not readable by this user."""

    path: str
    reason: str

    def message(self) -> str:
        return (
            f"Error while reading file {self.path}: {self.reason} "
            "Repair or remove it, or set ignoreCorruptFiles to true to continue without it."
        )


@dataclass(eq=False)
class MalformedRecord(CloudFilesError, condition="MALFORMED_RECORD_IN_PARSING"):
    """A record cannot be parsed, and the mode is FAILFAST."""

    path: str
    record: str

    def message(self) -> str:
        return (
            f"Malformed records are detected in record parsing: {shorten(self.record)} in {self.path}. "
            "Parse Mode: FAILFAST. To process malformed records as null result, try setting the option 'mode' as "
            "'PERMISSIVE'."
        )


@dataclass(eq=False)
class UnknownFields(CloudFilesError):
    """Data has columns that the schema does not have.

    ``record`` is the unknown part of the first such record as a JSON object, or None if the columns belong to the whole
    file.  ``columns`` are dotted for fields of structs.  With ``retry``, the same program continues when started again.
    """

    path: str
    record: str | None
    columns: list[str]
    retry: bool = True

    @property
    def condition(self) -> str:  # type: ignore[override]
        """The condition for fields of a file's schema, or of a record."""
        kind = "NEW_FIELDS_IN_FILE" if self.record is None else "NEW_FIELDS_IN_RECORD_WITH_FILE_PATH"
        return f"UNKNOWN_FIELD_EXCEPTION.{kind}"

    def message(self) -> str:
        fields = f"[{','.join(self.columns)}]" if self.record is None else shorten(self.record)
        return (
            f"Encountered unknown fields during parsing: {fields}, "
            f"which can be fixed by an automatic retry: {str(self.retry).lower()}"
            + (f"\nFile: {self.path}" if self.path else "")
        )


def shorten(text: str, limit: int = 1000) -> str:
    """Truncate a text that is too long for a message."""
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"


class CloudFilesWarning(UserWarning):
    """A condition that the user should know of and that does not end the query."""
