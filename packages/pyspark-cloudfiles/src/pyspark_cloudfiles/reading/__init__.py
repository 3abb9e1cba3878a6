"""The tasks that read: files become rows of the stream's columns, and new fields become a schema version."""
