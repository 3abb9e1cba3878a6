"""Spark's data source API: the data source ``cloudFiles`` and its readers."""
