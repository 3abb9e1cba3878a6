"""A pipeline's SQL files, read into definitions."""
