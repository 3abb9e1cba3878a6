"""Lessons on a cluster whose executors are processes of their own: aggregates, ingestion, pipelines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from streaming_classroom.files import directories

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("clean_environment")]

DEADLINES = ["--cell-timeout", "240", "--lesson-timeout", "900"]  # as for all lessons of the tests
TIMEOUT = 960  # seconds


@pytest.mark.parametrize("lesson", ["02", "13", "15"])
def test_a_lesson_is_green_on_a_cluster(lesson: str, cluster: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "course.py", "run", *DEADLINES, lesson],
        cwd=directories.PROJECT,
        env=os.environ | {"SPARK_MASTER": cluster, "CLASSROOM_HOME": str(tmp_path / "home")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
    )
    assert done.returncode == 0, done.stdout[-3000:]
