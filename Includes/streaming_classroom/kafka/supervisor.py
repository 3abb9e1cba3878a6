"""Run a program that ends when its starter does, however that ends.

A program of its own: ``python supervisor.py LOCK PROGRAM ARGUMENT...``, with a pipe as standard input, which the
starter keeps open.  The system closes the pipe when the starter's process ends, also one that is killed; this works
alike on every system and does not depend on the program that is run.  The lock is a file: what is still ending there
is waited for.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from threading import Thread

from filelock import FileLock

GRACE = 10.0  # seconds that the program is given to end; Kafka's broker takes half a second


def main(lock: str, *command: str) -> int:
    """Run the program until it ends or its starter does; return its exit code.

    Raises
    ------
    filelock.Timeout
        The one before, whose starter has ended, has not.
    """
    with FileLock(lock, timeout=GRACE + 5):
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        Thread(target=_end_with_starter, args=(program,), daemon=True).start()
        return program.wait()


def _end_with_starter(program: subprocess.Popen[bytes]) -> None:
    """Wait for the starter's end, then end the program, which may tidy up."""
    # Not through sys.stdin, whose lock, held by this thread, would make Python abort where the program ends first.
    os.read(0, 1)
    program.terminate()
    with suppress(subprocess.TimeoutExpired):
        program.wait(GRACE)
    program.kill()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
