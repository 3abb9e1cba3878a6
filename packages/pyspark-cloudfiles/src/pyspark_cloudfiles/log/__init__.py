"""The file log of a stream: which files it has found and ingested."""
