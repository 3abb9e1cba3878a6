"""JupyterLab on the lessons: its settings and command, and the address of one that already runs on a folder.

Two servers over the same files do not know of each other: each saves over the other's notebooks, and each starts a
kernel for the same lesson.  A running one is found by the files that Jupyter's servers leave while they run.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from streaming_classroom.files import directories
from streaming_classroom.lesson.page import STYLES

ANSWER_TIMEOUT = 3.0  # seconds
DEFAULT_PORT = 8888
_READING = Path(__file__).parent / "conf" / "reading"  # with a custom.css, as JupyterLab wants it
_SETTINGS: dict[str, dict[str, Any]] = {
    # A classroom may be offline, and nobody should be asked, on top of a lesson, whether to fetch news.
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # A page that is loaded again has the outputs that were saved: those of a stream come between two saves by hand.
    # And the glossary, to which lessons link, is for reading.
    "@jupyterlab/docmanager-extension:plugin": {
        "autosaveInterval": 10,
        "defaultViewers": {"markdown": "Markdown Preview"},
    },
    # Nobody is asked which kernel to start; that the first cell waits for it is up to an extension, below.
    "@jupyterlab/notebook-extension:tracker": {"autoStartDefaultKernel": True},
    # The names of lessons are long, and when each was changed is of no use.
    "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": False},
}
#: Extensions: colors for cells in SQL, and cells that wait for their kernel.
LAB_EXTENSIONS = tuple(
    directories.PROJECT / "packages" / package / "labextensions"
    for package in ("notebook-dialect", "streaming-classroom")
)


def write_settings() -> None:
    """Configure this environment's JupyterLab for lessons; a person's own settings have precedence."""
    file = Path(sys.prefix, "share", "jupyter", "lab", "settings", "overrides.json")
    try:
        others = dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        others = {}
    if others | _SETTINGS != others:
        directories.write_atomically(file, json.dumps(others | _SETTINGS))


def first_page(lessons: Sequence[Path], present: bool) -> str:
    """Return the page of the first lesson; of the two modes, the one for a single document shows nothing beside it."""
    return f"/{'doc' if present else 'lab'}/tree/notebooks/{quote(lessons[0].name)}" if lessons else "/lab"


def command(root: Path, page: str, port: int | None, present: bool, more: Sequence[str]) -> list[str]:
    """Return the command line of a JupyterLab on a folder."""
    from jupyter_core.paths import jupyter_config_dir  # which only JupyterLab's users have

    options = ["--log-level=WARN", "--LabApp.log_level=WARN"]  # else twenty lines of its log stand above the address
    options += [f"--ServerApp.root_dir={root}", f"--LabApp.default_url={page}"]
    options += [f"--LabApp.extra_labextensions_path={folder}" for folder in LAB_EXTENSIONS]
    if present:
        # Settings for text, and the layout of the page, are the user's own; these are of this start.
        style: Path | None = STYLES
        options.append(f"--LabApp.workspaces_dir={directories.claim(directories.home()) / 'jupyterlab'}")
    else:
        style = None if Path(jupyter_config_dir(), "custom", "custom.css").exists() else _READING
    if style is not None:
        options += ["--LabApp.custom_css=True", f"--ServerApp.tornado_settings=static_custom_path={style}"]
    # JupyterLab polls every three seconds for kernels that were killed; until then their streams seem to be alive.
    options.append("--KernelRestarter.time_to_dead=1")
    # It would search the machine for language servers and list, above the URL, those that are not there.
    options.append("--LanguageServerManager.autodetect=False")
    if getattr(os, "geteuid", lambda: 1)() == 0:
        options.append("--allow-root")  # as in a container, where there is nobody else to be
    # JupyterLab itself takes the next free port where this one is busy, and says which.
    return [sys.executable, "-m", "jupyterlab", *options, f"--port={port or DEFAULT_PORT}", *more]


def running_address(root: Path, page: str) -> str | None:
    """Return the address of a page on a server of a folder, if one answers, else None."""
    from jupyter_server.serverapp import list_running_servers  # half a second, which no other command pays

    with suppress(OSError):  # a server's file may go while it is read
        for server in list_running_servers():
            same = os.path.realpath(server.get("root_dir", "")) == os.path.realpath(root)
            if same and _answers(server["url"]):
                token = server.get("token")
                return server["url"].rstrip("/") + page + (f"?{urlencode({'token': token})}" if token else "")
    return None


def _answers(url: str) -> bool:
    """Whether the process of a server file is a Jupyter server that answers."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # it is on this machine
    try:
        with direct.open(f"{url}api", timeout=ANSWER_TIMEOUT) as answer:
            return answer.status == 200
    except (OSError, HTTPException, ValueError):
        return False
