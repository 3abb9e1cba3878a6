#!/usr/bin/env python3
"""The one command of the course: `python course.py lab` opens the lessons, `python course.py run` runs them.

It needs Python 3.11 and nothing else.  It makes the virtual environment `.venv` beside itself, installs
`requirements.txt` into it, and hands over to the package `streaming_classroom` inside, which does the rest.
Only the standard library is used, and only syntax that an old Python can read, so that it can say so.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys

MINIMUM = (3, 11)
PROJECT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(PROJECT, ".venv")
CACHE = os.environ.get("CLASSROOM_CACHE") or os.path.join(PROJECT, ".cache")
STAMP = os.path.join(VENV, "course-requirements.sha256")
WINDOWS = sys.platform == "win32"
PYTHON = os.path.join(VENV, "Scripts", "python.exe") if WINDOWS else os.path.join(VENV, "bin", "python")


class CannotSetUp(Exception):
    """What is wrong and the one thing to do about it, in a sentence each."""


def main(arguments):
    """Make the environment ready, then do what was asked for in it; return the exit code."""
    try:
        check_python(sys.version_info)
        if not is_ready():
            make_ready()
    except CannotSetUp as error:
        print("\n%s" % error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The same command takes up the set-up again.", file=sys.stderr)
        return 130
    return hand_over([PYTHON, "-m", "streaming_classroom"] + arguments)


def check_python(version):
    """Raise CannotSetUp for a Python that the course does not run on."""
    if tuple(version[:2]) < MINIMUM:
        raise CannotSetUp(
            "This is Python %d.%d, and the course needs %d.%d or later. "
            "Install a newer Python and start the command with it, for example `python3.%d course.py lab`."
            % (version[0], version[1], MINIMUM[0], MINIMUM[1], MINIMUM[1])
        )


def is_ready():
    """Tell whether the environment is there and was made from the present requirements."""
    try:
        with open(STAMP, encoding="utf-8") as stamp:
            return stamp.read() == fingerprint() and os.path.exists(PYTHON)
    except OSError:
        return False


def fingerprint():
    """Return a digest of what the environment is made from; its place counts, for it cannot be moved."""
    digest = hashlib.sha256(PROJECT.encode("utf-8"))
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
            # Without its stamp an environment is a half-made one: pip cannot mend what it was killed in.
            if not os.path.exists(STAMP) or not os.path.exists(PYTHON):
                make_environment()
            install_requirements()
    except OSError as error:
        raise CannotSetUp(
            "%s could not be written: %s. Make room on the disk or make the folder writable, "
            "or clone the course into a folder of your own, and run the same command again."
            % (error.filename or PROJECT, error.strerror or error)
        )


def make_environment():
    """Make an empty virtual environment."""
    missing = missing_modules()
    if missing:
        raise CannotSetUp(
            "This Python comes without its module `%s`. Install it, on Debian and Ubuntu with "
            "`sudo apt install python3-venv`, and run the same command again." % missing[0]
        )
    shutil.rmtree(VENV, ignore_errors=True)
    log = os.path.join(CACHE, "logs", "venv.log")
    if run_logged([sys.executable, "-m", "venv", VENV], log) != 0:
        raise CannotSetUp(
            "The virtual environment %s could not be made. On Debian and Ubuntu install `python3-venv`; "
            "else look into the log, %s.\n\n%s" % (VENV, log, tail(log))
        )


def missing_modules():
    """Return which of the modules that make an environment this Python lacks (some Linuxes split them off)."""
    from importlib.util import find_spec

    return [name for name in ("venv", "ensurepip") if find_spec(name) is None]


def install_requirements():
    """Install the pinned requirements and this project's packages; leave the stamp as the last act."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(STAMP)
    log = os.path.join(CACHE, "logs", "pip.log")
    pip = [
        PYTHON,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--progress-bar",
        "off",
        "--retries",
        "2",
    ]
    code = run_logged(pip + ["-r", "requirements.txt", "-e", "."], log)
    if code != 0:
        raise CannotSetUp(explain_pip(log))
    with open(STAMP + ".part", "w", encoding="utf-8") as stamp:
        stamp.write(fingerprint())
    os.replace(STAMP + ".part", STAMP)


def explain_pip(log):
    """Return why pip failed and what to do, from its log."""
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if "No space left" in text:
        return "The disk is full. Free 2 GB and run the same command again."
    offline = (
        "name resolution",
        "NewConnectionError",
        "getaddrinfo",
        "Network is unreachable",
        "ConnectTimeout",
    )
    if any(sign in text for sign in offline):
        return (
            "The package index could not be reached. Connect to the internet (the first set-up needs it, later "
            "starts do not) and run the same command again; what was fetched is kept."
        )
    return "pip could not install the requirements; its log is %s.\n\n%s" % (log, tail(log))


def run_logged(command, log):
    """Run a program with its output in a log; on a terminal show what it is at. Return its exit code."""
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        try:
            for line in process.stdout:
                file.write(line)
                show_briefly(line.strip())
            return process.wait()
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            raise
        finally:
            show_briefly("")


def show_briefly(text):
    """On a terminal, overwrite the current line with what is going on."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        sys.stdout.write("\r\033[K" + ("      " + text)[:width] if text else "\r\033[K")
        sys.stdout.flush()


def tail(log, lines=15):
    """Return the last lines of a log."""
    with open(log, encoding="utf-8", errors="replace") as file:
        return "".join(file.readlines()[-lines:])


@contextlib.contextmanager
def only_one(path):
    """Let one process in at a time; the lock of a process that died is free."""
    with open(path, "a+", encoding="utf-8") as file:
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
    except OSError:
        return False
    return True


def wait_lock(file, minutes=20):
    """Wait for the lock, but not for ever."""
    import time

    deadline = time.monotonic() + 60 * minutes
    while not try_lock(file):
        if time.monotonic() > deadline:
            raise CannotSetUp(
                "Another set-up has been running for %d minutes. End it, then run the same command again." % minutes
            )
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
