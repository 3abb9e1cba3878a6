"""Hidden tests: the learner's own cell runs again, in a sandbox, on data that the learner has not seen.

A test plants rows at the limits, late rows, keys that come later; it runs the cell, lets more data arrive, runs it
again as a restarted kernel would, and compares what the cell has made with what the solution makes of the same data.
"""

from streaming_classroom.hidden_tests.running import run
from streaming_classroom.hidden_tests.sandbox import Sandbox

__all__ = ["Sandbox", "run"]
