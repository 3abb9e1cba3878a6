"""The tests' Spark session: a plain one of this package's own, unless the repository around it gives one."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("suite") is None:
    from .plain_session import *  # noqa: F403
    from .plain_session import _session  # noqa: F401
