"""A graph of datasets that is drawn while something runs through it: boxes, arrows, states and counts."""
