"""Checks of the machine: Python, disk, memory, limits, clock, names, temporary files, ports."""

from __future__ import annotations

import shutil
import socket
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from streaming_classroom.files import directories
from streaming_classroom.setup.finding import Check, Finding

NEEDED_MB = 1500  # jars, archive and datasets are 0.3 GB, a course's worth of lessons less than 1 GB
MEMORY_MB = 2500  # a JVM with a heap of 2 GB and a kernel
LITTLE_MB = 1000  # with which no session comes up
OPEN_FILES = 1024  # a JVM has some hundred jars open
ADDRESS_SPACE = 8 * 2**30  # bytes that a JVM reserves, most of which it never touches
PROCESSES = 512  # and threads, of this user
PORTS = {8888: "JupyterLab", 4040: "Spark's web page"}
DAY = 86_400  # seconds
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def checks() -> dict[str, Check]:
    """Return the checks by name."""
    return {
        "Python": _python,
        "disk": _disk,
        "memory": _memory,
        "limits": _limits,
        "clock": _clock,
        "host name": _host_name,
        "temporary files": _temporary_files,
        **{f"port {port}": partial(_port, port, user) for port, user in PORTS.items()},
    }


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(sys.version_info >= (3, 11), version, "Install Python 3.11 or later.")


def _disk() -> Finding:
    folder = next(path for path in (directories.cache(), *directories.cache().parents) if path.exists())
    free = shutil.disk_usage(folder).free // 2**20
    fix = f"Free {NEEDED_MB - free:,} MB on the disk of {directories.cache()}."
    return Finding(free >= NEEDED_MB, f"{free:,} MB free", fix)


def _memory() -> Finding:
    import psutil

    free = min([psutil.virtual_memory().available, *_cgroup_limits()]) // 2**20
    fix = f"Close other programs, or give the container more: lessons need {MEMORY_MB:,} MB."
    return Finding(free >= MEMORY_MB, f"{free:,} MB free", fix, matters=free < LITTLE_MB)


def _cgroup_limits() -> list[int]:
    """Return how many bytes a container may have; nothing where there is no limit."""
    texts = [Path(file).read_text(encoding="ascii").strip() for file in _CGROUPS if Path(file).is_file()]
    return [int(text) for text in texts if text.isdigit()]


def _limits() -> Finding:
    """Look at the hard limits of what a program can raise by itself, as the JVM and Jupyter do."""
    try:
        import resource
    except ImportError:  # Windows has none
        return Finding(True, "none")
    hard = {
        "open files": (resource.RLIMIT_NOFILE, 1, OPEN_FILES, "ulimit -n"),
        "bytes of memory": (resource.RLIMIT_AS, 0, ADDRESS_SPACE, "ulimit -v"),
        "processes": (resource.RLIMIT_NPROC, 0, PROCESSES, "ulimit -u"),
    }
    for name, (kind, which, least, command) in hard.items():
        limit = resource.getrlimit(kind)[which]
        if limit != resource.RLIM_INFINITY and limit < least:
            fix = f"Raise it to {least:,} or more with `{command}`, or in /etc/security/limits.conf."
            return Finding(False, f"{limit:,} {name} at most", fix)
    return Finding(True, "high enough")


def _clock() -> Finding:
    """A clock that is behind the course's own files is wrong; one that is ahead is found by nobody here."""
    behind = (directories.PROJECT / "course.py").stat().st_mtime - time.time()
    fix = "Set the clock: with a wrong one, secure connections fail and streams by time stand still."
    if behind > DAY:
        return Finding(False, f"{behind / DAY:,.0f} days behind the course's own files", fix)
    return Finding(True, time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()))


def _host_name() -> Finding:
    try:
        addresses = {str(info[4][0]) for info in socket.getaddrinfo("localhost", None)}
    except OSError:
        addresses = set()
    if not addresses & {"127.0.0.1", "::1"}:
        fix = "Add the line `127.0.0.1 localhost` to /etc/hosts; on Windows to System32\\drivers\\etc\\hosts."
        return Finding(False, "localhost is not this machine", fix)
    try:
        socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        return Finding(True, f"{socket.gethostname()} does not resolve, which lessons do without")
    return Finding(True, "resolves")


def _temporary_files() -> Finding:
    try:
        with tempfile.TemporaryFile():
            return Finding(True, tempfile.gettempdir())
    except OSError as error:
        fix = "Set TMPDIR to a folder that is there, can be written and has room."
        return Finding(False, f"none can be made: {error.strerror}", fix)


def _port(port: int, user: str) -> Finding:
    with socket.socket() as probe:
        free = probe.connect_ex(("127.0.0.1", port)) != 0
    return Finding(free, "free" if free else "busy", f"Nothing: {user} takes the next free one.", matters=False)
