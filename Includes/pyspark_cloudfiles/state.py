"""Where a stream keeps what it must remember: below its schema location, or in a directory of the user's.

A data source is not told the checkpoint.  A stream that infers its schema has a schema location, which usually is the
checkpoint; one with a schema of its own need not have any, and keeps its log in ``PYSPARK_CLOUDFILES_STATE``, by
default a directory below the home.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from pyspark_cloudfiles import filesystem

VARIABLE = "PYSPARK_CLOUDFILES_STATE"
_DIRECTORY = "_cloudfiles"


def new_log(schema_location: str | None) -> str:
    """Return the URL for the log of a stream that begins; nothing is written."""
    return f"{_base(schema_location)}/{uuid.uuid4().hex}"


def log_of(schema_location: str | None, recorded: str) -> str:
    """Return where the log of a checkpoint is.

    Parameters
    ----------
    schema_location : str or None
        What the stream's options say now; the directory may have been moved since.
    recorded : str
        What the checkpoint says.
    """
    here = f"{_base(schema_location)}/{recorded.rsplit('/', 1)[-1]}"
    return here if here == recorded or filesystem.is_directory(here) else recorded


def _base(schema_location: str | None) -> str:
    if schema_location is None:
        default = Path("~/.pyspark_cloudfiles").expanduser().as_uri().replace("file:///", "file:/")
        schema_location = os.environ.get(VARIABLE) or default
    return f"{filesystem.canonical(schema_location)}/{_DIRECTORY}"
