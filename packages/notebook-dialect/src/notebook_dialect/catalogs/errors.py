"""The error of a statement about catalogs, as Databricks words it."""

from __future__ import annotations

from pyspark.errors import AnalysisException


class CatalogError(AnalysisException):
    """A statement about catalogs, schemas, volumes or grants that Databricks rejects too.

    Parameters
    ----------
    condition : str
        The error condition, such as ``VOLUME_NOT_FOUND``.
    sentence : str
        What happened, and the fix.
    """

    def __init__(self, condition: str, sentence: str) -> None:
        super().__init__(sentence)
        self.condition = condition

    def getCondition(self) -> str:
        """Return the error condition."""
        return self.condition


def syntax_error(sentence: str) -> CatalogError:
    """Return the error of a statement that cannot be read."""
    return CatalogError("PARSE_SYNTAX_ERROR", sentence)
