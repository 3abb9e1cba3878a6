"""AUTO CDC and snapshots: changes merged into a Delta table."""
