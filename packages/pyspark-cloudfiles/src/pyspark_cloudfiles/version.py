"""Which version this is; two processes of a query must have the same."""

VERSION = "0.1.0"
