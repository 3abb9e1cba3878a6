"""What an update under test has made: rows, frames and the counts of expectations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import find, is_same
from declarative_pipelines.errors import BadArgument, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

    from declarative_pipelines.engine.spark_engine import TableVersion
    from declarative_pipelines.updates.results import DatasetResult, ExpectationResult, Update


@dataclass(frozen=True)
class PipelineTestResult:
    """The result of one update under test.

    Parameters
    ----------
    update
        The update, as :func:`.run_pipeline` returns it.
    tables
        The tables that it has made, as SQL has them, each with its version then.
    version
        Returns the version that a table has now.
    """

    update: Update
    session: SparkSession
    tables: Mapping[str, tuple[str, TableVersion]]
    version: Callable[[str], TableVersion | None]

    @property
    def error(self) -> Exception | None:
        """Why the update failed; None if it did not."""
        return self.update.error

    def frame(self, dataset: str) -> DataFrame:
        """Return a dataset as this update has left it, also where a later one has changed it meanwhile.

        Raises
        ------
        BadArgument
            The update has not made it.
        """
        made = find(dataset, self.tables)
        if made is None:
            problem = f"This update has made no table {dataset}"
            hint = did_you_mean(dataset, self.tables) or f" It has made {', '.join(sorted(self.tables)) or 'none'}."
            raise BadArgument(f"{problem}; a view has rows where run() names it.{hint}")
        table, version = self.tables[made]
        # Delta reads an older version's log for it, which takes longer than the rows.
        is_newest = self.version(made) == version
        return self.session.sql(f"SELECT * FROM {table}{'' if is_newest else f' VERSION AS OF {version.number}'}")

    def rows(self, dataset: str) -> list[Row]:
        """Return the rows of a dataset, sorted by their columns from the left; NULLs come first."""
        rows = self.frame(dataset).collect()
        try:
            return sorted(rows, key=lambda row: [_sortable(value) for value in row])
        except TypeError:  # maps, and what else has no order
            return sorted(rows, key=repr)

    def dataset(self, name: str) -> DatasetResult:
        """Return how many rows the update has written to a dataset and dropped, its kind and state."""
        return self.update.dataset(name)

    def expectation(self, dataset: str, name: str) -> ExpectationResult:
        """Return the counts of an expectation, over all flows; None where they are not known.

        Raises
        ------
        BadArgument
            The dataset has none of that name, or did not run.
        """
        own = [one for one in self.update.expectations if is_same(one.dataset, dataset)]
        found = [one for one in own if one.name == name]
        if not found:
            there = ", ".join(repr(one.name) for one in own) or "none"
            raise BadArgument(f"{dataset} has no expectation {name!r} that was counted. It has {there}.")
        passed, failed = [one.passed for one in found], [one.failed for one in found]
        return replace(
            found[0],
            passed=None if None in passed else sum(passed),
            failed=None if None in failed else sum(failed),
        )


def _sortable(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return value is not None, [_sortable(one) for one in value]
    return (False, 0) if value is None else (True, value)
