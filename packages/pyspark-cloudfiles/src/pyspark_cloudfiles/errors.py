"""The errors of this package, each with a searchable error condition.

Every one is a :class:`CloudFilesError`.  It keeps its facts in fields and makes a text of them only when it is
printed: ``[CONDITION] what is wrong and what to do``.  The conditions are the ones that Auto Loader documents, where
it has one.  The errors travel from Spark's Python workers to the user as text, so the text carries everything.
"""

from __future__ import annotations

from dataclasses import dataclass, field


class CloudFilesError(Exception):
    """Root of every error that this package raises on purpose."""

    condition = "CF_ERROR"

    def __str__(self) -> str:
        return f"[{self.condition}] {self.message()}"

    def message(self) -> str:
        """Return what is wrong and what to do about it."""
        return " ".join(str(part) for part in self.args)


class InvalidOption(CloudFilesError):
    """An option has a value that it cannot have, or contradicts another: change it."""

    condition = "CF_INVALID_OPTION"


@dataclass(eq=False)
class UnknownOptions(CloudFilesError):
    """Keys that neither Auto Loader nor the reader of the format knows: correct their spelling."""

    keys: list[str]
    suggestions: dict[str, str] = field(default_factory=dict)

    condition = "CF_UNKNOWN_OPTION_KEYS_ERROR"

    def message(self) -> str:
        hints = "".join(f" Did you mean {right} instead of {wrong}?" for wrong, right in self.suggestions.items())
        return (
            f"Found unknown option keys: {', '.join(self.keys)}.{hints} Correct them, or set "
            "cloudFiles.validateOptions to false to ignore them."
        )


class UnsupportedOption(CloudFilesError):
    """An option, or a setting of the session, that does not exist here: remove it."""

    condition = "CF_UNSUPPORTED_OPTION"


class PythonWithoutPackages(CloudFilesError):
    """Spark would start a Python that cannot run the source: set ``PYSPARK_PYTHON`` before the session starts."""

    condition = "CF_PYTHON_WITHOUT_PACKAGES"


class SchemaLocationNeeded(CloudFilesError):
    """Inference needs a place to keep what it found: set ``cloudFiles.schemaLocation`` or give a schema."""

    condition = "CF_MISSING_SCHEMA_LOCATION"


class EmptyDirectory(CloudFilesError):
    """There is nothing to infer a schema from: give a schema or put a file there."""

    condition = "CF_EMPTY_DIR_FOR_SCHEMA_INFERENCE"


class InferenceFailed(CloudFilesError):
    """The files' types cannot be merged: give schema hints."""

    condition = "CF_FAILED_TO_INFER_SCHEMA"


class AddNewNotSupported(CloudFilesError):
    """A schema that the user gave cannot be evolved by adding columns."""

    condition = "CF_ADD_NEW_NOT_SUPPORTED"


class StateLost(CloudFilesError):
    """The record of which files were ingested is missing or does not belong to this stream."""

    condition = "CF_STATE_LOST"


class StateInUse(CloudFilesError):
    """Another process writes the same state: stop it."""

    condition = "CF_STATE_IN_USE"


class PathNotFound(CloudFilesError):
    """The source directory does not exist or cannot be listed."""

    condition = "CF_PATH_DOES_NOT_EXIST"


@dataclass(eq=False)
class ListingFailed(CloudFilesError):
    """A store or a file system did not answer for too long: see to it, and start the stream again.

    Parameters
    ----------
    url : str
        What was to be listed.
    attempts : int
        How often.
    seconds : float
        For how long.
    reason : str
        The last error.
    """

    url: str
    attempts: int
    seconds: float
    reason: str

    condition = "CF_LISTING_FAILED"

    def message(self) -> str:
        return (
            f"{self.url} could not be listed in {self.attempts} attempts over {self.seconds:.0f} seconds, and the last "
            f"error was: {self.reason}."
        )


@dataclass(eq=False)
class MissingFile(CloudFilesError):
    """A file was there when it was discovered and is not any more."""

    path: str

    condition = "FAILED_READ_FILE.FILE_NOT_EXIST"

    def message(self) -> str:
        return (
            f"Error while reading file {self.path}: it was discovered, but it is gone now. "
            "Put it back, or set ignoreMissingFiles to true to continue without its rows."
        )


@dataclass(eq=False)
class UnreadableFile(CloudFilesError):
    """The whole file cannot be read: it is corrupt, truncated, of another format or not readable."""

    path: str
    reason: str

    condition = "FAILED_READ_FILE.NO_HINT"

    def message(self) -> str:
        return (
            f"Error while reading file {self.path}: {self.reason} "
            "Repair or remove it, or set ignoreCorruptFiles to true to continue without it."
        )


@dataclass(eq=False)
class MalformedRecord(CloudFilesError):
    """A record cannot be parsed, and the mode is FAILFAST."""

    path: str
    record: str

    condition = "MALFORMED_RECORD_IN_PARSING"

    def message(self) -> str:
        return (
            f"Malformed records are detected in record parsing: {shortened(self.record)} in {self.path}. "
            "Parse Mode: FAILFAST. To process malformed records as null result, try setting the option 'mode' as "
            "'PERMISSIVE'."
        )


@dataclass(eq=False)
class UnknownFields(CloudFilesError):
    """Data has columns that the schema does not have.

    Format readers raise it when they are asked to (``on_unknown="error"``); what happens to it is decided by the
    evolution mode.

    Parameters
    ----------
    path : str
        The file.
    record : str or None
        The unknown part of the first such record, as a JSON object; None where columns belong to the whole file.
    columns : list of str
        Names of the unknown columns, dotted for fields of structs.
    retry : bool
        Whether the same program, started again, continues.
    """

    path: str
    record: str | None
    columns: list[str]
    retry: bool = True

    @property
    def condition(self) -> str:  # type: ignore[override]
        """Which of the two it is: fields of a file's schema, or of a record."""
        kind = "NEW_FIELDS_IN_FILE" if self.record is None else "NEW_FIELDS_IN_RECORD_WITH_FILE_PATH"
        return f"UNKNOWN_FIELD_EXCEPTION.{kind}"

    def message(self) -> str:
        what = f"[{','.join(self.columns)}]" if self.record is None else shortened(self.record)
        return (
            f"Encountered unknown fields during parsing: {what}, "
            f"which can be fixed by an automatic retry: {str(self.retry).lower()}"
            + (f"\nFile: {self.path}" if self.path else "")
        )


def shortened(text: str, limit: int = 1000) -> str:
    """Return ``text``, cut where it is too long for a message."""
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"


class CloudFilesWarning(UserWarning):
    """A condition that the user should know of and that ends no query."""
