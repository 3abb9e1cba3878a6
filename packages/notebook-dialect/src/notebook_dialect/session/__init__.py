"""What Databricks' Spark session has and open-source Spark's has not."""
