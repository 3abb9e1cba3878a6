"""The exercises are not in a package: importing the catalogue makes them importable before a test imports them."""

from streaming_classroom.exercises import catalogue

catalogue.lessons()
