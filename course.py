#!/usr/bin/env python3
"""The one command of the course: `python course.py lab` opens the lessons, `python course.py run` runs them.

It needs Python 3.11 and nothing else.  It makes the virtual environment `.venv` beside itself, installs
`requirements.txt` into it, and hands over to the package `streaming_classroom` inside, which does the rest.
Only the standard library is used, and only syntax that an old Python can read, so that it can say so.
"""

from __future__ import print_function

import contextlib
import errno
import hashlib
import os
import shutil
import signal
import subprocess
import sys

MINIMUM = (3, 11)
PROJECT = os.path.dirname(os.path.realpath(__file__))
VENV = os.path.join(PROJECT, ".venv")
CACHE = os.path.abspath(os.environ.get("CLASSROOM_CACHE") or os.path.join(PROJECT, ".cache"))
STAMP = os.path.join(VENV, "course-requirements.sha256")
WINDOWS = sys.platform == "win32"
PYTHON = os.path.join(VENV, "Scripts", "python.exe") if WINDOWS else os.path.join(VENV, "bin", "python")

AGAIN = "run the same command again"
FULL = "The disk is full. Free 2 GB and %s." % AGAIN
# What the logs of venv and pip say, most telling first, and what to do about it.
SIGNS = (
    (("No space left", "Disk quota exceeded"), FULL),
    (
        ("CERTIFICATE_VERIFY_FAILED", "SSLError"),
        "The certificate of the package index is not trusted here; a proxy in between can be why. "
        "Set PIP_CERT to the file with your organisation's certificates and %s." % AGAIN,
    ),
    (
        (
            "name resolution",
            "NameResolutionError",
            "getaddrinfo",
            "NewConnectionError",
            "Network is unreachable",
            "Connection refused",
            "ConnectTimeout",
            "ReadTimeout",
            "ProxyError",
            "Max retries exceeded",
            "Connection broken",
        ),
        "The package index could not be reached. Connect to the internet (the first set-up needs it, later "
        "starts do not) and %s; what was fetched is kept." % AGAIN,
    ),
    (
        ("No matching distribution found",),
        "The package index has no version of a package that fits Python %d.%d. Start the command with another "
        "Python, for example `python3.12 course.py lab`." % sys.version_info[:2],
    ),
    (
        ("Read-only file system", "Permission denied"),
        "%s cannot be written. Clone the course into a folder of your own and %s." % (VENV, AGAIN),
    ),
)


class CannotSetUp(Exception):
    """What is wrong and the one thing to do about it, in a sentence each."""


def main(arguments):
    """Make the environment ready, then do what was asked for in it; return the exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that pip is not left running
    try:
        check_python(sys.version_info)
        if not is_ready():
            check_arguments(arguments)
            make_ready()
        return hand_over([PYTHON, "-m", "streaming_classroom"] + arguments)
    except CannotSetUp as error:
        print("\n%s" % error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The same command takes up the set-up again.", file=sys.stderr)
        return 130


def check_python(version):
    """Raise CannotSetUp for a Python that the course does not run on."""
    if tuple(version[:2]) < MINIMUM:
        raise CannotSetUp(
            "This is Python %d.%d, and the course needs %d.%d or later. "
            "Install a newer Python and start the command with it, for example `python3.%d course.py lab`."
            % (version[0], version[1], MINIMUM[0], MINIMUM[1], MINIMUM[1])
        )


def check_arguments(arguments):
    """End with the usage where that is all that was asked for: nobody should wait for an installation first."""
    sys.path.insert(0, os.path.join(PROJECT, "Includes"))
    from streaming_classroom import cli  # this part of it needs the standard library only

    cli.parse(arguments)


def is_ready():
    """Tell whether the environment is there and was made here from the present requirements."""
    try:
        return stamped() == [fingerprint(), PROJECT] and os.access(PYTHON, os.X_OK)
    except OSError:
        return False


def is_mendable():
    """Tell whether pip can bring the environment up to date.

    Without its stamp it is a half-made one, and pip cannot mend what it was killed in; and none can be moved.
    """
    return stamped()[1:] == [PROJECT] and os.access(PYTHON, os.X_OK)


def stamped():
    """Return what the environment was made from and where, or nothing if it was not made to the end."""
    try:
        with open(STAMP, encoding="utf-8") as stamp:
            return stamp.read().splitlines()
    except OSError:
        return []


def fingerprint():
    """Return a digest of what the environment is made from."""
    digest = hashlib.sha256()
    for name in ("requirements.txt", "pyproject.toml"):
        with open(os.path.join(PROJECT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def make_ready():
    """Make the environment and install into it; one process at a time."""
    try:
        os.makedirs(os.path.join(CACHE, "logs"), exist_ok=True)
        with only_one(os.path.join(CACHE, "environment.lock")):
            if is_ready():  # by the process that was waited for
                return
            say("[1/5] Python environment (a minute or two, once) ...")
            if not is_mendable():
                make_environment()
            install_requirements()
    except OSError as error:
        raise CannotSetUp(explain_refusal(error))  # noqa: B904 - Python 2 cannot read `from`


def make_environment():
    """Make an empty virtual environment."""
    missing = missing_modules()
    if missing:
        raise CannotSetUp(
            "This Python comes without its module `%s`. Install it, on Debian and Ubuntu with "
            "`sudo apt install python%d.%d-venv`, and %s." % ((missing[0],) + tuple(sys.version_info[:2]) + (AGAIN,))
        )
    # Inside the very environment that is to be replaced, the Python below it makes the new one.
    python = (
        getattr(sys, "_base_executable", sys.executable) if os.path.realpath(sys.prefix) == VENV else sys.executable
    )
    shutil.rmtree(VENV, ignore_errors=True)
    log = os.path.join(CACHE, "logs", "venv.log")
    if run_logged([python, "-m", "venv", VENV], log) != 0:
        raise CannotSetUp(explain(log, "The virtual environment %s could not be made" % VENV))


def missing_modules():
    """Return which of the modules that make an environment this Python lacks (some Linuxes split them off)."""
    from importlib.util import find_spec

    return [name for name in ("venv", "ensurepip") if find_spec(name) is None]


def install_requirements():
    """Install the pinned requirements and this project's packages; leave the stamp as the last act."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(STAMP)
    log = os.path.join(CACHE, "logs", "pip.log")
    pip = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    if run_logged(pip + ["--retries", "2", "-r", "requirements.txt", "-e", "."], log) != 0:
        raise CannotSetUp(explain(log, "pip could not install the requirements"))
    with open(STAMP + ".part", "w", encoding="utf-8") as stamp:
        stamp.write("%s\n%s\n" % (fingerprint(), PROJECT))
    os.replace(STAMP + ".part", STAMP)


def explain(log, problem):
    """Return why a program failed and what to do, from its log."""
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    for signs, advice in SIGNS:
        if any(sign in line for sign in signs for line in lines):
            return advice
    return "%s. Its log, %s, ends with what to look for; then %s.\n\n%s" % (problem, log, AGAIN, "".join(lines[-15:]))


def explain_refusal(error):
    """Return what to do about an error of the operating system."""
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return FULL
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        place = error.filename or PROJECT
        return "%s: %s. Clone the course into a folder of your own and %s." % (place, error.strerror, AGAIN)
    return "The set-up came upon this: %s. Put it right, or clone the course afresh, and %s." % (error, AGAIN)


def run_logged(command, log):
    """Run a program with its output in a log; on a terminal show what it is at. Return its exit code."""
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # Ctrl-C comes here alone, and `end` passes it on to all below
            close_fds=False,  # it holds the lock as well, so that a killed set-up's pip keeps others out
        )
        try:
            for line in process.stdout:
                file.write(line)
                show_briefly(line.strip())
            return process.wait()
        except BaseException:
            end(process)
            raise
        finally:
            show_briefly("")


def end(process):
    """End a program and what it started: politely, then not."""
    for number in (signal.SIGINT, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with contextlib.suppress(ProcessLookupError):
            process.terminate() if WINDOWS else os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
            return


def show_briefly(text):
    """On a terminal, overwrite the current line with what is going on."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        sys.stdout.write("\r\033[K" + ("      " + text)[:width] if text else "\r\033[K")
        sys.stdout.flush()


@contextlib.contextmanager
def only_one(path):
    """Let one process in at a time; the lock of a process that died is free."""
    with open(path, "a+", encoding="utf-8") as file:
        os.set_inheritable(file.fileno(), True)
        if not try_lock(file):
            say("Another set-up is running; waiting for it ...")
            wait_lock(file)
        yield


def try_lock(file):
    """Take the lock if nobody has it; tell whether it was taken."""
    try:
        if WINDOWS:
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def wait_lock(file, minutes=20):
    """Wait for the lock, but not for ever."""
    import time

    deadline = time.monotonic() + 60 * minutes
    while not try_lock(file):
        if time.monotonic() > deadline:
            raise CannotSetUp("Another set-up has been running for %d minutes. End it, then %s." % (minutes, AGAIN))
        time.sleep(0.2)


def hand_over(command):
    """Run the command in place of this process, or where that is not possible wait for it."""
    environment = dict(os.environ, PYTHONUTF8="1")
    if not WINDOWS:
        sys.stdout.flush()
        os.execve(command[0], command, environment)
    process = subprocess.Popen(command, env=environment)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def say(line):
    """Print a line at once."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
