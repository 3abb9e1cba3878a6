"""The format ``xml``."""
