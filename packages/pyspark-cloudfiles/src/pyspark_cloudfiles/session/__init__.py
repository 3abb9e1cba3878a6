"""Patches of the user's own process, for what Spark's data source API has no hook for."""
