"""The headless runner: every lesson in a fresh kernel, with the rules of CI."""
