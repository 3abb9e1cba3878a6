"""Which rows the watermark dropped: a batch is read again between its offsets, and Spark's rule is applied to its rows."""
