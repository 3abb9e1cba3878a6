"""Notebook files: how they are read, included by ``%run``, and converted."""
