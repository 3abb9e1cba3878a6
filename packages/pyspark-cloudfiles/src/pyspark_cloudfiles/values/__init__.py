"""Texts as values, and values as Arrow columns, exactly as Spark converts them; and what did not fit a schema."""
