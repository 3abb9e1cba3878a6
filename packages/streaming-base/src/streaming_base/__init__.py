"""The foundation of the course's packages: hooks on Spark's methods, errors, waiting for streams, SQL tokens.

It imports none of the packages above it.  Its modules are imported by name.
"""

__all__: list[str] = []
