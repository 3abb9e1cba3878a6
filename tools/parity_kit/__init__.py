"""Measures on one compute what the course's pages claim of Databricks, and puts a measurement into those pages."""
