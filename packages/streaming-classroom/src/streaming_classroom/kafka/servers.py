"""The broker's address, of ``KAFKA_BOOTSTRAP_SERVERS`` or else of the home's own broker, and `course.py kafka`."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

from streaming_base import front_end
from streaming_base.waiting import wait_line
from streaming_classroom import environment
from streaming_classroom.errors import NotAvailable, SetupError
from streaming_classroom.kafka import broker, client
from streaming_classroom.setup import jars, java, steps

VARIABLE = "KAFKA_BOOTSTRAP_SERVERS"
EARLY = "early start of Kafka's broker"


def bootstrap_servers() -> str:
    """Return the address of a Kafka broker, such as Spark's option ``kafka.bootstrap.servers`` takes.

    Where the environment variable ``KAFKA_BOOTSTRAP_SERVERS`` is set, this is its value, and nothing is started.
    Otherwise it is the broker of this home, which the first kernel that asks starts.  That takes three seconds, the
    first time after fetching it (45 MB).  It makes topics with two partitions when they are first used.

    Raises
    ------
    SetupError
        The broker could not be fetched, or did not start; the message has its last words.
    NotAvailable
        Spark runs elsewhere, from where a broker on this machine could not be reached.
    BrokerUnreachable
        Nobody answers at the address that the variable names.
    """
    if given := external():
        return client.reachable_servers(given)
    refuse_elsewhere()
    with wait_line(lambda: "starting Kafka's broker"), steps.setup_errors():
        return broker.ensure_running(ensure_fetched)


def start_early() -> None:
    """Start the classroom's broker in the background; a cell that needs it waits for this start.

    A broker that has to be downloaded first is left to that cell, which reports the download.
    """
    if not front_end.is_interactive() or external() or not environment.is_on_this_machine():
        return

    def start() -> None:
        with suppress(Exception):  # the cell that asks for it tries again, and there it is seen
            bootstrap_servers()

    if all(path.exists() for path in jars.paths(jars.KAFKA_BROKER)):
        threading.Thread(target=start, name=EARLY, daemon=True).start()


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
    with steps.setup_lock(report):
        found = java.find_or_fetch()
        if missing := jars.missing_or_damaged(jars.KAFKA_BROKER):
            report(f"Fetching Kafka's broker, {jars.KAFKA_BROKER.megabytes} MB, this once ...")
            try:
                jars.fetch(missing, jars.KAFKA_BROKER)
            except SetupError as error:
                error.fix += f" Or set {VARIABLE} to a broker that runs."
                raise
        return found


# The actions of `course.py kafka`.


def start() -> str:
    """Start the broker unless it runs, and keep it until it is stopped; return a report."""
    if given := external():
        return f"{VARIABLE} names the broker at {given}; nothing was started."
    refuse_elsewhere()
    address = broker.ensure_running(ensure_fetched, keep=True)
    return f"Kafka's broker answers at {address}, until `python course.py kafka stop`."


def stop() -> str:
    """Stop the broker, even if it is in use; return a report."""
    if broker.stop():
        return "Kafka's broker has stopped; its messages are kept."
    return "No broker of the classroom's own is running."


def status() -> str:
    """Return where the broker answers and who uses it."""
    if given := external():
        client.call_admin(client_options(), lambda admin: admin.list_topics(timeout=client.TIMEOUT))
        return f"{VARIABLE} names the broker at {given}, which answers."
    found = broker.status()
    if found is None:
        return "No broker is running; a lesson that needs one starts it."
    until = "until `python course.py kafka stop`" if found.kept else "as long as the kernel that started it"
    return f"Kafka's broker answers at {found.address}, process {found.pid}, {until}."


def topics() -> str:
    """Return a line for each topic, with its partitions and messages; no broker is started for this."""
    if not external() and broker.status() is None:
        return "No broker is running; a lesson that needs one starts it."
    found = client.topics(client_options())
    width = max(map(len, found), default=0)
    lines = [
        f"{name:<{width}}  {len(ends)} {'partition' if len(ends) == 1 else 'partitions'}, "
        f"{sum(end - begin for begin, end in ends.values()):,} messages"
        for name, ends in found.items()
    ]
    return "\n".join(lines) or "There are no topics."
