"""What a hidden test is: data that the learner has not seen, how often the cell runs on it, and what is compared.

:mod:`streaming_classroom.hidden_tests` runs it, in a sandbox.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class HiddenTest:
    """Data that the learner has not seen, on which the learner's cell and the solution must make the same.

    Attributes
    ----------
    given : callable
        Is given the sandbox before the first run: makes the tables, views and files that cells above make.
    results : tuple of str or callable
        Tables or views to compare, or functions that return a frame of a sandbox after the runs.
    later : tuple of callable
        Each is called before one more run of the cell, in which memory is gone and checkpoints are not: lets data
        arrive, or takes away a commit.
    mode : str
        Output mode in which a view that streams is run.
    says : str
        What the cell was run on, in a sentence.
    after : callable, optional
        Is called after the runs, such as to hand a batch to the cell's function once more.
    above : str
        Source of cells above, which is run before each run of the cell, such as definitions of a pipeline.
    needs_kafka : bool
        Whether the cell writes to a topic; the sandbox has topics of its own.
    may_fail : tuple of str
        Variables of streams that are to fail.
    """

    given: Callable[[Any], None]
    results: tuple[str | Callable[[Any], DataFrame], ...]
    later: tuple[Callable[[Any], None], ...] = ()
    mode: str = "append"
    says: str = "Your cell was run on data that you have not seen."
    after: Callable[[Any], None] | None = None
    may_fail: tuple[str, ...] = ()
    above: str = ""
    needs_kafka: bool = False
