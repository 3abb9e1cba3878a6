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

from declarative_pipelines.engine.session import JvmValues

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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
    """Return the fingerprint of a frame's plan over the tables as the session knows them now; None if it has none."""
    session = frame.sparkSession
    try:
        plan = frame._jdf.queryExecution().analyzed()
        pattern = JvmValues(session).named(f"{_CATALYST}trees.TreePattern.withName")
        if not plan.deterministic() or any(plan.containsPattern(pattern(name)) for name in _PATTERNS):
            return None
        inputs = _inputs(plan)
        if inputs is None:
            return None
        nodes = json.loads(plan.toJSON())
        text = plan.treeString(True, True, _ANY_LENGTH, False, False)
    except (Py4JError, ValueError):  # a plan that cannot be said as JSON
        return None
    if not all(_is_known(name) for name in _classes(nodes)):
        return None
    text = _IDS_IN_TEXT.sub("", _FRAME_IN_TEXT.sub(r"\1", text))
    # What may change a query's result.
    settings = {key: value for key, value in dict(session.conf.getAll).items() if key.startswith("spark.sql.")}
    said = [_renumbered(nodes, {}), text, inputs, {"version": session.version, **settings}]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


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
    if isinstance(node, dict) and "class" in node:
        yield node["class"]
    for inside in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _classes(inside)


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
