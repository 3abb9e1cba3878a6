"""All tests, those of the packages and those of the course as a whole, share what :mod:`suite` in ``tools/`` gives them."""

pytest_plugins = ("suite",)
