"""The formats with column types of their own: Parquet, ORC and Avro."""
