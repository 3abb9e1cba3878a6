"""The error of a flow, as one sentence at the line of its definition."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from declarative_pipelines.definitions.model import Dataset, SourceLocation
from declarative_pipelines.definitions.registry import location_of
from declarative_pipelines.errors import BadDefinition, FlowFailed, PipelineError, innermost_message, unset_key
from declarative_pipelines.planning.expectations import violation
from declarative_pipelines.planning.flow_nodes import suggestion
from declarative_pipelines.sql.catalogs import how_to_map
from stream_view.errors import ExplainedError, short_message

if TYPE_CHECKING:
    from declarative_pipelines.planning.flow_nodes import FlowNode

_NOT_FOUND = re.compile(r"\[TABLE_OR_VIEW_NOT_FOUND[^\]]*\] The table or view (\S+) cannot be found")
_NO_CATALOG = re.compile(r"\[REQUIRES_SINGLE_PART_NAMESPACE\].*?, but got (?:identifier )?`?([^`.\s]+)")
_ROWS_WERE_CHANGED = re.compile(
    r"DELTA_SOURCE_TABLE_IGNORE_CHANGES|DELTA_SOURCE_IGNORE_DELETE|UNSUPPORTED_DELTA_SOURCE"
)
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '(\w+)")


def explained(error: BaseException, flow: FlowNode, known: Iterable[str] = ()) -> PipelineError:
    """Return why a flow could not be planned; the error itself is its cause.

    Parameters
    ----------
    known
        Names of datasets and tables, for a name that is nearly one of them.
    """
    if isinstance(error, PipelineError):
        return error
    text = short_message(error)
    if key := unset_key(error):
        sentence = f"{flow.name}: {key}"
    elif found := _NO_CATALOG.search(text):
        sentence = f"{flow.name}: {how_to_map(found[1])}"
    elif found := _NOT_FOUND.search(text):
        name = found[1].replace("`", "")
        sentence = f"{flow.name} reads {name}, which is neither a dataset of the pipeline nor a table."
        sentence += suggestion(name, known)
    elif isinstance(error, ExplainedError):
        sentence = f"{flow.name}: {text}"
    else:
        kind = "" if text.startswith("[") else f"{type(error).__name__}: "
        sentence = f"{flow.name} cannot be planned. {kind}{text}{_hint(error, flow)}"
    return _caused(BadDefinition(_line_of(error, flow), sentence), error)


def not_created(error: BaseException, dataset: Dataset) -> PipelineError:
    """Return why a dataset's table could not be created or changed."""
    text = short_message(error)
    text = text if text.startswith("[") else innermost_message(error)
    sentence = f"the table {dataset.name} cannot be created or changed: {text}"
    if "DELTA_DUPLICATE_COLUMNS_FOUND" in text:
        sentence += " Names that differ by case only are one column: spell it in one way, as the table has it."
    return _caused(BadDefinition(dataset.location, sentence), error)


def failed(error: BaseException, flow: FlowNode) -> PipelineError:
    """Return why a flow failed while it ran."""
    if isinstance(error, PipelineError):
        return error
    met = violation(str(error))
    return _caused(met or FlowFailed(flow.target.name, flow.name, innermost_message(error) + _hint(error, flow)), error)


def _hint(error: BaseException, flow: FlowNode) -> str:
    """Return what to do, with a blank before it, where the error says no more than what is wrong."""
    if _ROWS_WERE_CHANGED.search(str(error)):
        return (
            f" Rows that {flow.name} reads as a stream were changed or removed, as by a full refresh. "
            f"Refresh {flow.target.name} in full as well, or read with the option skipChangeCommits."
        )
    missing = _NO_MODULE.search(str(error))
    if missing and find_spec(missing[1]):  # which this process has
        return (
            f" Spark's workers run a Python that has no {missing[1]}. Activate this Python's virtual environment, or "
            f"set PYSPARK_PYTHON={sys.executable}, before the session starts."
        )
    return ""


def _caused(sentence: PipelineError, error: BaseException) -> PipelineError:
    sentence.__cause__ = error
    return sentence


def _line_of(error: BaseException, flow: FlowNode) -> SourceLocation:
    """Return the line of the definition's file that the error comes from; else where the definition begins."""
    traceback, found = error.__traceback__, flow.location
    while traceback is not None:
        location = location_of(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
        if location.file == flow.location.file:
            found = location
        traceback = traceback.tb_next
    return found
