"""The health of all streams of a session: their figures on one page, and what is wrong, in a sentence."""
