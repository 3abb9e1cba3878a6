"""``dbfs:/`` and its other spellings, for Spark and for Python's own functions."""
