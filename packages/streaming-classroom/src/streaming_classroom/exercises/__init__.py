"""Exercises that answer: a learner writes a cell, and a check says whether it is right or which mistake it is.

An exercise has one source, a module of ``lesson_exercises``, with its starter, hints, solution, check, and the wrong
answers that the check must know.  The notebook holds the starter and nothing more.
"""

from .attempt import Attempt
from .exercise import Exercise, WrongAnswer
from .made_stream import MadeStream, interval_of
from .makes import Makes
from .mistake import Mistake, NotTried
from .question import Choice, Question

__all__ = [
    "Attempt",
    "Choice",
    "Exercise",
    "MadeStream",
    "Makes",
    "Mistake",
    "NotTried",
    "Question",
    "WrongAnswer",
    "interval_of",
]
