"""What kernels of the environment load at their start (kernel_settings.py)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from traitlets.config import PyFileConfigLoader

from streaming_classroom.notebook import kernel_start
from streaming_classroom.setup import kernel_settings


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an environment that the course has made."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / kernel_settings.MARKER).touch()
    return tmp_path


@pytest.mark.parametrize("there", [None, "something older"])
def test_ipython_finds_the_extension_there(environment: Path, there: str | None) -> None:
    if there:
        kernel_settings.place().parent.mkdir(parents=True)
        kernel_settings.place().write_text(there, encoding="utf-8")
    kernel_settings.write()
    config = PyFileConfigLoader("ipython_kernel_config.py", str(environment / "etc" / "ipython")).load_config()
    assert config.InteractiveShellApp.extensions.get_value([]) == [kernel_start.__name__]


def test_somebody_elses_environment_is_left_alone(environment: Path) -> None:
    (environment / kernel_settings.MARKER).unlink()
    kernel_settings.write()
    assert list(environment.iterdir()) == []
