"""Ends the connections by which threads of the JVM have called Python, once those threads are idle or gone.

Each thread of the JVM that calls a Python function, of ``foreachBatch`` or of a listener, has a connection of its own,
and a thread in this process that waits for its next call.  py4j closes connections that have become idle only where
somebody asks for it, and the threads of streams do not come back: after hundreds of updates there would be thousands.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def close_idle_connections(session: SparkSession) -> None:
    """Close the connections that have not been used since this was called last; who calls again gets another one."""
    gateway = session.sparkContext._gateway
    with suppress(Py4JError):  # a session without callbacks, or one that is ending
        JavaObject("GATEWAY_SERVER", gateway._gateway_client).getCallbackClient().periodicCleanup()
