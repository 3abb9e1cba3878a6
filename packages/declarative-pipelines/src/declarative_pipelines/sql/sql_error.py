"""The error of a pipeline's SQL file, with the file and the line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stream_view.errors import ExplainedError

if TYPE_CHECKING:
    from declarative_pipelines.definitions.model import SourceLocation


@dataclass(eq=False)
class SqlError(ExplainedError, ValueError):
    """A statement that is no pipeline's, or has a clause that is not understood: change what ``problem`` says."""

    location: SourceLocation
    problem: str

    def __str__(self) -> str:
        return f"{self.location}: {self.problem}"
