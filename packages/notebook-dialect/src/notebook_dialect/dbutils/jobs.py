"""``dbutils.jobs``: values that the tasks of a job pass on; a notebook here never runs as a task of a job."""

from __future__ import annotations

from typing import Any

from notebook_dialect.dbutils.help import describe


class TaskValues:
    """Values of a job's tasks, as they are outside a job."""

    def set(self, key: str, value: Any) -> None:
        """Do nothing, as on the platform outside a job."""

    def get(self, taskKey: str, key: str, default: Any = None, debugValue: Any = None) -> Any:
        """Return ``debugValue``, as on the platform outside a job.

        Raises
        ------
        TypeError
            There is no ``debugValue``.
        """
        if debugValue is None:
            raise TypeError(
                f"taskValues.get({taskKey!r}, {key!r}) has no debugValue, and this notebook does not run in a job: "
                "pass debugValue=..., which is returned outside a job."
            )
        return debugValue

    def help(self, method: str | None = None) -> None:
        """Print what there is."""
        describe(self, method)


class JobsUtils:
    """Utilities for the tasks of jobs."""

    def __init__(self) -> None:
        self.taskValues = TaskValues()

    def help(self, method: str | None = None) -> None:
        """Print what there is."""
        describe(self, method)
