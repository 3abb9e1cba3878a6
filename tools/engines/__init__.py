"""Writes docs/engines.md: every lesson on three engines of Spark, and the cell at which it stops."""
