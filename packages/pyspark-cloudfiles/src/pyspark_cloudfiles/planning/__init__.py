"""The process that plans: which files there are, which task reads what, and what is cleaned up behind it."""
