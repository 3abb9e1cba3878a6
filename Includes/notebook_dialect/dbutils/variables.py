"""Values from the environment: how a secret's or a widget's name becomes an environment variable's."""

from __future__ import annotations

import re


def variable_name(*names: str) -> str:
    """Return ``CLASSROOM_A_B`` for ``a`` and ``b``: upper case, and ``_`` for all but letters and digits."""
    return re.sub(r"[^A-Z0-9]", "_", "_".join(("CLASSROOM", *names)).upper())
