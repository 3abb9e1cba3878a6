"""Exercises: a learner writes a cell, and a check returns a verdict that names the mistake.

An exercise has one source, a folder of ``exercises/`` with its cells, its texts and its check; the notebook has the
starter alone.  A check takes this path:

1. :mod:`.grader` prepares the attempt and runs the check and the hidden tests.
2. :mod:`.catalogue` loads the exercise from its folder.
3. :mod:`.exercise` is the model of an exercise.
4. :mod:`.attempt` gives the check access to the learner's variables, streams and tables.
5. :mod:`.sandbox` runs the learner's cell again, for a hidden test.
6. :mod:`.verdict` compares rows and displays the result.

Beside this path are :mod:`.last_cell` (a callback of the notebook), :mod:`.progress` and :mod:`.quiz`.
"""

from streaming_classroom.exercises.attempt import Attempt
from streaming_classroom.exercises.exercise import (
    Exercise,
    HiddenTest,
    Makes,
    Mistake,
    NotTried,
    Rubric,
    WrongAnswer,
)
from streaming_classroom.exercises.made_stream import MadeStream, interval_of
from streaming_classroom.exercises.quiz import Choice, Question

__all__ = [
    "Attempt",
    "Choice",
    "Exercise",
    "HiddenTest",
    "MadeStream",
    "Makes",
    "Mistake",
    "NotTried",
    "Question",
    "Rubric",
    "WrongAnswer",
    "interval_of",
]
