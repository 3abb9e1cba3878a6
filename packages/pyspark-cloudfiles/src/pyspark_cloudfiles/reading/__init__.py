"""The tasks that read: files become rows of the stream's columns, and what is new in them a schema version."""
