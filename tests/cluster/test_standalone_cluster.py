"""The cluster of the tests leaves no process behind, however the tests end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import standalone_cluster

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("clean_environment")]

PROGRAM = """
import sys, time
from pathlib import Path
from standalone_cluster import running_cluster
with running_cluster(Path(sys.argv[1]), workers=1):
    print("UP", flush=True)
    time.sleep(120)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the system ends them only on Linux")
def test_master_and_worker_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(standalone_cluster.__file__).parent)}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout.readline() == "UP\n"
            jvms = psutil.Process(program.pid).children()
        finally:
            program.send_signal(signal.SIGKILL)
    assert len(jvms) == 2
    _gone, alive = psutil.wait_procs(jvms, timeout=120)
    assert not alive


def test_a_cluster_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standalone_cluster, "free_port", lambda: 1 << 17)  # which is none
    with pytest.raises(AssertionError, match=r"master\.log: "), standalone_cluster.running_cluster(tmp_path, workers=0):
        pass
