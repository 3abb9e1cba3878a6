"""The broker of a home: the first process that needs one starts it and stops it at its end; others use it meanwhile.

``broker.json`` in the home's folder ``kafka`` has its address and process.  A broker that ``course.py kafka start`` has
started, or whose starter was killed, runs until ``course.py kafka stop``.
"""

from __future__ import annotations

import atexit
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from filelock import FileLock, Timeout

from streaming_classroom.errors import BrokerStartError
from streaming_classroom.files import directories, ownership
from streaming_classroom.kafka import broker

if TYPE_CHECKING:
    from collections.abc import Callable

    from streaming_classroom.setup.java import Java

_CLOCK_TOLERANCE = 5  # seconds by which the recorded start of a process may differ

_started: dict[Path, int] = {}  # by folder, the process that started a broker which is to end with it


@dataclass(frozen=True)
class Status:
    """A running broker: its address, its process, and whether it runs until ``course.py kafka stop``."""

    address: str
    pid: int
    kept: bool


def folder() -> Path:
    """Return the folder of this home's broker."""
    return directories.home() / "kafka"


def log() -> Path:
    """Return the broker's log file."""
    return folder().parent / "logs" / "kafka.log"


def join(find_java: Callable[[], Java], keep: bool = False) -> str:
    """Return the address of the broker, started if none answers; with ``keep``, it outlives its starter.

    ``find_java`` returns the Java that runs it, after downloading the broker's jars.  Raises BrokerStartError with the
    end of the log.
    """
    here = folder()
    if not keep and (address := _answering(here)):
        return address
    ownership.claim(here.parent)
    here.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(here / "start.lock", timeout=broker.START_TIMEOUT + broker.STOP_TIMEOUT):
            address = _answering(here)
            if address is None:
                _end(here)  # a process that does not answer
                made = broker.start(find_java(), here, log())
                address = made.address
                _write_state(here, address, made.process.pid)
                _started[here] = os.getpid()
            if keep:
                (here / "kept").touch()
            return address
    except Timeout:
        raise BrokerStartError(str(log()), "Another kernel is starting it, and has not come to an end.") from None


def leave() -> None:
    """Stop the broker if this process has started it, unless it is to be kept; return after its end."""
    for here, process in list(_started.items()):
        if process == os.getpid():  # not the process that this one was forked from
            del _started[here]
            if not (here / "kept").exists():
                _end(here)


def stop() -> bool:
    """Stop the broker, and return whether one was running; its messages are kept."""
    return _end(folder())


def status() -> Status | None:
    """Return the running broker, or None."""
    here = folder()
    process = _process(here)
    return process and Status(_state(here)["address"], process.pid, (here / "kept").exists())


def _answering(here: Path) -> str | None:
    address = _state(here).get("address") if _process(here) else None
    return address if address and broker.is_answering(address) else None


def _state(here: Path) -> dict[str, Any]:
    try:
        return json.loads((here / "broker.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}


def _write_state(here: Path, address: str, pid: int) -> None:
    state = {"address": address, "pid": pid, "began": psutil.Process(pid).create_time()}
    ownership.write_atomically(here / "broker.json", json.dumps(state))


def _process(here: Path) -> psutil.Process | None:
    """Return the broker's process, unless its id belongs to another process by now."""
    state = _state(here)
    with suppress(psutil.Error, KeyError):
        process = psutil.Process(state["pid"])
        is_same = abs(process.create_time() - state["began"]) < _CLOCK_TOLERANCE
        if is_same and broker.MAIN_CLASS in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
            return process
    return None


def _end(here: Path) -> bool:
    process = _process(here)
    for name in ("broker.json", "kept"):
        (here / name).unlink(missing_ok=True)
    if process is None:
        return False
    with suppress(psutil.NoSuchProcess):
        process.terminate()
        try:
            process.wait(broker.STOP_TIMEOUT)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(broker.STOP_TIMEOUT)
    return True


atexit.register(leave)
