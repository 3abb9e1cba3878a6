"""A linter for the lessons: what each must have, and what none may have.

:func:`check` reads a committed notebook and returns the problems.  It runs nothing and needs neither Spark nor Java.
"""

from __future__ import annotations

from .lesson import Problem
from .rules import check

__all__ = ["Problem", "check"]
