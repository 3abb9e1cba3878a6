from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest

from notebook_dialect.kernel import shell_cell


@pytest.fixture(params=["home", "a home", 'Übung "1" $HOME', "it's"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Have a file below roots with awkward names."""
    root = tmp_path / request.param / "dbfs"
    (root / "mnt").mkdir(parents=True)
    (root / "mnt" / "x.txt").write_text("found\n")
    return root


@pytest.mark.parametrize(
    "script", ["cat /dbfs/mnt/x.txt", 'cat "/dbfs/mnt/x.txt"', "cat '/dbfs/mnt/x.txt'", "f=/dbfs/mnt; cat $f/x.txt"]
)
def test_a_file_is_found_in_quotation_marks_of_either_kind_and_in_none(root: Path, script: str, capsys) -> None:
    shell_cell.run(root, script)
    assert capsys.readouterr().out == "found\n"


def test_the_output_names_the_folder_as_the_script_does(root: Path, capsys) -> None:
    shell_cell.run(root, "ls -d /dbfs/mnt/x.txt; cd /dbfs/mnt; pwd -P; pwd")
    assert capsys.readouterr().out == "/dbfs/mnt/x.txt\n/dbfs/mnt\n/dbfs/mnt\n"


def test_nothing_is_left_behind_and_nothing_is_lost(root: Path, tmp_path_factory, monkeypatch) -> None:
    own = tmp_path_factory.mktemp("temporary")  # other tests use the machine's at the same time
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    with pytest.raises(subprocess.CalledProcessError):
        shell_cell.run(root, "-e false")
    assert list(own.iterdir()) == []
    assert (root / "mnt" / "x.txt").read_text() == "found\n"
