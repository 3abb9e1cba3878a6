from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from streaming_classroom.runner import SuiteResult
from streaming_classroom.runner.kernel import kernel_environment


def test_the_kernel_inherits_the_environment_and_has_its_own_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", "/some/java")
    env = kernel_environment(tmp_path, tmp_path / "07-A.ipynb")
    assert env["JAVA_HOME"] == "/some/java"
    assert env["CLASSROOM_HOME"] == str(tmp_path)
    assert env["PYTHONUTF8"] == env["PYDEVD_DISABLE_FILE_VALIDATION"] == "1"


def test_more_may_be_put_into_the_kernels_environment(tmp_path: Path) -> None:
    assert kernel_environment(tmp_path, tmp_path / "guest.py", {"CLASSROOM_ANSI": "off"})["CLASSROOM_ANSI"] == "off"


@pytest.mark.slow
def test_neither_installed_kernels_nor_the_users_profile_count(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lesson: Callable[..., Path],
    run: Callable[..., SuiteResult],
) -> None:
    spec = tmp_path / "jupyter" / "kernels" / "python3"
    spec.mkdir(parents=True)
    argv = ["no-such-interpreter", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "broken", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("import sys; print('hello', file=sys.stderr); open = None")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    result = run(lesson("interpreter"))
    assert result.passed
    assert json.dumps(sys.executable, ensure_ascii=False)[1:-1] in result.lessons[0].executed.read_text(
        encoding="utf-8"
    )  # type: ignore[union-attr]
