"""The steps of set-up inside the virtual environment.

Each step knows whether it is done, so a second start does nothing, and an interrupted one resumes.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from streaming_classroom.data import datasets
from streaming_classroom.setup import archive, guard, jars, java, kernel_settings

Report = Callable[[str], None]


@dataclass(frozen=True)
class Step:
    """A step: its title, whether it is done, and the function that performs it and reports in lines."""

    title: str
    is_done: Callable[[], bool]
    do: Callable[[Report], object]


def steps(everything: bool = False) -> list[Step]:
    """Return the steps in their order; with ``everything``, also the download that few lessons need."""
    return [
        Step("Java", lambda: java.find().java is not None, lambda _report: java.find_or_fetch()),
        _jars_and_broker() if everything else _jars(),
        Step("Datasets", datasets_made, lambda _report: make_datasets()),
        Step("Class-data archive (makes every later start quicker)", archive.is_settled, make_archive),
    ]


def _jars() -> Step:
    return Step("The jars of Delta and Kafka", lambda: not jars.missing_or_damaged(), lambda _report: jars.fetch())


def _jars_and_broker() -> Step:
    def fetch(_report: Report) -> None:
        jars.fetch()
        jars.fetch(of=jars.KAFKA_BROKER)

    title = "The jars of Delta and Kafka, and Kafka's broker"
    return Step(title, lambda: not jars.missing_or_damaged() and not deferred_downloads(), fetch)


def deferred_downloads() -> list[str]:
    """Return a line for each download that set-up leaves to the first lesson that needs it: Kafka's broker is large."""
    if not jars.missing_or_damaged(jars.KAFKA_BROKER):
        return []
    size = f"{jars.KAFKA_BROKER.megabytes} MB"
    return [
        f"Not fetched yet: Kafka's broker ({size}), which lessons 05X, 14, 14L and 14X fetch when they need it. "
        "For a classroom without a network: `python course.py setup --all`."
    ]


def set_up(report: Report, offset: int = 0, everything: bool = False) -> bool:
    """Perform the missing steps; return whether there were any.

    ``offset`` is added to the steps' numbers; ``everything`` includes Kafka's broker, for lessons without a network.
    """
    todo = steps(everything)
    with guard.setup_errors():
        kernel_settings.write()
        if all(step.is_done() for step in todo):
            return False
        with guard.setup_lock(report):
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
    with guard.setup_errors():
        if (found := session_java()) is not None:
            return found
        with guard.setup_lock(lambda _line: None):
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


def make_archive(report: Report) -> None:
    """Make the archive; if it fails, report and record that, because lessons run without it."""
    try:
        archive.make()
    except (subprocess.SubprocessError, OSError):
        archive.remember_failure()
        report(f"      It could not be made; lessons start more slowly without it. Its log is {archive.log()}.")
