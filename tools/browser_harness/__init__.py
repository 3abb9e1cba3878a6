"""A real JupyterLab and a real browser that looks at it, for benchmarks and the tests of the live view."""

from __future__ import annotations

from .chromium import CHROMIUM, running_browser
from .contrast import faint_texts
from .lab_server import running_course, running_lab
from .notebook_page import CELLS, Notebook

__all__ = ["CELLS", "CHROMIUM", "Notebook", "faint_texts", "running_browser", "running_course", "running_lab"]
