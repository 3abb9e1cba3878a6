"""What a person sees of a stream while it runs: the live view, its static frame, the instructor's controls."""
