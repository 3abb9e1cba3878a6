"""Spark's own pipelines engine and what it needs: JVM values, settings, storage, checkpoints."""
