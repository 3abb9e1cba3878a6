"""What is added to the user's own process: the parts that Spark's interface for data sources has no place for."""
