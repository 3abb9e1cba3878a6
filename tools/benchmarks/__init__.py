"""Benchmarks: each module runs what a user would use instead and ours, side by side, and prints the ratio."""
