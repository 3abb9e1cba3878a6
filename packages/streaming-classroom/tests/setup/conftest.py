"""What the tests of the set-up need: a cache of their own, made-up Javas, a Maven repository without a network."""

from __future__ import annotations

import hashlib
import os
import tarfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from streaming_classroom.setup import jars, java


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the course to an empty cache and home, in a directory with a blank and an umlaut in its name."""
    monkeypatch.setenv("CLASSROOM_CACHE", str(tmp_path / "ä cache"))
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / "ä home"))
    return tmp_path / "ä cache"


@pytest.fixture
def make_java(tmp_path: Path) -> Callable[..., Path]:
    """Make a directory that looks like a Java of a version; return its home."""

    def make(version: int | str, name: str = "", release: bool = True, prints: str = "") -> Path:
        home = tmp_path / (name or f"jdk-{version}")
        (home / "bin").mkdir(parents=True)
        program = home / "bin" / java.EXECUTABLE
        # It runs with an empty PATH, too.
        copy = 'while IFS= read -r line; do echo "$line"; done'
        program.write_text(f"#!/bin/sh\n{copy} <<'END'\n{prints}\nEND\n", encoding="utf-8")
        program.chmod(0o755)
        if release:
            (home / "release").write_text(f'IMPLEMENTOR="Test"\nJAVA_VERSION="{version}"\n', encoding="utf-8")
        return home

    return make


@pytest.fixture
def no_java(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Hide every Java of this machine; return the directory that is the whole PATH."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java, "_USUAL_PLACES", {"linux": (), "darwin": (), "win32": ()})
    monkeypatch.setattr(java, "_ANYWHERE", ())
    path = tmp_path / "path"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    return path


@pytest.fixture
def archive(make_java, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an archive with a Java in it, and list it as the one for this system."""
    make_java(17, "made/jdk-17-jre/Contents/Home")
    file = tmp_path / "OpenJDK17U-jre_17.0.tar.gz"
    with tarfile.open(file, "w:gz") as packed:
        packed.add(tmp_path / "made" / "jdk-17-jre", "jdk-17-jre")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    monkeypatch.setattr(java, "_archive_for_here", lambda: (file.as_uri(), digest))
    return file


class Maven:
    """A Maven repository on this machine, which serves the jars that the real set-up fetched.

    ``requests`` holds the requested paths, ``damaged`` the names of files to serve other bytes for, ``breaking`` the
    names of files whose next answer ends half-way; a request for a file in ``stalled`` waits until ``open`` is set.
    """

    def __init__(self) -> None:
        self.files = {
            f"/{jar.organisation.replace('.', '/')}/{jar.module}/{jar.revision}/{jar.file_name}": path
            for jar, path in zip(jars.locked(), jars.paths(), strict=True)
        }
        self.requests: list[str] = []
        self.damaged: set[str] = set()
        self.breaking: set[str] = set()
        self.stalled: set[str] = set()
        self.open = threading.Event()
        self.waiting = threading.Event()

    def content(self, path: str) -> bytes | None:
        """Return what is at a path, or None."""
        if path not in self.files:
            return None
        return (
            b"not what the course was tested with" if name_of(path) in self.damaged else self.files[path].read_bytes()
        )

    def jar_requests(self) -> list[str]:
        """Return the file names of the jars that were asked for, in order."""
        return [name_of(path) for path in self.requests]

    def serve(self) -> ThreadingHTTPServer:
        """Start serving; return the server."""
        repository = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                repository.requests.append(self.path)
                name = name_of(self.path)
                if name in repository.stalled:
                    repository.waiting.set()
                    repository.open.wait(30)
                content = repository.content(self.path)
                self.send_response(404 if content is None else 200)
                content = content or b""
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if name in repository.breaking:
                    repository.breaking.remove(name)
                    content = content[: len(content) // 2]
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # a client that was killed

        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


@pytest.fixture
def maven(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Maven]:
    """Serve a Maven repository here, and point the set-up to it and to an empty cache."""
    repository = Maven()  # before the cache moves: it serves from the real one
    request.getfixturevalue("cache")
    server = repository.serve()
    monkeypatch.setenv("CLASSROOM_MAVEN_REPOSITORY", f"http://127.0.0.1:{server.server_port}/")
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    yield repository
    repository.open.set()
    server.shutdown()
    server.server_close()
