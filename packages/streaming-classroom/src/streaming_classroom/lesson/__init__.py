"""A lesson's ``DA``: its names, directories, data factory, exercises and the instructor's panel."""
