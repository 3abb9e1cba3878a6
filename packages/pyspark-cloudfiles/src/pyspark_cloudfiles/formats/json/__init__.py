"""The format ``json``."""
