"""An update, run: flows, batch counts, the event log, and its result."""
