"""Text values converted to Spark's types, singly and as Arrow columns, and rescued data."""
