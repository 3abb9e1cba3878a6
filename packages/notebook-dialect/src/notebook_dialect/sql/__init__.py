"""Databricks' SQL: the statements of a cell, and the forms that open-source Spark needs rewritten."""
