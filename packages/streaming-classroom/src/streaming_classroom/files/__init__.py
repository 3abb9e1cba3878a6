"""Where the course's files are, which of them are its own, and how they are written."""
