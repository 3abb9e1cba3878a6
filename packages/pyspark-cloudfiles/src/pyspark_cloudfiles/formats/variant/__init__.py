"""Values and records as VARIANT."""
