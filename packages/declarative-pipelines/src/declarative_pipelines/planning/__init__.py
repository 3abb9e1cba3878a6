"""Definitions as a plan: what each flow reads, in which order flows run, what their expectations check."""
