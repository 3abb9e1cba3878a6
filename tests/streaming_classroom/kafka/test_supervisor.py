from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming_classroom import supervisor

READY = "print('ready', flush=True); "
SAYS_BYE = "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit('bye')); "
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
SLEEP = "import time; [time.sleep(0.1) for _ in range(600)]"  # a signal just before a sleep does not shorten it


@pytest.fixture
def run(tmp_path: Path) -> Iterator:
    """Run Python code under a supervisor, and return when it runs; all runs of a test have one lock."""
    started = []

    def start(code: str, grace: float = supervisor.GRACE) -> subprocess.Popen[str]:
        imports = "import sys; from streaming_classroom import supervisor"
        main = f"{imports}; supervisor.GRACE = {grace}; supervisor.main(*sys.argv[1:])"
        command = [sys.executable, "-c", main, str(tmp_path / "lock"), sys.executable, "-c", code]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True))
        assert started[-1].stdout.readline() == "ready\n"
        return started[-1]

    yield start
    for process in started:
        process.communicate(timeout=20)


def test_a_program_may_tidy_up_when_its_starter_ends(run) -> None:
    assert run(SAYS_BYE + READY + SLEEP).communicate(timeout=20)[1] == "bye\n"


def test_a_program_that_does_not_listen_is_killed(run) -> None:
    assert run(DEAF + READY + SLEEP, grace=0.3).communicate(timeout=20) == ("", "")


def test_what_is_still_ending_is_waited_for(run, tmp_path: Path) -> None:
    mark = str(tmp_path / "mark")
    lingers = f"import time; open({mark!r}, 'w').close(); " + READY + "time.sleep(0.5); __import__('os').remove({!r})"
    first = run(DEAF + lingers.format(mark))
    first.stdin.close()
    first.stdin = None  # or communicate, in the fixture, would stumble over it
    run(f"import os; assert not os.path.exists({mark!r}); " + READY)


def test_a_program_that_ends_by_itself_ends_its_supervisor_and_gives_its_exit_code(tmp_path: Path) -> None:
    command = [sys.executable, "-I", supervisor.__file__, str(tmp_path / "lock")]
    command += [sys.executable, "-c", "import sys; sys.exit(7)"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.wait(20) == 7
    assert process.communicate(timeout=20)[1] == b""
