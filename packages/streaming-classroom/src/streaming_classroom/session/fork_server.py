"""The fork server: a process with the workers' imports, which forks one worker per request.

It is one thread, as what is forked must be (that of Arrow's memory allocator continues after a fork by itself), and
imports nothing of the classroom.  Its arguments are the path of its socket and further modules to import; it ends, and
takes the socket's folder along, when its standard input does.

A worker gets its asker's environment, directory and streams, runs the module that Spark named as ``__main__``, and
leaves as any interpreter does.
"""

import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path

# What Spark runs as a worker, and what Auto Loader's imports besides.
IMPORTED = (
    "pyspark.sql.streaming.python_streaming_source_runner",
    "numpy",
    "pyarrow",
    "msgspec",
    "pyspark_cloudfiles.source.stream_reader",
    "pyspark_cloudfiles.source.plan",
    "pyspark_cloudfiles.source.task",
    "pyspark_cloudfiles.formats.json_reader",
    "pyspark_cloudfiles.formats.csv_reader",
)


def main(path: Path, more_imports: list[str]) -> int:
    """Fork workers until the standard input ends; return a worker's exit code, in the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the processes that Spark starts
    path.parent.mkdir(mode=0o700)  # so that nobody else asks
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    own = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    installed = [entry for entry in sys.path[1:] if entry not in own]
    for name in (*IMPORTED, *more_imports):
        with suppress(ImportError):  # a worker that needs it says so
            import_module(name)
    gc.collect()
    gc.freeze()  # what is shared with workers stays so
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for workers
    while 0 not in select.select([0, listener], [], [])[0]:  # type: ignore[type-var]
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return _worker(connection, installed)
        connection.close()
    path.unlink()
    path.parent.rmdir()
    return 0


def _worker(connection: socket.socket, installed: list) -> int:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request = _receive_request(connection)
    os.environ.clear()
    os.environ.update(request["variables"])
    os.chdir(request["directory"])
    own = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path[:] = [request["directory"], *own, *installed]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(write_through=True)  # type: ignore[union-attr]  # somebody reads along
    connection.sendall(b"+")
    is_over = threading.Event()
    threading.Thread(target=_end_with, args=(connection, is_over), daemon=True).start()
    code = _run(*request["arguments"])
    is_over.set()
    connection.sendall(bytes([code & 0xFF]))
    return code


def _receive_request(connection: socket.socket) -> dict:
    """Return the request, and take over the client's streams."""
    length, streams, _, _ = socket.recv_fds(connection, 8, 3)
    left, parts = int.from_bytes(length, "big"), []
    while left:
        parts.append(connection.recv(min(left, 65536)))
        if not parts[-1]:
            sys.exit(1)
        left -= len(parts[-1])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    return json.loads(b"".join(parts))


def _end_with(connection: socket.socket, is_over: threading.Event) -> None:
    """End when Spark has ended the program that stands for this one."""
    with suppress(ConnectionError):  # that program had not yet read that this one begins
        connection.recv(1)
    if not is_over.is_set():
        os.kill(os.getpid(), signal.SIGTERM)


def _run(_: str, module: str, *arguments: str) -> int:
    """Run a module as ``python -m`` does, and return its exit code."""
    sys.argv = [module, *arguments]
    warnings.filterwarnings("ignore", ".*found in sys.modules", RuntimeWarning)  # which is the point
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, int | None):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
