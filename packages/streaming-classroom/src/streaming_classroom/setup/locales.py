"""The locale that a JVM is started with: on Linux it decides which letters the names of files may have.

Under the locale ``C``, as in a container without ``LANG``, Java turns ``ü`` in a file's name into ``?``, and a session
whose home has such a letter does not start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

_DECIDE = ("LC_ALL", "LC_CTYPE", "LANG")  # the first that is set decides
KNOWS_ALL = "C.UTF-8"


def for_java(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables to set before a JVM is started; none where the locale knows all letters, or is no matter."""
    environment = os.environ if environment is None else environment
    if sys.platform != "linux":
        return {}
    name, value = next(((name, environment[name]) for name in _DECIDE if environment.get(name)), ("LANG", ""))
    if "utf" in value.lower():
        return {}
    return {name if name == "LC_ALL" else "LC_CTYPE": KNOWS_ALL}
