"""The faults of a set-up that were tried: who names each of them, and who repairs it.

`.venv/bin/python tools/set_up_faults.py` writes the table into docs/troubleshooting.md. Tests make each fault, in
`tests/setup/test_faults.py` of the course's package or in the test that is named here, and hold that the table is true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

PROJECT = Path(__file__).resolve().parents[1]
PAGE = PROJECT / "docs" / "troubleshooting.md"
_PLACE = re.compile(r"(?<=<!-- faults -->\n).*?(?=<!-- end of faults -->)", re.DOTALL)

Repaired = Literal["doctor --fix", "the next start", "no need: lessons run", "you"]


@dataclass(frozen=True)
class Fault:
    """One fault.

    Parameters
    ----------
    fault
        What is wrong, as a person would say it.
    named
        The check of `course.py doctor` that names it; else the command that does.
    repaired
        Who repairs it.
    shown
        The test that makes it, ``file::name``, if that is not test_faults.py.
    """

    fault: str
    named: str
    repaired: Repaired
    shown: str | None = None

    @property
    def is_the_doctors(self) -> bool:
        """Whether a check of the doctor names it, rather than a command."""
        return not self.named.startswith("`")


_COURSE = "tests/test_course.py"
_SETUP = "packages/streaming-classroom/tests/setup"
FAULTS = (
    Fault("Python is too old for the course", "Python", "you"),
    Fault(
        "`course.py` is started with an old Python", "`course.py`", "you", f"{_COURSE}::test_an_old_python_is_refused"
    ),
    Fault("the disk is full", "disk", "you"),
    Fault(
        "the disk fills up during set-up", "`setup`", "you", f"{_SETUP}/test_steps.py::test_a_full_disk_is_one_sentence"
    ),
    Fault("less than 1 GB of memory is free", "memory", "you"),
    Fault("the limit of open files is low", "limits", "you"),
    Fault("the limit of memory (`ulimit -v`) is low", "limits", "you"),
    Fault("the clock is wrong (behind)", "clock", "you"),
    Fault("`localhost` does not resolve", "host name", "you"),
    Fault("the machine's own name does not resolve", "host name", "no need: lessons run"),
    Fault("`TMPDIR` names a folder that cannot be used", "temporary files", "you"),
    Fault("a port is taken", "port 8888", "no need: lessons run"),
    Fault("the cache cannot be written", "write access", "you"),
    Fault("the cache is on a read-only disk", "write access", "you"),
    Fault("the folder for the cache has somebody else's files", "write access", "you"),
    Fault("the course is in a read-only folder", "`course.py`", "you", f"{_COURSE}::test_a_read_only_checkout"),
    Fault(
        "paths with blanks and letters beyond ASCII",
        "no check",
        "no need: lessons run",
        f"{_COURSE}::test_the_first_start",
    ),
    Fault("the locale knows ASCII only, and a path has other letters", "locale", "no need: lessons run"),
    Fault(
        "two files differ in upper and lower case only, on a disk that ignores it", "no check", "no need: lessons run"
    ),
    Fault("a package is missing", "packages", "doctor --fix"),
    Fault("a package is of another version", "packages", "doctor --fix"),
    Fault("a package lacks a file", "packages", "doctor --fix"),
    Fault(
        "a package without which the doctor does not start is damaged",
        "`doctor`",
        "doctor --fix",
        f"{_COURSE}::test_a_doctor_that",
    ),
    Fault(
        "the environment's Python is gone",
        "`course.py`",
        "the next start",
        f"{_COURSE}::test_an_environment_whose_python",
    ),
    Fault(
        "the course was moved to another folder", "`course.py`", "the next start", f"{_COURSE}::test_in_a_moved_project"
    ),
    Fault("set-up was interrupted", "`course.py`", "the next start", f"{_COURSE}::test_ctrl_c_during_pip"),
    Fault(
        "`.venv` is somebody else's environment", "`course.py`", "you", f"{_COURSE}::test_an_environment_that_somebody"
    ),
    Fault("a lock is left over from a set-up that was killed", "no check", "the next start"),
    Fault("no Java", "Java", "doctor --fix"),
    Fault("only a Java that is too old", "Java", "doctor --fix"),
    Fault("`JAVA_HOME` names a folder without a Java, and there is another", "Java", "no need: lessons run"),
    Fault("a Java that does not run, for another processor for instance", "Java", "you"),
    Fault("a jar is missing", "jars", "doctor --fix"),
    Fault("a jar was downloaded in part", "jars", "doctor --fix"),
    Fault("a jar was changed", "jars", "doctor --fix"),
    Fault(
        "a mirror sends another jar",
        "`setup`",
        "you",
        f"{_SETUP}/test_jars.py::test_a_jar_with_another_checksum_is_refused",
    ),
    Fault("a dataset is missing", "datasets", "doctor --fix"),
    Fault("the class-data archive is missing", "archive", "doctor --fix"),
    Fault("the class-data archive could not be made before", "archive", "doctor --fix"),
    Fault("Kafka's broker is not there", "Kafka's broker", "no need: lessons run"),
    Fault("the environment's kernelspec is damaged", "kernel", "doctor --fix"),
    Fault("another kernelspec `python3` goes before the course's", "kernel", "you"),
    Fault("the home is read-only, so Jupyter cannot write there", "Jupyter's folders", "you"),
    Fault("an old JupyterLab comes first on the `PATH`", "Jupyter on the PATH", "no need: lessons run"),
    Fault("`SPARK_HOME` names another Spark", "SPARK_HOME", "no need: lessons run"),
    Fault("`SPARK_CONF_DIR` has another project's `spark-defaults.conf`", "SPARK_CONF_DIR", "you"),
    Fault("`SPARK_LOCAL_IP` is no address of this machine", "SPARK_LOCAL_IP", "you"),
    Fault("`SPARK_REMOTE` names a server that does not answer", "SPARK_REMOTE", "you"),
    Fault("`PYSPARK_PYTHON` names a Python that is gone", "PYSPARK_PYTHON", "you"),
    Fault("`PYSPARK_PYTHON` names a Python without this PySpark", "PYSPARK_PYTHON", "you"),
    Fault("`PYSPARK_SUBMIT_ARGS` does not end in `pyspark-shell`", "PYSPARK_SUBMIT_ARGS", "you"),
    Fault("`PYTHONPATH` hides a module, by another Spark's for instance", "PYTHONPATH", "you"),
    Fault("`_JAVA_OPTIONS` gives every JVM little memory", "Java's options", "you"),
    Fault("`DATABRICKS_RUNTIME_VERSION` is set on another machine", "Databricks", "you"),
    Fault("a proxy is set that does not answer, and set-up is not done", "proxy", "you"),
    Fault("a proxy is set that does not answer, and set-up is done", "proxy", "no need: lessons run"),
)


def table() -> str:
    """Return the table of the page."""
    rows = [f"| {fault.fault} | {fault.named} | {_done_by(fault.repaired)} |" for fault in FAULTS]
    return "\n".join(["| fault | named by | repaired by |", "| --- | --- | --- |", *rows, ""])


def page() -> str:
    """Return the page with the table as it should be."""
    return _PLACE.sub(lambda _match: table(), PAGE.read_text(encoding="utf-8"))


def _done_by(repaired: Repaired) -> str:
    return f"`{repaired}`" if repaired == "doctor --fix" else repaired


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
