from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from streaming_classroom import environment

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Be in a kernel; what its front end can do is for the test to say."""
    kernel = SimpleNamespace()
    monkeypatch.setattr(environment, "ipython", lambda: SimpleNamespace(kernel=kernel))
    return kernel


@pytest.mark.parametrize("answers", [True, False])
def test_a_person_is_there_when_the_front_end_can_answer(kernel: SimpleNamespace, answers: bool) -> None:
    kernel._allow_stdin = answers
    assert environment.is_interactive() is answers
    assert environment.in_notebook()


def test_nobody_looks_before_the_first_cell(kernel: SimpleNamespace) -> None:
    assert not environment.is_interactive()


@pytest.mark.parametrize("shell", [None, SimpleNamespace()], ids=["plain Python", "IPython in a terminal"])
def test_without_a_kernel_there_is_no_notebook(monkeypatch: pytest.MonkeyPatch, shell: object) -> None:
    monkeypatch.setattr(environment, "ipython", lambda: shell)
    assert not environment.is_interactive()
    assert not environment.in_notebook()


def test_asking_for_ipython_does_not_import_it() -> None:
    code = "import sys; from streaming_classroom import environment as e; print(e.ipython(), 'IPython' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stdout.split() == ["None", "False"]


def test_this_machine_is_the_default() -> None:
    assert environment.is_one_machine()
    assert environment.master() == "local[*]"
    assert environment.remote_url() is None
    assert not environment.is_databricks()


@pytest.mark.parametrize(
    ("variable", "value", "one_machine"),
    [
        ("SPARK_MASTER", "local[1]", True),
        ("SPARK_MASTER", "", True),
        ("SPARK_REMOTE", "", True),
        ("SPARK_MASTER", "spark://host:7077", False),
        ("SPARK_REMOTE", "sc://host:15002", False),
        ("DATABRICKS_RUNTIME_VERSION", "17.3", False),
    ],
)
def test_only_a_local_master_is_one_machine(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, one_machine: bool
) -> None:
    monkeypatch.setenv(variable, value)
    assert environment.is_one_machine() is one_machine
    assert environment.fast_start() is one_machine


def test_fast_start_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSROOM_FAST_START", "0")
    assert not environment.fast_start()
