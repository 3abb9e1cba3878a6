"""The exercises of the lessons, a folder per lesson; ``DA.check("05.2")`` loads `lesson_05/2`."""
