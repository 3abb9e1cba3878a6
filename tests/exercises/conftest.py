"""The exercises lie beside the packages, not in one: what finds them makes them importable, before a test is."""

from streaming_classroom.exercises import catalogue

catalogue.lessons()
