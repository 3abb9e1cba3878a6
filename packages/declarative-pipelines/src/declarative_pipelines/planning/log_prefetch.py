"""Delta reads the log of the table that a flow writes to while the flow's query starts.

Delta looks into a table's log before it writes to it, which for a small table takes as long as the batch itself, and
keeps what it has read. A query that starts leaves a core free for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from declarative_pipelines.definitions.model import Dataset
from declarative_pipelines.engine.spark_engine import SparkEngine
from declarative_pipelines.planning.flow_nodes import FlowNode


@contextmanager
def prefetch_logs(engine: SparkEngine, flows: Iterable[FlowNode]) -> Iterator[None]:
    """Read the logs of the flows' tables in the background; failures are ignored."""
    tables = {flow.target.name: flow.target for flow in flows if flow.target.is_delta}
    pool = ThreadPoolExecutor(1, "reads logs", initializer=engine.use_in_this_thread)
    for table in tables.values():
        pool.submit(_read, engine, table)
    try:
        yield
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _read(engine: SparkEngine, dataset: Dataset) -> None:
    with suppress(Exception):  # the table is not there yet, or it is being dropped: its flow says what is wrong
        engine.read_log(dataset)
