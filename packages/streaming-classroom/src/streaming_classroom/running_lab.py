"""The JupyterLab that already runs on a folder, found by the files that Jupyter's servers leave while they run.

Two servers over the same files do not know of each other: each saves over the other's notebooks, and each starts a
kernel for the same lesson.
"""

from __future__ import annotations

import os
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ANSWER_TIMEOUT = 3.0  # seconds


def address(root: Path, page: str) -> str | None:
    """Return the address of a page on a server of a folder, if one answers, else None."""
    from jupyter_server.serverapp import list_running_servers  # half a second, which no other command pays

    with suppress(OSError):  # a server's file may go while it is read
        for server in list_running_servers():
            if _has(server, root) and _answers(server["url"]):
                token = server.get("token")
                return server["url"].rstrip("/") + page + (f"?{urlencode({'token': token})}" if token else "")
    return None


def _has(server: Mapping[str, Any], root: Path) -> bool:
    return os.path.realpath(server.get("root_dir", "")) == os.path.realpath(root)


def _answers(url: str) -> bool:
    """Whether the process of a server file is a Jupyter server that answers."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # it is on this machine
    try:
        with direct.open(f"{url}api", timeout=ANSWER_TIMEOUT) as answer:
            return answer.status == 200
    except (OSError, HTTPException, ValueError):
        return False
