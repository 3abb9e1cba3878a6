"""The program that stands in for a forked worker: waits for its end, and ends it with Spark.

Run with ``-I -S``, which starts in a hundredth of a second.  Its arguments are the interpreter and what that would have
been given; if there is nobody who forks, this becomes that interpreter.
"""

import json
import os
import socket
import sys


def main(python: str, *arguments: str) -> int:
    try:
        worker = request_worker(os.environ["CLASSROOM_FORK_SERVER"], arguments)
    except OSError:
        os.execv(python, [python, *arguments])
    ended = worker.recv(1)
    return ended[0] if ended else 1


def request_worker(path: str, arguments: tuple) -> socket.socket:
    """Return the connection to a worker that has confirmed its start."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    # Importing pathlib takes as long as all of this.
    request = {"arguments": arguments, "variables": dict(os.environ), "directory": os.getcwd()}  # noqa: PTH109
    encoded = json.dumps(request).encode("ascii")
    socket.send_fds(connection, [len(encoded).to_bytes(8, "big")], [0, 1, 2])
    connection.sendall(encoded)
    if not connection.recv(1):
        raise ConnectionError
    return connection


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
