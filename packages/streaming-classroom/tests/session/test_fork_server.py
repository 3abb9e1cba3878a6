"""A worker that is forked behaves as one that the interpreter starts; modules of the tests' own stand for Spark's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from streaming_classroom.session import worker_launcher

HERE = Path(worker_launcher.__file__).parent
DEADLINE = 120

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only"),
]


class ForkServer:
    """The process that forks, and what asks it."""

    def __init__(self, root: Path) -> None:
        self.root, self.socket = root, root / "workers" / "socket"
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "fork_server.py"), str(self.socket)], stdin=subprocess.PIPE
        )
        until(self.socket.exists)

    def module(self, text: str) -> str:
        """Write a module and return its name."""
        name = f"planned_{len(list(self.root.glob('*.py')))}"
        (self.root / f"{name}.py").write_text(textwrap.dedent(text))
        return name

    def ask(self, module: str, *arguments: str, **variables: str) -> subprocess.Popen:
        environment = os.environ | {"CLASSROOM_FORK_SERVER": str(self.socket), "PYTHONPATH": str(self.root)} | variables
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(HERE / "forked_worker.py"), sys.executable, "-m", module, *arguments],
            env=environment,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait(DEADLINE)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ForkServer]:
    server = ForkServer(tmp_path)
    yield server
    server.end()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


TELL = """
    import json, os, signal, sys
    json.dump({
        "name": __name__, "arguments": sys.argv[1:], "variable": os.environ.get("ASKED"), "directory": os.getcwd(),
        "path": sys.path[:2], "parent": os.getppid(), "children_are_waited_for": signal.getsignal(signal.SIGCHLD) == 0,
        "threads": os.environ.get("OPENBLAS_NUM_THREADS"),
    }, sys.stdout)
    print("a warning", file=sys.stderr)
"""


def test_a_worker_has_what_its_asker_has(server: ForkServer) -> None:
    asker = server.ask(server.module(TELL), "one", "two words", ASKED="für €", OPENBLAS_NUM_THREADS="7")
    out, err = asker.communicate(timeout=DEADLINE)
    assert (asker.returncode, err) == (0, "a warning\n")
    assert json.loads(out) == {
        "name": "__main__",
        "arguments": ["one", "two words"],
        "variable": "für €",
        "directory": str(server.root),
        "path": [str(server.root), str(server.root)],
        "parent": server.process.pid,
        "children_are_waited_for": True,
        "threads": "7",
    }


@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        ("pass", 0, ""),
        ("raise SystemExit(3)", 3, ""),
        ("raise SystemExit(-1)", 255, ""),
        ("raise SystemExit('why')", 1, "why"),
        ("raise ValueError('wrong')", 1, "ValueError: wrong"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 1, ""),
    ],
)
def test_the_asker_ends_as_the_worker_does(server: ForkServer, end: str, code: int, said: str) -> None:
    asker = server.ask(server.module(end))
    _, err = asker.communicate(timeout=DEADLINE)
    assert (asker.returncode, said in err) == (code, True)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_ends_with_its_asker(server: ForkServer, how: signal.Signals) -> None:
    asker = server.ask(server.module("import os, time; print(os.getpid(), flush=True); time.sleep(600)"))
    worker = psutil.Process(int(asker.stdout.readline()))
    asker.send_signal(how)
    worker.wait(DEADLINE)
    asker.communicate(timeout=DEADLINE)


def test_without_it_an_interpreter_is_started(server: ForkServer) -> None:
    name = server.module("import os; print(os.getpid())")
    server.process.kill()
    server.process.wait(DEADLINE)
    asker = server.ask(name)
    out, _ = asker.communicate(timeout=DEADLINE)
    assert (asker.returncode, int(out)) == (0, asker.pid)


def test_it_ends_with_who_started_it_and_leaves_nothing(tmp_path: Path) -> None:
    server = ForkServer(tmp_path)
    server.end()
    assert server.process.returncode == 0
    assert not server.socket.parent.exists()


def test_others_cannot_ask(server: ForkServer) -> None:
    assert server.socket.parent.stat().st_mode & 0o077 == 0
