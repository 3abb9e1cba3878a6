"""A port for a server of the tests' own."""

from __future__ import annotations

import socket


def free_port() -> int:
    """Return a port that nobody on this machine listens at; another process may still be quicker to take it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]
