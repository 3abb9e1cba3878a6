"""A linter for the lessons: what each must have, and what none may have.

:func:`check` reads a committed notebook and says what to change.  Nothing is run; neither Spark nor Java is needed.
"""

from __future__ import annotations

from .problem import Problem
from .rules import check

__all__ = ["Problem", "check"]
