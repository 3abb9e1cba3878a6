"""All tests, of the packages and of the course as a whole, share what :mod:`suite` in ``tools/`` gives them."""

pytest_plugins = ("suite.selection", "suite.sessions", "suite.lesson_runs", "suite.costs")
