"""A fingerprint of what a frame would be computed from and how, by which two computations are known to be the same.

It has the whole analyzed plan, the version of each Delta table in it, and the session's settings.  Ids that differ
between frames are numbered in the order in which they come.  A plan has a fingerprint only where equal plans give
equal rows: it reads nothing but Delta tables, and it has no random value, no clock, no user and no code of its user,
which may do something else today under the same name.  Wherever something is not understood there is none.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError

from declarative_pipelines.engine.jvm_values import JvmValues

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CATALYST = "org.apache.spark.sql.catalyst."
_KNOWN = re.compile(rf"{re.escape(_CATALYST)}(expressions|plans\.logical)\.([a-z]\w*\.)?\w+\$?")
_RELATION = "org.apache.spark.sql.execution.datasources.LogicalRelation"
_DELTA_FILES = "org.apache.spark.sql.delta.files.TahoeLogFileIndex"
# Code that a plan only names, by a part of the class's name.
_CODE = re.compile(r"Python|Pandas|Arrow|Scala|Invoke|Reflect|expressions\.objects\.|TypedFilter|MapElements|Sample")
_PATTERNS = ("CURRENT_LIKE", "PLAN_EXPRESSION")  # what has a clock or a user; what has a plan that is no child
# Fields whose values differ between frames: ids of expressions, of common table expressions, of the frame.
_EXPRESSION_IDS = ("exprId", "resultId")
_QUERY_ID, _QUERY = "cteId", f"{_CATALYST}plans.logical.CTERelationDef"
_REFERENCE = f"{_CATALYST}plans.logical.CTERelationRef"
_FRAME_ID = "dataframeId"
# The same ids in a plan's text, which says some things that its JSON leaves out, such as that a cast is a try_cast.
_IDS_IN_TEXT = re.compile(r"#\d+L?|(?<=CTERelationDef )\d+|(?<=CTERelationRef )\d+")
_FRAME_IN_TEXT = re.compile(r"(CollectMetrics .*), \d+$", re.MULTILINE)
_ANY_LENGTH = 1_000_000


def fingerprint(frame: DataFrame) -> str | None:
    """Return the fingerprint of a frame's plan over the tables as the session knows them now; None where it has none.

    Parameters
    ----------
    frame
        Of a session that has its JVM in this machine.
    """
    try:
        plan = frame._jdf.queryExecution().analyzed()
        if not plan.deterministic() or _has_patterns(frame.sparkSession, plan):
            return None
        inputs = _inputs(plan)
        if inputs is None:
            return None
        nodes = json.loads(plan.toJSON())
        text = _without_ids(plan.treeString(True, True, _ANY_LENGTH, False, False))
    except (Py4JError, ValueError):  # a plan that cannot be said as JSON
        return None
    if not all(_is_known(name) for name in _classes(nodes)):
        return None
    said = json.dumps([_renumbered(nodes, {}), text, inputs, _settings(frame.sparkSession)], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()


def _has_patterns(session: SparkSession, plan: Any) -> bool:
    patterns = JvmValues(session).named(f"{_CATALYST}trees.TreePattern.withName")
    return any(plan.containsPattern(patterns(name)) for name in _PATTERNS)


def _inputs(plan: Any) -> list[tuple[str, str, int]] | None:
    """Return the tables that a plan reads, in its order, each with its version; None if it reads anything else."""
    leaves, found = plan.collectLeaves(), []
    for number in range(leaves.size()):
        leaf = leaves.apply(number)
        name = leaf.getClass().getName()
        if name == _REFERENCE:
            continue  # to a query whose own leaves are here as well
        if name != _RELATION:
            return None
        files = leaf.relation().location()
        if files.getClass().getName() != _DELTA_FILES:
            return None
        found.append((files.path().toString(), files.metadata().id(), int(files.version())))
    return found


def _classes(node: Any) -> Iterator[str]:
    """Yield the names of the classes of a plan's nodes and expressions."""
    for one in _inside(node):
        if isinstance(one, dict) and "class" in one:
            yield one["class"]
        yield from _classes(one)


def _inside(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        yield from node.values()
    elif isinstance(node, list):
        yield from node


def _is_known(name: str) -> bool:
    return name == _RELATION or (_KNOWN.fullmatch(name) is not None and _CODE.search(name) is None)


def _renumbered(node: Any, numbers: dict[tuple[str, int], int]) -> Any:
    """Return a plan with its expression ids renumbered in order, so that two frames of one query are equal."""
    if isinstance(node, list):
        return [_renumbered(one, numbers) for one in node]
    if not isinstance(node, dict):
        return node
    found = {}
    for key, one in node.items():
        if key in _EXPRESSION_IDS and isinstance(one, dict):
            found[key] = numbers.setdefault(("expression", one["id"]), len(numbers))
        elif key == _QUERY_ID or (key == "id" and node.get("class") == _QUERY):
            found[key] = numbers.setdefault(("query", one), len(numbers))
        elif key != _FRAME_ID:
            found[key] = _renumbered(one, numbers)
    return found


def _without_ids(text: str) -> str:
    return _IDS_IN_TEXT.sub("", _FRAME_IN_TEXT.sub(r"\1", text))


def _settings(session: SparkSession) -> dict[str, str]:
    """Return the settings that may change a query's result, with Spark's version."""
    settings = {key: value for key, value in dict(session.conf.getAll).items() if key.startswith("spark.sql.")}
    return {"version": session.version, **settings}
