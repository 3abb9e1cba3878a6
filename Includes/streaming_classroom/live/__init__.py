"""What a person sees of a stream while it runs: the live view, timelines, the instructor's controls.

Everything here needs somebody to look.  Without a person the course shows one static frame (``views``), from the same
table and without any script.
"""
