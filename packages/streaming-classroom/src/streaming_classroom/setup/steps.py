"""The steps of set-up inside the virtual environment, their lock, and their errors.

Each step knows whether it is done, so a second start does nothing, and an interrupted one resumes.  The lock ends with
its process, and an error of the operating system becomes a SetupError with its fix.
"""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from notebook_dialect.catalogs.building import CompilationError
from streaming_classroom.data import datasets
from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories
from streaming_classroom.setup import archive, catalog_jar, jars, java

LOCK_TIMEOUT = 1200  # seconds; a whole set-up over a slow line
COURSE_ENVIRONMENT = "course-requirements.sha256"  # a file in an environment that `course.py` has filled
KERNEL_CONFIG = (
    "# The course's kernels know from their start what a lesson's cells need.\n"
    'get_config().InteractiveShellApp.extensions.append("streaming_classroom.kernel_start")\n'
)
_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}

Report = Callable[[str], None]


@dataclass(frozen=True)
class Step:
    """A step: its title, whether it is done, and the function that performs it and reports in lines."""

    title: str
    is_done: Callable[[], bool]
    do: Callable[[Report], object]


def steps(everything: bool = False) -> list[Step]:
    """Return the steps in their order; with ``everything``, also the download that few lessons need."""

    def fetch_jars(_report: Report) -> None:
        jars.fetch()
        if everything:
            jars.fetch(of=jars.KAFKA_BROKER)

    def has_jars() -> bool:
        return not jars.missing_or_damaged() and not (everything and deferred_downloads())

    title = "The jars of Delta and Kafka" + (", and Kafka's broker" if everything else "")
    return [
        Step("Java", lambda: java.find().java is not None, lambda _report: java.find_or_fetch()),
        Step(title, has_jars, fetch_jars),
        Step("Datasets", datasets_made, lambda _report: make_datasets()),
        Step("Catalogs (compiles a class)", catalog_jar.is_settled, make_catalogs),
        Step("Class-data archive (makes every later start quicker)", archive.is_settled, make_archive),
    ]


def deferred_downloads() -> list[str]:
    """Return a line for each download that set-up leaves to the first lesson that needs it: Kafka's broker is large."""
    if not jars.missing_or_damaged(jars.KAFKA_BROKER):
        return []
    return [
        f"Not fetched yet: Kafka's broker ({jars.KAFKA_BROKER.megabytes} MB), which lessons 05X, 14, 14L and 14X fetch "
        "when they need it. For a classroom without a network: `python course.py setup --all`."
    ]


def set_up(report: Report, offset: int = 0, everything: bool = False) -> bool:
    """Perform the missing steps; return whether there were any.

    ``offset`` is added to the steps' numbers; ``everything`` includes Kafka's broker, for lessons without a network.
    """
    todo = steps(everything)
    with setup_errors():
        write_kernel_config()
        if all(step.is_done() for step in todo):
            return False
        with setup_lock(report):
            for number, step in enumerate(todo, start=1 + offset):
                count = f"[{number}/{len(todo) + offset}]"
                if step.is_done():
                    report(f"{count} {step.title.partition(' (')[0]}: there already.")
                    continue
                report(f"{count} {step.title} ...")
                step.do(report)
        return True


def ensure_session_needs() -> java.Java:
    """Return the Java to use, after downloading Java and jars if they are missing; it takes a millisecond otherwise."""
    with setup_errors():
        if (found := session_java()) is not None:
            return found
        with setup_lock(lambda _line: None):
            found = java.find_or_fetch()
            jars.fetch()
            return found


def session_java() -> java.Java | None:
    """Return the Java to use if Java and all jars are there; fetch nothing."""
    return java.find().java if all(path.exists() for path in jars.paths()) else None


def datasets_made() -> bool:
    """Whether every dataset is in the cache."""
    return all(datasets.directory(name).exists() for name in datasets.names())


def make_datasets() -> None:
    """Make the datasets that are not in the cache."""
    for name in datasets.names():
        datasets.generate(name)


def make_catalogs(report: Report) -> None:
    """Compile the class of catalogs; if it fails, report and record that, because lessons run without it."""
    try:
        catalog_jar.make()
    except (CompilationError, OSError) as error:
        catalog_jar.remember_failure(str(error))
        report("      It could not be compiled: three-part names such as main.sales.orders will not work.")


def make_archive(report: Report) -> None:
    """Make the archive; if it fails, report and record that, because lessons run without it."""
    try:
        archive.make()
    except (subprocess.SubprocessError, OSError):
        archive.remember_failure()
        report(f"      It could not be made; lessons start more slowly without it. Its log is {archive.log()}.")


def kernel_config() -> Path:
    """Return the path at which IPython reads the settings of this environment's kernels."""
    return Path(sys.prefix, "etc", "ipython", "ipython_kernel_config.py")


def write_kernel_config() -> None:
    """Make kernels load :mod:`streaming_classroom.kernel_start`, if the course made this environment.

    No installer puts files there for an editable project.
    """
    file = kernel_config()
    if not Path(sys.prefix, COURSE_ENVIRONMENT).is_file():
        return
    if not file.is_file() or file.read_text(encoding="utf-8") != KERNEL_CONFIG:
        directories.write_atomically(file, KERNEL_CONFIG)


@contextmanager
def setup_lock(report: Report) -> Iterator[None]:
    """Hold the lock of the set-up, under which the cache may be changed; SetupError after a long wait."""
    directories.claim_cache()
    lock = FileLock(directories.cache() / "setup.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        report("Another set-up is running; waiting for it ...")
        try:
            lock.acquire(timeout=LOCK_TIMEOUT)
        except Timeout:
            problem = f"Another set-up has been running for {LOCK_TIMEOUT // 60} minutes."
            raise SetupError(problem, "End it, then run the same command again.") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def setup_errors() -> Iterator[None]:
    """Raise a SetupError with the fix in the place of an error of the operating system."""
    try:
        yield
    except OSError as error:
        raise explain(error) from error


def explain(error: OSError) -> SetupError:
    """Return the SetupError for an error of the operating system, with its fix."""
    place = error.filename or directories.cache()
    if error.errno in _FULL:
        return SetupError(f"The disk of {place} is full.", "Free 1 GB there, and run the same command again.")
    elsewhere = "or set CLASSROOM_CACHE to a folder of your own with 1 GB to spare, and run the same command again."
    if error.errno in _READ_ONLY:
        return SetupError(f"{place} cannot be written: {error.strerror}.", f"Make it writable, {elsewhere}")
    return SetupError(f"The set-up failed: {error}.", f"Fix its cause, {elsewhere}")
