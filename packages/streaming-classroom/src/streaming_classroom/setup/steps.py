"""The steps of set-up inside the virtual environment, each of which knows whether it is done.

Each step knows whether it is done, so a second start does nothing and an interrupted one goes on where it was.
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
    """One step: what it is called, whether it is done, and how it is done, reporting in lines."""

    title: str
    is_done: Callable[[], bool]
    do: Callable[[Report], object]


def steps(everything: bool = False) -> list[Step]:
    """Return the steps in the order in which they need each other; with ``everything``, also what few lessons need."""
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
    return Step(title, lambda: not jars.missing_or_damaged() and not left_for_later(), fetch)


def left_for_later() -> list[str]:
    """Return a line for each thing that the usual set-up leaves to the first lesson that needs it, if it is not there.

    The broker is one for a few lessons only, and twice as large as everything else that Spark needs.
    """
    if not jars.missing_or_damaged(jars.KAFKA_BROKER):
        return []
    size = f"{jars.KAFKA_BROKER.megabytes} MB"
    return [
        f"Not fetched yet: Kafka's broker ({size}), which lessons 05X, 14, 14L and 14X fetch when they need it. "
        "For a classroom without a network: `python course.py setup --all`."
    ]


def set_up(report: Report, offset: int = 0, everything: bool = False) -> bool:
    """Do every step that is not done; return whether there was one.

    Parameters
    ----------
    report : callable
        Is given one line for each step, where any of them has work to do.
    offset : int, optional
        How many steps came before these, for the numbering.
    everything : bool, optional
        Also fetch what few lessons need, so that from then on none needs a network.

    Raises
    ------
    SetupError
        A step could not be done; the message says what to do.
    """
    todo = steps(everything)
    with guard.refusals_explained():
        kernel_settings.write()
        if all(step.is_done() for step in todo):
            return False
        with guard.only_one(report):
            for number, step in enumerate(todo, start=1 + offset):
                count = f"[{number}/{len(todo) + offset}]"
                if step.is_done():
                    report(f"{count} {step.title.partition(' (')[0]}: there already.")
                    continue
                report(f"{count} {step.title} ...")
                step.do(report)
        return True


def ensure_session_needs() -> java.Java:
    """Return the Java to use, after fetching what a session cannot start without.

    What a kernel does that was started without `course.py`; where set-up is done it costs a millisecond.

    Raises
    ------
    SetupError
        Java or a jar is missing and cannot be had; the message says what to do.
    """
    with guard.refusals_explained():
        if (found := session_java()) is not None:
            return found
        with guard.only_one(lambda _line: None):
            found = java.find_or_fetch()
            jars.fetch()
            return found


def session_java() -> java.Java | None:
    """Return the Java to use if a session can start as things are, without fetching anything."""
    return java.find().java if all(path.exists() for path in jars.paths()) else None


def datasets_made() -> bool:
    """Return whether every dataset is in the cache."""
    return all(datasets.directory(name).exists() for name in datasets.names())


def make_datasets() -> None:
    """Make the datasets that are not in the cache."""
    for name in datasets.names():
        datasets.generate(name)


def make_archive(report: Report) -> None:
    """Make the archive; where that fails, say so and remember it, because lessons run without."""
    try:
        archive.make()
    except (subprocess.SubprocessError, OSError):
        archive.remember_failure()
        report(f"      It could not be made; lessons start more slowly without it. Its log is {archive.log()}.")
