"""Option names in messages, spelled as the user has written them.

Spark takes options whatever their letter case, and hands a data source their keys in lower case.  What the user wrote,
``cloudfiles.maxfilespertrigger`` for instance, is remembered by the reader's wrapper; a search for it in the program
should find what a message is about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark_cloudfiles.errors import CloudFilesError, UnknownOptions
from pyspark_cloudfiles.option_names import INTERNAL

KEY = f"{INTERNAL}spelling"
# Names that are no ordinary words, and any name where a message says that it is an option's.
_NAMES = re.compile(r"\bcloudFiles(?:\.\w+)+|\b[a-z]+[A-Z]\w*|(?<=[Tt]he option )\w+")


@contextmanager
def as_written(options: Mapping[str, str]) -> Iterator[None]:
    """Have errors that are raised inside name options as the user does.

    Parameters
    ----------
    options : Mapping
        As Spark hands them over.
    """
    try:
        yield
    except CloudFilesError as error:
        written = _written(options)
        if isinstance(error, UnknownOptions):
            error.keys = [written.get(key, key) for key in error.keys]
            error.suggestions = {written.get(wrong, wrong): right for wrong, right in error.suggestions.items()}
        error.args = tuple(respelled(part, written) if isinstance(part, str) else part for part in error.args)
        raise


def respelled(text: str, written: Mapping[str, str]) -> str:
    """Return a message that spells options as they are written, from their keys in lower case."""
    return _NAMES.sub(lambda name: written.get(name[0].lower(), name[0]), text)


def as_text(written: Mapping[str, str]) -> str:
    """Return the option that tells the data source how keys are written."""
    return json.dumps({key: name for key, name in written.items() if not key.startswith(INTERNAL)})


def _written(options: Mapping[str, str]) -> dict[str, str]:
    text = {key.lower(): value for key, value in options.items()}.get(KEY)
    return json.loads(text) if text else {}
