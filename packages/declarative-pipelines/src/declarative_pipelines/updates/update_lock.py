"""The lock of an update: a file per storage, released when its process ends, so that only one update runs.

It is a file of this machine; two machines that share a storage are not kept apart.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from declarative_pipelines.errors import UpdateRunning


@contextmanager
def only_update(storage: str) -> Iterator[None]:
    """Be the only update of a pipeline.

    Raises
    ------
    UpdateRunning
        There is another one, in this process or in another one.
    """
    name = hashlib.sha256(storage.encode()).hexdigest()[:24]
    path = Path(tempfile.gettempdir()) / f"declarative_pipelines-{getpass.getuser()}-{name}.lock"
    with path.open("a+b") as file:
        try:
            _lock(file)
        except OSError:
            raise UpdateRunning(storage) from None
        yield  # closing the file gives the lock back


def _lock(file: IO[bytes]) -> None:
    if os.name == "nt":
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
