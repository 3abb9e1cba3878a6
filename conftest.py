"""All tests, of the packages and of the course as a whole, share the plugin :mod:`suite` in ``tools/``."""

pytest_plugins = ("suite.selection", "suite.progress", "suite.sessions", "suite.lesson_runs")
