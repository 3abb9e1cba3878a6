"""The checks of `course.py doctor`: what set-up has installed, what the environment's variables say, the machine."""
