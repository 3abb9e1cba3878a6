"""The planning process: discovery of files, division into tasks, and cleaning of the source."""
