"""Writes docs/parity.md: what the platform documents of pipelines, what this package does, what stock Spark does."""
