"""Patches of Spark's ``option``: redirects a Kafka address that moved, and names one that does not answer.

``KAFKA_REDIRECT=old:9092=new:9092`` (several with commas) lets a notebook reach a broker under another address than the
one that is written in it.  And where nobody listens at an address, Spark would try for minutes; a sentence says so.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from functools import wraps
from typing import Any

from streaming_base import hooks
from streaming_classroom.errors import BrokerUnreachable, NotAvailable

VARIABLE = "KAFKA_REDIRECT"
OPTION = "kafka.bootstrap.servers"
TIMEOUT = 3.0  # seconds for each address


def install() -> None:
    """Check and redirect the addresses given to Spark's readers and writers; calling it again changes nothing."""
    from pyspark.sql import DataFrameReader, DataFrameWriter
    from pyspark.sql.streaming import DataStreamReader, DataStreamWriter

    why = "Kafka's address is where the broker is now, and one where nobody listens is said at once"
    for kind in (DataFrameReader, DataFrameWriter, DataStreamReader, DataStreamWriter):
        for method, make in (("option", _wrap_option), ("options", _wrap_options)):
            hooks.wrap(kind, method, make, by="streaming_classroom", layer="connection", why=why)


def reachable_servers(servers: str) -> str:
    """Return the current addresses of the broker; BrokerUnreachable if none accepts a connection."""
    moved = redirect_servers(servers)
    reasons = [reason for address in moved.split(",") if (reason := refusal(address.strip()))]
    if len(reasons) == len(moved.split(",")):
        raise BrokerUnreachable(moved, reasons[0])
    return moved


def redirect_servers(servers: str) -> str:
    """Return the addresses, with moved ones replaced."""
    pairs = [part.split("=") for part in os.environ.get(VARIABLE, "").split(",") if part]
    if any(len(pair) != 2 for pair in pairs):
        raise NotAvailable(f"{VARIABLE} is not of the form old:9092=new:9092.", "Write it so; several with commas.")
    moves = {old.strip(): new.strip() for old, new in pairs}
    return ",".join(moves.get(address.strip(), address.strip()) for address in servers.split(","))


def refusal(address: str) -> str:
    """Return why an address does not accept connections, or an empty string."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        return "an address is a host, a colon and a port"
    try:
        socket.create_connection((host.strip("[]"), int(port)), TIMEOUT).close()
    except (OSError, OverflowError) as error:
        return getattr(error, "strerror", None) or str(error)
    return ""


def _wrap_option(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def option(self: Any, key: str, value: Any) -> Any:
        return original(self, key, reachable_servers(str(value)) if key.lower() == OPTION else value)

    return option


def _wrap_options(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def options(self: Any, **given: Any) -> Any:
        servers = {key: reachable_servers(str(value)) for key, value in given.items() if key.lower() == OPTION}
        return original(self, **(given | servers))

    return options
