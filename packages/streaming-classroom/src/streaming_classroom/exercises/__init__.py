"""Exercises: a learner writes a cell, and a check gives a verdict that names the mistake.

An exercise has one source, a folder of ``exercises/``, with its starter, hints, solution, check, and the wrong
answers that the check must know.  The notebook holds the starter and nothing more.
"""

from streaming_classroom.exercises.attempt import Attempt
from streaming_classroom.exercises.exercise import Choice, Exercise, Question, WrongAnswer
from streaming_classroom.exercises.hidden_test import HiddenTest
from streaming_classroom.exercises.made_stream import MadeStream, Makes, Mistake, NotTried, interval_of
from streaming_classroom.exercises.rubric import Rubric

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
