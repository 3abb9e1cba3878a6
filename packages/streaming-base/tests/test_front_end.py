from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from streaming_base import front_end


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Be in a kernel; what its front end can do is for the test to say."""
    kernel = SimpleNamespace()
    monkeypatch.setattr(front_end, "ipython", lambda: SimpleNamespace(kernel=kernel))
    return kernel


@pytest.mark.parametrize("answers", [True, False])
def test_a_person_is_there_when_the_front_end_can_answer(kernel: SimpleNamespace, answers: bool) -> None:
    kernel._allow_stdin = answers
    assert front_end.is_interactive() is answers
    assert front_end.in_notebook()


def test_nobody_looks_before_the_first_cell(kernel: SimpleNamespace) -> None:
    assert not front_end.is_interactive()


@pytest.mark.parametrize("shell", [None, SimpleNamespace()], ids=["plain Python", "IPython in a terminal"])
def test_without_a_kernel_there_is_no_notebook(monkeypatch: pytest.MonkeyPatch, shell: object) -> None:
    monkeypatch.setattr(front_end, "ipython", lambda: shell)
    assert not front_end.is_interactive()
    assert not front_end.in_notebook()


def test_asking_for_ipython_does_not_import_it() -> None:
    code = "import sys; from streaming_base import front_end; print(front_end.ipython(), 'IPython' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["None", "False"]
