"""A port for a server of the tests' own."""

from __future__ import annotations

import socket


def free_port() -> int:
    """Return a free port of this machine; another process may still take it first."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]
