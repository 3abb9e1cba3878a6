"""What tests of file systems share: a server of the test's own that is asked in place of S3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest


@pytest.fixture
def serve_as_s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[type[BaseHTTPRequestHandler]], None]]:
    """Give a function that has a handler answer what is asked of S3, until the test ends."""
    servers: list[ThreadingHTTPServer] = []

    def serve(handler: type[BaseHTTPRequestHandler]) -> None:
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{servers[-1].server_port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "test")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()
