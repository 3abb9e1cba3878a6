"""The live view of a stream: widget, rows, dashboard, and the static frame that stays."""
