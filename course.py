#!/usr/bin/env python3
"""The one command of the course: `python course.py lab` opens the lessons, `python course.py run` runs them.

It needs Python 3.11 and nothing else.  It makes the virtual environment `.venv` beside itself, installs what is in
`requirements.lock` into it, and hands over to the package `streaming_classroom` inside, which does the rest.  uv
installs, in a third of pip's time; pip fetches it, and takes over where it fails.  What only the tests, the linter,
the benchmarks or the book need is added the first time that one of them is started.
Only the standard library is used, and only syntax that an old Python can read, so that it can say so.
"""

from __future__ import print_function

import ast
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
# Only an environment and a cache with these in them are the course's own, to be replaced and to be cleared.
OURS = os.path.join(VENV, "made-by-course")
CACHE_MARKER = ".made-by-streaming-classroom"  # as the package `streaming_classroom` has it
DAMAGED = os.path.join(VENV, "course-damaged")  # names packages to be installed anew, as `doctor --fix` found
ADDING = os.path.join(VENV, "course-adding")  # there while a group is being added, and if that was interrupted
# Which group of packages a command needs, beside what a learner has.
GROUPS = {"test": "dev", "lint": "lint", "bench": "bench", "book": "book", "run --strict": "lint"}
# PySpark comes as source. That its 400 MB of jars, which are zip files, are not compressed again saves 10 s.
AS_IT_IS = "--build-option=--compression=stored"
WINDOWS = sys.platform == "win32"
PYTHON = os.path.join(VENV, "Scripts", "python.exe") if WINDOWS else os.path.join(VENV, "bin", "python")

AGAIN = "run the same command again"
FULL = "The disk is full. Free 2 GB and %s." % AGAIN
ANOTHER_FILE = (
    "The package index sent another file than the course was tested with. Check the index or the proxy in between, "
    "and %s." % AGAIN
)
UNTRUSTED = (
    "The certificate of the package index is not trusted here; a proxy in between can be why. "
    "Set PIP_CERT to the file with your organisation's certificates and %s." % AGAIN
)
NO_NETWORK = (
    "The package index could not be reached. Connect to the internet (the first set-up needs it, later "
    "starts do not) and %s; what was fetched is kept." % AGAIN
)
NO_VERSION = (
    "The package index has no version of a package that fits Python %d.%d. Start the command with another "
    "Python, for example `python3.12 course.py lab`." % sys.version_info[:2]
)
READ_ONLY = "%s cannot be written. Clone the course into a folder of your own and %s." % (VENV, AGAIN)
# What the logs of venv, uv and pip say, most telling first, and what to do about it.
SIGNS = (
    (("No space left", "Disk quota exceeded"), FULL),
    (("DO NOT MATCH THE HASHES", "Hash mismatch"), ANOTHER_FILE),
    (("CERTIFICATE_VERIFY_FAILED", "SSLError", "invalid peer certificate"), UNTRUSTED),
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
            "dns error",
            "tcp connect error",
        ),
        NO_NETWORK,
    ),
    (("No matching distribution found",), NO_VERSION),
    (("Read-only file system", "Permission denied"), READ_ONLY),
)
NO_HELP_OF_PIPS = (FULL, ANOTHER_FILE, NO_NETWORK)  # what pip would fail for as well as uv


class CannotSetUp(Exception):
    """What is wrong and the one thing to do about it, in a sentence each."""


def main(arguments):
    """Make the environment ready, then do what was asked for in it; return the exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that pip is not left running
    try:
        check_python(sys.version_info)
        group = group_for(arguments)
        if not is_ready(group):
            check_arguments(arguments)
            make_ready(group)
        if arguments[:1] == ["doctor"]:
            look_first("--fix" in arguments)
        return hand_over([PYTHON, "-m", "streaming_classroom"] + arguments)
    except CannotSetUp as error:
        print("\n%s" % error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The same command takes up the set-up again.", file=sys.stderr)
        return 130


def group_for(arguments):
    """Return the group that a command needs beside what a learner has; None if it needs none."""
    strict = arguments[:1] == ["run"] and "--strict" in arguments
    return GROUPS.get("run --strict" if strict else arguments[0]) if arguments else None


def look_first(fix):
    """Make sure that the doctor itself can start; with `fix`, install the environment's packages anew where not."""
    imports = "import streaming_classroom.cli, streaming_classroom.setup.doctor, rich.console, rich.table"
    process = subprocess.Popen([PYTHON, "-c", imports], stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    said = process.communicate()[1]
    if process.returncode == 0:
        return
    last = (said.strip().splitlines() or ["it ended without a word"])[-1]
    if not fix:
        raise CannotSetUp(
            "The environment %s is damaged (%s). `python course.py doctor --fix` installs its packages anew."
            % (VENV, last)
        )
    say("The environment is damaged (%s); its packages are installed anew." % last)
    with open(DAMAGED, "w"):
        pass
    make_ready()


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
    sys.path[:0] = [os.path.join(package, "src") for package in packages()]
    from streaming_classroom import cli  # this part of it needs the standard library only

    cli.parse(arguments)


def is_ready(group=None):
    """Tell whether the environment is there, made here from the present lock, and has the group as well."""
    try:
        there = stamped()[:2] == [fingerprint(), PROJECT] and os.access(PYTHON, os.X_OK)
        there = there and not os.path.exists(DAMAGED)
        return there and (group is None or stamp_of(group) in stamped()[2:])
    except OSError:
        return False


def is_mendable():
    """Tell whether the environment can be brought up to date.

    Without its stamp it is a half-made one, and pip cannot mend what it was killed in; and none can be moved.
    """
    return stamped()[1:2] == [PROJECT] and os.access(PYTHON, os.X_OK)


def stamped():
    """Return what the environment was made from and where, and its groups; nothing if it was not made to the end."""
    try:
        with open(STAMP, encoding="utf-8") as stamp:
            return stamp.read().splitlines()
    except OSError:
        return []


def leave_stamp(lines):
    """Say what the environment has; the last act of whatever installed it."""
    with open(STAMP + ".part", "w", encoding="utf-8") as stamp:
        stamp.write("".join(line + "\n" for line in lines))
    os.replace(STAMP + ".part", STAMP)


def fingerprint():
    """Return a digest of what the environment is made from."""
    return digest(lock_of(None), *(os.path.join(package, "pyproject.toml") for package in packages()))


def packages():
    """Return the directories of the course's own packages."""
    folder = os.path.join(PROJECT, "packages")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if not name.startswith(".")]


def editable():
    """Return the options that install the course's own packages as they lie here."""
    return [option for package in packages() for option in ("-e", package)]


def stamp_of(group):
    """Return the line of the stamp that says that a group is there, in its present form."""
    return "%s %s" % (group, digest(lock_of(group)))


def lock_of(group):
    """Return the file that lists the learners' packages, or those of a group."""
    return os.path.join(PROJECT, "requirements-%s.lock" % group if group else "requirements.lock")


def digest(*paths):
    """Return a digest of files."""
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()


def make_ready(group=None):
    """Make the environment and install into it; one process at a time."""
    try:
        claim_cache()
        os.makedirs(os.path.join(CACHE, "logs"), exist_ok=True)
        with only_one(os.path.join(CACHE, "environment.lock")):
            if not is_ready():  # unless by the process that was waited for
                say("[1/5] Python environment (a minute, once) ...")
                if not is_mendable():
                    make_environment()
                install_learners()
            if group and not is_ready(group):
                say("[1/5] What only `%s` needs (once) ..." % " and ".join(sorted(users_of(group))))
                add(group)
    except OSError as error:
        raise CannotSetUp(explain_refusal(error))  # noqa: B904 - Python 2 cannot read `from`


def claim_cache():
    """Mark the cache as the course's own; refuse a folder that somebody else has filled."""
    marker = os.path.join(CACHE, CACHE_MARKER)
    if os.path.isfile(marker):
        return
    os.makedirs(CACHE, exist_ok=True)
    if os.listdir(CACHE) and os.path.join(PROJECT, ".cache") != CACHE:
        raise CannotSetUp(
            "%s is not empty, and it was not made by the course, which therefore puts nothing there. "
            "Set CLASSROOM_CACHE to a folder that is empty or not there yet, and %s." % (CACHE, AGAIN)
        )
    with open(marker, "a", encoding="utf-8"):
        pass


def users_of(group):
    """Return the commands that need a group."""
    return [command for command in GROUPS if GROUPS[command] == group]


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
    clear_environment()
    log = os.path.join(CACHE, "logs", "venv.log")
    if run_logged([python, "-m", "venv", VENV], log) != 0:
        raise CannotSetUp(explain(log, "The virtual environment %s could not be made" % VENV))


def clear_environment():
    """Remove what is left of an environment of the course, and begin one; somebody else's is never removed."""
    signs = (OURS, STAMP, ADDING)
    if os.path.isdir(VENV) and os.listdir(VENV) and not any(map(os.path.exists, signs)):
        raise CannotSetUp(
            "%s is an environment that the course did not make, and it is left alone. Move it away, and %s."
            % (VENV, AGAIN)
        )
    shutil.rmtree(VENV, ignore_errors=True)
    os.makedirs(VENV, exist_ok=True)
    with open(OURS, "w", encoding="utf-8") as mark:
        mark.write("`course.py` made this environment, and replaces it when it has to.\n")


def missing_modules():
    """Return which of the modules that make an environment this Python lacks (some Linuxes split them off)."""
    from importlib.util import find_spec

    return [name for name in ("venv", "ensurepip") if find_spec(name) is None]


def install_learners():
    """Install what a learner needs, and this project's packages."""
    groups = stamped()[2:] if os.path.exists(DAMAGED) else []
    with contextlib.suppress(FileNotFoundError):
        os.remove(STAMP)
    install(lock_of(None), and_project=True, again=damaged())
    leave_stamp([fingerprint(), PROJECT] + groups)
    with contextlib.suppress(FileNotFoundError):
        os.remove(DAMAGED)


def damaged():
    """Return which packages are to be installed anew: their names; True for all of them, False for none."""
    try:
        with open(DAMAGED, encoding="utf-8") as file:
            return file.read().split() or True
    except OSError:
        return False


def add(group):
    """Add a group's packages; what a learner needs stays as it is, whatever comes of it."""
    again = os.path.exists(ADDING)
    with open(ADDING, "w"):
        pass
    install(lock_of(group), again=again)
    others = [line for line in stamped()[2:] if line.split()[0] != group]
    leave_stamp([fingerprint(), PROJECT] + others + [stamp_of(group)])
    os.remove(ADDING)


def install(lock, and_project=False, again=False):
    """Install what a lock lists, checked by its hashes: with uv, or where uv fails for reasons of its own, with pip.

    With `again`, also what seems to be there: an interrupted installation may have left half of it. Names, and uv
    takes those alone.
    """
    if not (has_uv() and with_uv(lock, and_project, again)):
        with_pip(lock, and_project, again)


def has_uv():
    """Install uv and what builds, at their locked versions; tell whether uv is there."""
    packages = locked()
    if "uv" not in packages:
        return False
    done = pip(["--only-binary", ":all:"], [packages[name] for name in ("uv", "setuptools") if name in packages])
    if not done:
        return give_way("pip.log")
    return True


def with_uv(lock, and_project, again):
    """Install with uv; tell whether it could."""
    settings = pip_settings()
    log = os.path.join(CACHE, "logs", "uv.log")
    uv = [PYTHON, "-m", "uv", "pip", "install", "--python", PYTHON, "--no-deps", "--no-build-isolation"]
    uv += ["--no-index"] if is_on(settings.get("no-index")) else []
    wanted = ["--require-hashes", "--config-settings-package=pyspark:" + AS_IT_IS, "-r", lock]
    named = again if isinstance(again, list) else []
    anew = ["--reinstall-package=" + name for name in named] or (["--reinstall"] if again else [])
    steps = [anew + wanted] + ([editable()] if and_project else [])
    environment = uv_environment(settings)
    for step in steps:
        if run_logged(uv + step, log, environment) != 0:
            return give_way("uv.log")
    return True


def with_pip(lock, and_project, again):
    """Install with pip, which without its resolver is not even slow, only slower."""
    packages = locked()
    build = ["--no-build-isolation"] if "setuptools" in packages and pip([], [packages["setuptools"]]) else []
    options = build + ["--use-pep517", "--config-settings", AS_IT_IS] + (["--ignore-installed"] if again else [])
    wanted = [text for name, text in locked(lock).items() if name != "uv"]
    done = not wanted or pip(options, wanted)
    if done and and_project:
        done = pip(build + editable())
    if not done:
        raise CannotSetUp(explain(os.path.join(CACHE, "logs", "pip.log"), "pip could not install the requirements"))


def pip(options, requirements=None):
    """Run `pip install` with options and locked requirements; tell whether it did its work."""
    command = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    command += ["--retries", "2", "--no-deps"] + options
    if requirements is not None:
        file = os.path.join(CACHE, "logs", "pip-requirements.txt")
        with open(file, "w", encoding="utf-8") as listed:
            listed.write("".join(requirements))
        command += ["--require-hashes", "-r", file]
    return run_logged(command, os.path.join(CACHE, "logs", "pip.log")) == 0


def give_way(log):
    """Say that pip takes over, unless it would fail for the same reason: then that is all there is to say."""
    log = os.path.join(CACHE, "logs", log)
    for signs, advice in SIGNS:
        if advice in NO_HELP_OF_PIPS and occurs(signs, log):
            raise CannotSetUp(advice)
    say("      uv could not do it (its log is %s); pip does, which takes a minute or two longer." % log)
    return False


def locked(lock=None):
    """Return what a lock says of each package, hashes and all; of two versions for different Pythons, of both."""
    packages = {}
    name = None
    with open(lock or lock_of(None), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith(("#", " ")):
                name = line.split("==")[0]
            if name:
                packages[name] = packages.get(name, "") + line
    return packages


def pip_settings():
    """Return how pip is set up here, by files and by the environment: its settings by their names."""
    done = subprocess.Popen(
        [PYTHON, "-m", "pip", "config", "list"],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    )
    found = [line.partition("=") for line in done.communicate()[0].splitlines()]
    settings = {}
    for section in ("global.", "install.", ":env:."):  # the later ones win
        for name, _, value in found:
            if name.startswith(section):
                with contextlib.suppress(ValueError, SyntaxError):
                    settings[name[len(section) :]] = str(ast.literal_eval(value))
    return settings


def uv_environment(settings):
    """Return the environment in which uv goes the ways that pip is set to go; what is set for uv itself stays."""
    links = [link for link in settings.get("find-links", "").split() if "://" in link or os.path.exists(link)]
    proxy = settings.get("proxy", "")
    proxy = "http://" + proxy if proxy and "://" not in proxy else proxy
    told = (
        (("UV_DEFAULT_INDEX", "UV_INDEX_URL"), settings.get("index-url")),
        (("UV_INDEX", "UV_EXTRA_INDEX_URL"), " ".join(settings.get("extra-index-url", "").split())),
        # As pip does: the file with the right hash may be on any of them.
        (("UV_INDEX_STRATEGY",), "unsafe-best-match" if settings.get("extra-index-url") else None),
        (("UV_FIND_LINKS",), ",".join(links)),
        (("UV_INSECURE_HOST",), " ".join(settings.get("trusted-host", "").split())),
        (("SSL_CERT_FILE",), settings.get("cert")),
        (("UV_SYSTEM_CERTS", "UV_NATIVE_TLS"), "1"),  # pip trusts the system's certificates too
        (("SSL_CLIENT_CERT",), settings.get("client-cert")),
        (("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"), proxy),
        (("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), proxy),
        (("UV_HTTP_TIMEOUT",), settings.get("timeout") or settings.get("default-timeout")),
        (("UV_HTTP_RETRIES",), settings.get("retries")),
        (("UV_NO_CACHE",), "1" if is_on(settings.get("no-cache-dir")) else None),
    )
    environment = dict(os.environ)
    for names, value in told:
        if value and not any(environment.get(name) for name in names):
            environment[names[0]] = value
    return environment


def is_on(value):
    """Tell whether a setting of pip is on."""
    return str(value).lower() in ("1", "true", "yes", "on", "t", "y")


def explain(log, problem):
    """Return why a program failed and what to do, from its log."""
    for signs, advice in SIGNS:
        if occurs(signs, log):
            return advice
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    return "%s. Its log, %s, ends with what to look for; then %s.\n\n%s" % (problem, log, AGAIN, "".join(lines[-15:]))


def occurs(signs, log):
    """Tell whether a log has one of the signs."""
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return any(sign in text for sign in signs)


def explain_refusal(error):
    """Return what to do about an error of the operating system."""
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return FULL
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        place = error.filename or PROJECT
        return "%s: %s. Clone the course into a folder of your own and %s." % (place, error.strerror, AGAIN)
    return "The set-up came upon this: %s. Put it right, or clone the course afresh, and %s." % (error, AGAIN)


def run_logged(command, log, environment=None):
    """Run a program with its output in a log; on a terminal show what it is at. Return its exit code."""
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env=environment,
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
