"""Schemas of a stream: read from hints, kept in versions, and changed by what arrives."""
