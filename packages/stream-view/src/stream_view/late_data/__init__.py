"""Which rows the watermark dropped: batches are read again between their offsets, and judged by Spark's rule."""
