#!/usr/bin/env python3
"""The one command of the course: `python course.py lab` opens the lessons, `python course.py run` runs them.

It needs Python 3.11 and nothing else.  It creates the virtual environment `.venv` beside itself, lets uv install
`requirements.lock` into it, and starts the package `streaming_classroom` there, which does the rest.  The packages of
`requirements-dev.lock` are added the first time that a command needs them.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parent
LOGS = PROJECT / ".cache" / "logs"
LOCK = PROJECT / "requirements.lock"
DEV_LOCK = PROJECT / "requirements-dev.lock"
DEV_COMMANDS = ("test", "lint", "bench", "book")
VENV = PROJECT / ".venv"
WINDOWS = sys.platform == "win32"
PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")
OWN_MARKER = VENV / "made-by-course"  # an environment without this file is not replaced
# The digest of the learner's packages, the project's folder, and the digest of the packages for development.
STAMP = VENV / "course-requirements.sha256"
DAMAGED = VENV / "course-damaged"  # the names of packages that `doctor --fix` wants reinstalled
INTERRUPTED = "interrupted"  # in the stamp, while the packages for development are being added

# PySpark comes as source. Not to compress its 400 MB of jars, which are zip files, saves 10 s.
BUILD_OPTIONS = "--config-settings-package=pyspark:--build-option=--compression=stored"
# pip trusts the system's certificates too, and takes the file with the right hash from any index.
UV_DEFAULTS = {"UV_SYSTEM_CERTS": "1", "UV_INDEX_STRATEGY": "unsafe-best-match"}
# pip's settings, and the variables of uv that have the same effect.
UV_VARIABLES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
DISK_FULL = "The disk is full. Free 2 GB and run the same command again."
NO_NETWORK = (
    "The package index could not be reached. Connect to the internet (the first set-up needs it, later starts do not) "
    "and run the same command again; what was fetched is kept."
)
NETWORK_SIGNS = ("error sending request", "NewConnectionError", "NameResolutionError", "ConnectTimeout", "ProxyError")


class SetupError(Exception):
    """The set-up failed; the message has the cause and the fix, in a sentence each."""


def main(arguments: list[str]) -> int:
    """Prepare the environment, then run the command in it; return the exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no installer is left running
    try:
        check_python(sys.version_info)
        dev = bool(arguments) and arguments[0] in DEV_COMMANDS
        if not is_ready(dev):
            check_arguments(arguments)
            prepare(dev)
        return start([str(PYTHON), "-m", "streaming_classroom", *arguments])
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except OSError as error:
        advice = f"{error}. Clone the course into a folder that you can write to, and run the same command again."
        print(f"\n{DISK_FULL if error.errno == errno.ENOSPC else advice}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Run the same command again to resume.", file=sys.stderr)
        return 130


def check_python(version: tuple) -> None:
    """Raise SetupError for a Python that the course does not support."""
    if version[:2] < (3, 11):
        raise SetupError(
            f"This is Python {version[0]}.{version[1]}, and the course needs 3.11 or later. "
            "Install a newer Python and start the command with it, for example `python3.11 course.py lab`."
        )


def check_arguments(arguments: list[str]) -> None:
    """Exit with the usage for an unknown command or `--help`, before anything is installed."""
    sys.path[:0] = [str(package / "src") for package in packages()]
    from streaming_classroom import cli  # which needs the standard library only

    cli.parse(arguments)


def packages() -> list[Path]:
    """Return the folders of the course's own packages."""
    return sorted(file.parent for file in PROJECT.glob("packages/*/pyproject.toml"))


def digest(*files: Path) -> str:
    """Return the SHA-256 of files."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def current_stamp() -> list[str]:
    """Return the first two lines of the stamp of an environment that is up to date."""
    return [digest(LOCK, *(package / "pyproject.toml" for package in packages())), str(PROJECT)]


def read_stamp() -> list[str]:
    """Return the lines of the stamp; none for an environment that was not finished."""
    return STAMP.read_text(encoding="utf-8").splitlines() if STAMP.exists() else []


def is_ready(dev: bool) -> bool:
    """Whether the environment has the locked packages; with `dev`, also those for development."""
    wanted = [*current_stamp(), *([digest(DEV_LOCK)] if dev else [])]
    return read_stamp()[: len(wanted)] == wanted and os.access(PYTHON, os.X_OK) and not DAMAGED.exists()


def prepare(dev: bool) -> None:
    """Create or update the environment; one process at a time."""
    LOGS.mkdir(parents=True, exist_ok=True)
    with setup_lock():
        if not is_ready(dev=False):  # another process may have prepared it meanwhile
            print("[1/6] Python environment (a minute, once) ...", flush=True)
            if read_stamp()[1:2] != [str(PROJECT)] or not os.access(PYTHON, os.X_OK):
                create_environment()
            damaged = DAMAGED.read_text(encoding="utf-8").split() if DAMAGED.exists() else []
            # If the installation is interrupted, the next start creates the environment from scratch.
            STAMP.unlink(missing_ok=True)
            install(LOCK, [f"--reinstall-package={name}" for name in damaged])
            uv("--no-deps", *(f"--editable={package}" for package in packages()))
            DAMAGED.unlink(missing_ok=True)
            STAMP.write_text("\n".join(current_stamp()), encoding="utf-8")
        if dev and not is_ready(dev):
            print("[1/6] The packages for tests, linter, benchmarks and book (once) ...", flush=True)
            reinstall = ["--reinstall"] if read_stamp()[2:] == [INTERRUPTED] else []
            STAMP.write_text("\n".join([*current_stamp(), INTERRUPTED]), encoding="utf-8")
            install(DEV_LOCK, reinstall)
            STAMP.write_text("\n".join([*current_stamp(), digest(DEV_LOCK)]), encoding="utf-8")


@contextlib.contextmanager
def setup_lock() -> Iterator[None]:
    """Hold the lock of the set-up, which the system releases when the process ends."""
    with (LOGS / "environment.lock").open("a") as file:
        if not try_lock(file.fileno()):
            print("Another set-up is running; waiting for it ...", flush=True)
            while not try_lock(file.fileno()):
                time.sleep(0.2)
        yield


def try_lock(file: int) -> bool:
    """Lock an open file unless another process holds its lock; return whether this process holds it."""
    with contextlib.suppress(BlockingIOError, PermissionError):
        if WINDOWS:
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def create_environment() -> None:
    """Replace the course's environment by a new one; raise SetupError for an environment of other origin."""
    if VENV.is_dir() and any(VENV.iterdir()) and not OWN_MARKER.exists():
        raise SetupError(
            f"{VENV} is an environment that the course did not make, and it is left alone. "
            "Move it away, and run the same command again."
        )
    shutil.rmtree(VENV, ignore_errors=True)
    VENV.mkdir(exist_ok=True)
    OWN_MARKER.write_text("`course.py` made this environment, and replaces it when it has to.\n", encoding="utf-8")
    # Started inside the old environment, the Python below it makes the new one.
    run([getattr(sys, "_base_executable", sys.executable), "-m", "venv", str(VENV)], "venv.log")


def install(lock: Path, options: list[str]) -> None:
    """Install the packages of a lock, each checked by its hash."""
    installers = re.findall(r"^(?:uv|setuptools)==.*\n(?: .*\n)*", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    listed = LOGS / "installers.txt"
    listed.write_text("".join(installers), encoding="utf-8")
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    run([*pip, "--retries=2", "--only-binary=:all:", "-r", str(listed)], "pip.log")
    uv("--no-deps", "--require-hashes", BUILD_OPTIONS, *options, "-r", str(lock))


def uv(*options: str) -> None:
    """Run `uv pip install` in the environment, with pip's settings for index, certificates and proxy."""
    listed = subprocess.run([PYTHON, "-m", "pip", "config", "list"], capture_output=True, text=True, encoding="utf-8")
    # Such as `global.index-url='https://...'`, or `:env:.` for a variable.
    pairs = re.findall(r"^(?:global|install|:env:)\.([\w-]+)=(.*)$", listed.stdout, re.MULTILINE)
    settings = {name: str(ast.literal_eval(value)).strip() for name, value in pairs}
    variables = {UV_VARIABLES[name]: value for name, value in settings.items() if name in UV_VARIABLES and value}
    command = [str(PYTHON), "-m", "uv", "pip", "install", "--python", str(PYTHON), "--no-build-isolation"]
    run([*command, *options], "uv.log", {**UV_DEFAULTS, **variables, **os.environ})


def run(command: list[str], log_name: str, environment: dict[str, str] | None = None) -> None:
    """Run a program with its output in a log; raise SetupError if it fails."""
    log = LOGS / log_name
    with log.open("w", encoding="utf-8") as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        with subprocess.Popen(command, cwd=PROJECT, env=environment, start_new_session=True, **streams) as process:
            try:
                process.wait()
            except BaseException:
                process.kill() if WINDOWS else os.killpg(process.pid, signal.SIGKILL)
                raise
    if process.returncode:
        raise SetupError(explain(log))


def explain(log: Path) -> str:
    """Return the cause of a failure, and its fix, from the log of a program."""
    text = log.read_text(encoding="utf-8", errors="replace")
    if "No space left" in text:
        return DISK_FULL
    if any(sign in text for sign in NETWORK_SIGNS):
        return NO_NETWORK
    last = "\n".join(text.splitlines()[-15:])
    return f"The set-up failed. Its log, {log}, ends with the reason; then run the same command again.\n\n{last}"


def start(command: list[str]) -> int:
    """Run a command in place of this process; on Windows, wait for it and return its exit code."""
    environment = {**os.environ, "PYTHONUTF8": "1"}
    if not WINDOWS:
        sys.stdout.flush()
        os.execve(command[0], command, environment)
    with subprocess.Popen(command, env=environment) as process:
        while True:
            with contextlib.suppress(KeyboardInterrupt):  # the command receives Ctrl-C as well
                return process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
