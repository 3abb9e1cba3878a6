"""What Spark talks to: the data source ``cloudFiles``, and the readers that it gives to Spark."""
