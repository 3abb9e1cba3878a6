"""Writes docs/engines.md: every lesson on every engine that Spark has, and the cell that says why where it stops."""
