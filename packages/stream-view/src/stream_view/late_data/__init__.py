"""Which rows the watermark dropped: batches are read again between their offsets, and checked by Spark's rule."""
