"""Files that have columns and types of their own: Parquet, ORC and Avro."""
