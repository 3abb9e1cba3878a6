"""A JupyterLab with files and settings of its own, which is gone afterwards with every kernel of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from free_port import free_port
from streaming_classroom import jupyterlab
from streaming_classroom.setup import steps

from .chromium import SECONDS

_OPTIONS = ("--no-browser", "--IdentityProvider.token=t", "--ServerApp.port_retries=0")


@contextmanager
def running_lab(folder: Path) -> Iterator[str]:
    """Start JupyterLab on a folder; give its address. It and every kernel of it are gone afterwards."""
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", f"--port={port}", "--KernelRestarter.time_to_dead=1"]
    command += [f"--LabApp.extra_labextensions_path={folder}" for folder in jupyterlab.LAB_EXTENSIONS]
    with _serving([*command, f"--ServerApp.root_dir={folder}", *_OPTIONS], folder, port) as address:
        yield f"{address}/lab"


@contextmanager
def running_course(folder: Path, *options: str) -> Iterator[str]:
    """Start JupyterLab as ``course.py lab`` does, with its copies and all else below a folder; give its address."""
    port = free_port()
    command = [sys.executable, "-m", "streaming_classroom", "lab", f"--port={port}", *options, "--", *_OPTIONS]
    with _serving(command, folder, port) as address:
        yield address


@contextmanager
def _serving(command: list[str], folder: Path, port: int) -> Iterator[str]:
    log = folder / "lab.log"
    with log.open("w") as file:
        server = psutil.Popen(command, env=_environment(folder), cwd=folder, stdout=file, stderr=subprocess.STDOUT)
    try:
        _wait_for(server, port, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        family = [*server.children(recursive=True), server]
        server.terminate()
        _gone, alive = psutil.wait_procs(family, timeout=20)
        for process in alive:
            process.kill()


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which nothing of the user's own is read or written."""
    # Cells that are scrolled out of sight stay in the page, so that one can look at them.
    _set(folder, "notebook-extension", "tracker", windowingMode="none")
    # An automatic save during another one ends in a question whether to overwrite the file.
    _set(folder, "docmanager-extension", "plugin", autosave=False)
    # What set-up installs for the environment's kernels, be this environment of an older set-up or not.
    profile = folder / ".ipython" / "profile_default"
    profile.mkdir(parents=True)
    (profile / steps.kernel_config().name).write_text(steps.KERNEL_CONFIG, encoding="utf-8")
    return os.environ | {
        "IPYTHONDIR": str(folder / ".ipython"),
        "CLASSROOM_HOME": str(folder / "home"),
        "CLASSROOM_WORK": str(folder / "work"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / ".settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / ".workspaces"),
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
        "JUPYTER_DATA_DIR": str(folder / ".data"),  # with the signatures by which a notebook is trusted
    }


def _set(folder: Path, extension: str, plugin: str, **settings: Any) -> None:
    """Write the settings of a plugin of JupyterLab."""
    place = folder / ".settings" / "@jupyterlab" / extension
    place.mkdir(parents=True)
    (place / f"{plugin}.jupyterlab-settings").write_text(json.dumps(settings), encoding="utf-8")


def _wait_for(server: psutil.Popen, port: int, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token=t", timeout=5).close()
            return
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}") from None
            time.sleep(0.2)
