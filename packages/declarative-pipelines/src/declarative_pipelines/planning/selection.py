"""The datasets that an update refreshes: all of them, or those that the caller named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from declarative_pipelines.definitions.model import Dataset, DatasetKind, Definitions, find, without_live
from declarative_pipelines.errors import BadArgument
from declarative_pipelines.planning.flow_nodes import FlowKind, FlowNode, suggestion

if TYPE_CHECKING:
    from declarative_pipelines.planning.plan import PipelinePlan

_RESET_ALLOWED = "pipelines.reset.allowed"


@dataclass(frozen=True)
class Selection:
    """The requested datasets; without names, all."""

    refresh: frozenset[str] = frozenset()
    full_refresh: frozenset[str] = frozenset()
    full_refresh_all: bool = False

    @classmethod
    def of(cls, refresh: str | Iterable[str], full_refresh: str | Iterable[str], everything: bool) -> Selection:
        """Return the selection of one name or several."""
        return cls(_names(refresh), _names(full_refresh), everything)

    def has(self, flow: FlowNode) -> bool:
        """Whether the target of a flow is updated."""
        named = self.refresh | self.full_refresh
        return self.full_refresh_all or not named or find(flow.target.name, named) is not None

    def emptied(self, definitions: Definitions) -> frozenset[str]:
        """Return the datasets to read from the beginning.

        A full refresh of all leaves out tables with ``pipelines.reset.allowed = false``; naming one raises BadArgument.
        """
        there = {dataset.name: dataset for dataset in definitions.datasets}
        for name in self.refresh | self.full_refresh:
            dataset = definitions.dataset(name)
            if dataset is None:
                raise BadArgument(
                    f"The pipeline has no dataset {name}, which was to be refreshed.{suggestion(name, there)}"
                )
            if dataset.kind is DatasetKind.TEMPORARY_VIEW:
                raise BadArgument(
                    f"{name} is a view: it has no rows of its own to refresh. Name the table that reads it."
                )
        kept = {name for name, dataset in there.items() if not _may_be_reset(dataset)}
        emptied = frozenset(name for name in there if find(name, self.full_refresh))
        if named := sorted(emptied & kept):
            raise BadArgument(
                f"{named[0]} has the property {_RESET_ALLOWED} = false, which keeps its rows: "
                "leave it out of full_refresh, or remove the property."
            )
        return frozenset(there) - kept if self.full_refresh_all else emptied


def _may_be_reset(dataset: Dataset) -> bool:
    return str(dataset.properties.get(_RESET_ALLOWED, "true")).lower() != "false"


def select(plan: PipelinePlan, asked: Selection) -> list[FlowNode]:
    """Return the flows to run, each after the flows that it reads."""
    chosen = [flow for flow in plan.flows if flow.kind is not FlowKind.VIEW and asked.has(flow)]
    return sorted(chosen, key=lambda flow: len(plan.before(flow)))


def _names(given: str | Iterable[str]) -> frozenset[str]:
    return frozenset(without_live(name) for name in ([given] if isinstance(given, str) else given))
