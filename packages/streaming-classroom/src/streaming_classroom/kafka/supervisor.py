"""The supervisor process: runs the broker until no live process uses it.

A program of its own: ``python supervisor.py FOLDER ADDRESS PROGRAM ARGUMENT...``.  Each process that uses the broker
holds a lock on a file of its own in the folder; the system takes the lock away when the process ends, also one that is
killed.  When no lock is left, the broker is ended.  Nothing here goes by numbers of processes, which are used again.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

GRACE = 10.0  # seconds that the broker is given to end; it takes half a second
CHECK_EVERY = 0.2  # seconds between two checks of who needs it


@dataclass(frozen=True)
class BrokerDirectory:
    """The folder of a broker that several processes share, and what its files mean."""

    folder: Path

    @property
    def alive(self) -> Path:
        """Locked by the supervisor while there is one; it lies where `course.py reset` looks for what is in use."""
        return self.folder.parent / "locks" / "kafka.lock"

    @property
    def change(self) -> Path:
        """Locked by whoever joins, starts or ends the broker."""
        return self.folder / "change.lock"

    @property
    def users(self) -> Path:
        """Folder of the files that the processes lock which use the broker."""
        return self.folder / "users"

    @property
    def kept(self) -> Path:
        """There while the broker is to stay even if nobody uses it."""
        return self.folder / "kept"

    @property
    def stop(self) -> Path:
        """There while the broker is to end even if somebody uses it."""
        return self.folder / "stop"

    @property
    def state(self) -> Path:
        """Says where the broker answers and which process it is; there while it may be joined."""
        return self.folder / "broker.json"

    @property
    def checked(self) -> Path:
        """Touched at each check of who needs the broker, so that one can see that the supervisor is not stuck."""
        return self.folder / "checked"

    def is_needed(self) -> bool:
        """Return whether somebody needs the broker; if nobody does, nobody can join it from now on."""
        if self.stop.exists():  # without the lock: who starts a broker that never answers holds it
            self.state.unlink(missing_ok=True)
            return False
        try:
            with FileLock(self.change, blocking=False):
                if self.kept.exists() or self.has_users():
                    return True
                self.state.unlink(missing_ok=True)
                return False
        except Timeout:  # somebody is joining
            return True

    def has_users(self) -> bool:
        """Return whether a live process uses the broker; the files of dead ones are removed."""
        return any([not _is_free(file, remove=True) for file in self.users.glob("*.lock")])

    def is_supervised(self) -> bool:
        """Return whether there is a supervisor."""
        return self.alive.exists() and not _is_free(self.alive)

    def forget(self) -> None:
        """Remove what was said about a broker that has ended."""
        for file in (self.state, self.kept, self.stop, self.checked):
            file.unlink(missing_ok=True)


def main(folder: str, address: str, *command: str) -> int:
    """Run the broker until it ends or nobody needs it; return its exit code.

    Raises
    ------
    filelock.Timeout
        The one before has not ended.
    """
    place = BrokerDirectory(Path(folder))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with FileLock(place.alive, timeout=GRACE + 5):
        broker = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            _write_state(place.state, address, broker.pid)
            while broker.poll() is None and place.is_needed():
                place.checked.touch()
                with suppress(subprocess.TimeoutExpired):
                    broker.wait(CHECK_EVERY)
        finally:
            _end(broker)
            place.forget()
        return broker.returncode


def _end(broker: subprocess.Popen[bytes]) -> None:
    """End the broker, which may tidy up."""
    broker.terminate()
    with suppress(subprocess.TimeoutExpired):
        broker.wait(GRACE)
    broker.kill()
    broker.wait()


def _write_state(file: Path, address: str, pid: int) -> None:
    """Say where the broker answers and which process it is: if this supervisor is killed, somebody else must end it."""
    partial = file.with_suffix(".part")
    began = psutil.Process(pid).create_time()
    partial.write_text(json.dumps({"address": address, "pid": pid, "began": began}), encoding="utf-8")
    partial.replace(file)


def _is_free(file: Path, remove: bool = False) -> bool:
    """Return whether nobody holds the lock on a file."""
    lock = FileLock(file)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    lock.release()
    if remove:
        file.unlink(missing_ok=True)
    return True


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
