"""The schema of a stream: hints, inference, versions, and evolution."""
