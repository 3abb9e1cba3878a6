"""The environment of this process: one machine, a cluster, a Connect server or a Databricks workspace.

A lesson is written once.  What differs between these places asks these functions and nothing else; what differs between
a person at a notebook and a run without one asks ``streaming_base.front_end``.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from streaming_classroom.errors import NotAvailable

if TYPE_CHECKING:
    from notebook_dialect.filesystem import Spark

ANSI = "CLASSROOM_ANSI"


def is_databricks() -> bool:
    """Whether a Databricks runtime executes this."""
    return "DATABRICKS_RUNTIME_VERSION" in os.environ


def remote_url() -> str | None:
    """The Spark Connect server to use (``SPARK_REMOTE``), or None."""
    return os.environ.get("SPARK_REMOTE") or None


def master() -> str:
    """The Spark master to use: ``SPARK_MASTER``, by default all cores of this machine."""
    return os.environ.get("SPARK_MASTER") or "local[*]"


def is_one_machine() -> bool:
    """Whether driver and executors are this very process's machine."""
    return not is_databricks() and remote_url() is None and re.fullmatch(r"local(\[.*\])?", master()) is not None


def is_cluster_here() -> bool:
    """Whether the cluster's master listens on this machine's loopback address, which needs no network."""
    return re.match(r"spark://(localhost|127\.0\.0\.1):", master()) is not None


def is_on_this_machine() -> bool:
    """Whether every process of Spark runs on this machine, also on a cluster of it."""
    if is_databricks() or remote_url() is not None:
        return False
    return is_one_machine() or is_cluster_here() or master().startswith("local-cluster[")


def spark_place() -> Spark:
    """Where Spark's driver and executors are, as the file system needs to know it."""
    if is_databricks():
        return "on Databricks"
    if remote_url() is not None:
        return "behind Connect"
    return "here" if is_one_machine() else "on a cluster"


def guest_conf() -> dict[str, str]:
    """Settings of the session in a notebook that is not the course's own: its ANSI mode (``CLASSROOM_ANSI``).

    A notebook that was made for an older cluster may rely on ``off``, where a cast that fails gives NULL.  By default
    Spark's own default holds.

    Raises NotAvailable: the variable has another value than ``on`` or ``off``.
    """
    asked = os.environ.get(ANSI, "")
    if asked not in ("", "on", "off"):
        raise NotAvailable(f"{ANSI}={asked} is neither on nor off.", "Set it to one of them, or unset it.")
    return {"spark.sql.ansi.enabled": str(asked == "on").lower()} if asked else {}


def fast_start() -> bool:
    """Whether JVMs on this machine are tuned for a quick start rather than for throughput (``CLASSROOM_FAST_START``).

    The default.  Executors on other machines, a Connect server and Databricks are not affected.
    """
    return os.environ.get("CLASSROOM_FAST_START", "1") != "0" and spark_place() in ("here", "on a cluster")
