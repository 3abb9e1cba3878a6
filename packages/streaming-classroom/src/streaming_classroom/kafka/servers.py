"""The broker's address: that of ``KAFKA_BOOTSTRAP_SERVERS``, else of the classroom's own broker.

The classroom's own serves all kernels of a home and ends with the kernel that started it; its messages stay there.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress

from streaming_base import front_end
from streaming_base.waiting import wait_line
from streaming_classroom import environment
from streaming_classroom.errors import JarsUnavailable, NotAvailable
from streaming_classroom.kafka import client, redirect, shared_broker
from streaming_classroom.setup import guard, jars, java

VARIABLE = "KAFKA_BOOTSTRAP_SERVERS"

EARLY = "early start of Kafka's broker"

_asking = threading.RLock()  # two cells' threads may ask at once


def bootstrap_servers() -> str:
    """Return the address of a Kafka broker, such as Spark's option ``kafka.bootstrap.servers`` takes.

    Where the environment variable ``KAFKA_BOOTSTRAP_SERVERS`` is set, this is its value, and nothing is started.
    Otherwise it is the broker of this home, which the first kernel that asks starts.  That takes three seconds, the
    first time after fetching it (45 MB).  It makes topics with two partitions when they are first used.

    Raises
    ------
    JarsUnavailable
        The broker is not in the cache and could not be fetched.
    BrokerStartError
        The broker did not start; the message has its last words.
    NotAvailable
        Spark runs elsewhere, from where a broker on this machine could not be reached.
    BrokerUnreachable
        Nobody answers at the address that the variable names.
    """
    if given := external():
        return redirect.reachable_servers(given)
    refuse_elsewhere()
    with wait_line(lambda: "starting Kafka's broker"), _asking, guard.setup_errors():
        return shared_broker.join(ensure_fetched)


def begin() -> None:
    """Start the classroom's broker in the background; a cell that needs it waits for this start.

    A broker that has to be downloaded first is left to that cell, which reports the download.
    """
    if not front_end.is_interactive() or external() or not environment.is_on_this_machine():
        return
    if all(path.exists() for path in jars.paths(jars.KAFKA_BROKER)):
        threading.Thread(target=_start_early, name=EARLY, daemon=True).start()


def _start_early() -> None:
    with suppress(Exception):  # the cell that asks for it tries again, and there it is seen
        bootstrap_servers()


def external() -> str | None:
    """Return the address of a broker that is not the classroom's own, or None."""
    return os.environ.get(VARIABLE) or None


def options() -> dict[str, str]:
    """Return the broker's options for Kafka's Java client, and so for Spark: address and security."""
    return {"bootstrap.servers": bootstrap_servers()} | (client.options_from_file() if external() else {})


def client_options() -> dict[str, str]:
    """Return the same for the Python client."""
    servers = {"bootstrap.servers": bootstrap_servers()}
    return servers | (client.for_python(client.options_from_file()) if external() else {})


def refuse_elsewhere() -> None:
    """Raise NotAvailable if Spark runs on other machines, from where it could not reach a broker here."""
    if not environment.is_on_this_machine():
        raise NotAvailable("Spark runs elsewhere and could not reach a broker here.", f"Set {VARIABLE} to one it can.")


def ensure_fetched() -> java.Java:
    """Return the Java to use, after downloading the broker's jars if they are missing."""
    report = print if front_end.is_interactive() else lambda _line: None
    with guard.setup_lock(report):
        found = java.find_or_fetch()
        if missing := jars.missing_or_damaged(jars.KAFKA_BROKER):
            report(f"Fetching Kafka's broker, {jars.KAFKA_BROKER.megabytes} MB, this once ...")
            _fetch(missing)
        return found


def _fetch(missing: list[jars.Jar]) -> None:
    try:
        jars.fetch(missing, jars.KAFKA_BROKER)
    except JarsUnavailable as error:
        error.fix += f" Or set {VARIABLE} to a broker that runs."
        raise
