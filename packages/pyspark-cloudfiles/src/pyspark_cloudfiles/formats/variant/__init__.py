"""VARIANT: its encoding, and whole records in one VARIANT column."""
