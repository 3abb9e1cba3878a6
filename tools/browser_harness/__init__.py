"""A real JupyterLab and a real browser that looks at it, for benchmarks and the tests of the live view."""

from __future__ import annotations

from .chromium import CHROMIUM, running_browser
from .contrast import faint_texts, median_lightness
from .lab_server import running_course, running_lab
from .notebook_page import CELLS, Notebook, choose_theme

__all__ = [
    "CELLS",
    "CHROMIUM",
    "Notebook",
    "choose_theme",
    "faint_texts",
    "median_lightness",
    "running_browser",
    "running_course",
    "running_lab",
]
