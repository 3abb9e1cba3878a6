"""The version of this package, which must be the same in all processes of a query."""

VERSION = "0.1.0"
