"""Features of the platform's pipelines that are not supported here; each is refused with what to do instead.

What only tunes the platform's own machinery is taken without effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from declarative_pipelines.definitions.model import SourceLocation
from declarative_pipelines.errors import BadDefinition, UnsupportedFeature

_TABLE = ("comment", "spark_conf", "table_properties", "partition_cols", "cluster_by", "schema", "format")
_KNOWN = {
    "table": _TABLE,
    "create_table": _TABLE,
    "materialized_view": _TABLE,
    "view": ("comment", "spark_conf"),
    "create_view": ("comment", "spark_conf"),
    "temporary_view": ("comment", "spark_conf"),
    "create_streaming_table": _TABLE,
    "create_auto_cdc_flow": ("flow_name",),
    "create_auto_cdc_from_snapshot_flow": (),
    "append_flow": ("target", "once", "spark_conf", "comment"),
    "create_sink": ("format", "options"),
}
# A table that only the pipeline is to see is a table like any other here.
_WITHOUT_EFFECT = ("cluster_by_auto", "refresh_policy", "private", "temporary")
_REFUSED = {
    "path": "a table's files lie where its schema has them; leave path= out, or write there by a sink.",
    "row_filter": "open-source Spark has no row filters; leave row_filter= out, and filter in a view over the table.",
    "system_sequence_by": "histories of two times are not here; leave system_sequence_by= out, and keep the time at "
    "which a change arrived in a column of its own.",
}
#: Names of the two modules that the platform has beside those that are here.
MODULE = {
    "on_event_hook": "event hooks are not here; give run_pipeline(observer=...) a function.",
    "create_feature_table": "feature tables are not here; write a table.",
    "update_flow": "flows in update mode are not here; write @dlt.append_flow into a sink of @dlt.foreach_batch_sink, "
    "which merges each batch, or a materialized view.",
}


def known(spelling: str, arguments: Mapping[str, Any], location: SourceLocation) -> dict[str, Any]:
    """Return the arguments that say something here.

    Raises
    ------
    UnsupportedFeature
        One is the platform's, and cannot be had here.
    BadDefinition
        One is nobody's.
    """
    kept = {}
    for name, value in arguments.items():
        if name in _KNOWN[spelling]:
            kept[name] = value
        elif name in _REFUSED and value not in (None, False):
            raise UnsupportedFeature(location, f"{spelling}({name}=...): {_REFUSED[name]}")
        elif name not in _WITHOUT_EFFECT and name not in _REFUSED:
            there = ", ".join(("name", *_KNOWN[spelling]))
            raise BadDefinition(location, f"{spelling}() has no argument {name!r}. It has {there}.")
    return kept
