"""The record of which files a stream has found, in which order: what makes it ingest each of them once."""
