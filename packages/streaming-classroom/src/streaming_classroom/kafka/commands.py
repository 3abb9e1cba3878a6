"""The command ``kafka`` of `course.py`: start, stop, status and topics of the shared broker."""

from __future__ import annotations

from streaming_classroom.kafka import client, servers, shared_broker


def start() -> str:
    """Start the broker unless it runs, and keep it until it is stopped; return a report."""
    if given := servers.external():
        return f"{servers.VARIABLE} names the broker at {given}; nothing was started."
    servers.refuse_elsewhere()
    address = shared_broker.join(servers.ensure_fetched, keep=True)
    return f"Kafka's broker answers at {address}, until `python course.py kafka stop`."


def stop() -> str:
    """Stop the broker, even if it is in use; return a report."""
    if shared_broker.stop():
        return "Kafka's broker has stopped; its messages are kept."
    return "No broker of the classroom's own is running."


def status() -> str:
    """Return where the broker answers and who uses it."""
    if given := servers.external():
        client.call_admin(servers.client_options(), lambda admin: admin.list_topics(timeout=client.TIMEOUT))
        return f"{servers.VARIABLE} names the broker at {given}, which answers."
    found = shared_broker.status()
    if found is None:
        return "No broker is running; a lesson that needs one starts it."
    until = "until `python course.py kafka stop`" if found.kept else "as long as the kernel that started it"
    return f"Kafka's broker answers at {found.address}, process {found.pid}, {until}."


def topics() -> str:
    """Return a line for each topic, with its partitions and messages; no broker is started for this."""
    if not servers.external() and shared_broker.status() is None:
        return "No broker is running; a lesson that needs one starts it."
    found = client.topics(servers.client_options())
    if not found:
        return "There are no topics."
    width = max(map(len, found))
    return "\n".join(
        f"{name:<{width}}  {len(ends)} {'partition' if len(ends) == 1 else 'partitions'}, "
        f"{sum(end - begin for begin, end in ends.values()):,} messages"
        for name, ends in found.items()
    )
