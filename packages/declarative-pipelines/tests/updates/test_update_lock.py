"""One update of a pipeline at a time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from declarative_pipelines.errors import UpdateRunning
from declarative_pipelines.updates.update_lock import only_update


def test_a_storage_is_locked_for_others_and_given_back(tmp_path) -> None:
    with only_update(f"{tmp_path}"):
        with only_update(f"{tmp_path}/another"):
            pass
        with pytest.raises(UpdateRunning), only_update(f"{tmp_path}"):
            pass
    with only_update(f"{tmp_path}"):
        pass


def test_a_process_that_was_killed_leaves_no_lock(tmp_path) -> None:
    code = f"""
import os
from declarative_pipelines.updates.update_lock import only_update
with only_update({str(tmp_path)!r}):
    os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 9
    with only_update(f"{tmp_path}"):
        pass
