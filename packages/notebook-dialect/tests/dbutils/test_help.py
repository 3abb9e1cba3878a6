from __future__ import annotations

import pytest

from notebook_dialect.dbutils.execution_errors import UnknownMethod
from notebook_dialect.dbutils.fs import FileSystemUtils
from notebook_dialect.dbutils.imports import describe
from notebook_dialect.dbutils.secrets import SecretUtils
from notebook_dialect.dbutils.widgets import Widgets
from streaming_classroom.files.directories import classroom_files

UTILITIES = [FileSystemUtils(classroom_files()), SecretUtils(), Widgets(dict)]


@pytest.mark.parametrize("utility", UTILITIES, ids=lambda utility: type(utility).__name__)
def test_help_names_every_method_with_a_sentence(utility: object, capsys: pytest.CaptureFixture[str]) -> None:
    utility.help()
    title, empty, *lines = capsys.readouterr().out.splitlines()
    public = [name for name in vars(type(utility)) if not name.startswith("_")]
    assert title.endswith(".") and empty == ""
    assert [line.strip().partition("(")[0] for line in lines] == public
    assert all(line.partition(" -> ")[2].endswith(".") for line in lines)


def test_help_shows_calls_as_a_learner_writes_them(capsys: pytest.CaptureFixture[str]) -> None:
    FileSystemUtils(classroom_files()).help()
    assert "\n  rm(dir, recurse=False) -> Remove a file" in capsys.readouterr().out


def test_help_of_a_method_is_all_about_it(capsys: pytest.CaptureFixture[str]) -> None:
    FileSystemUtils(classroom_files()).help("rm")
    out = capsys.readouterr().out
    assert out.startswith("rm(dir, recurse=False)\n\nRemove a file") and "Raises" in out


@pytest.mark.parametrize("name", ["lss", "_create", "__init__"])
def test_help_of_what_there_is_not_names_what_there_is(name: str) -> None:
    with pytest.raises(UnknownMethod, match=r"There are: ls, head, put"):
        FileSystemUtils(classroom_files()).help(name)


def test_help_suggests_the_nearest_name() -> None:
    with pytest.raises(UnknownMethod, match=r"Did you mean mkdirs\?"):
        FileSystemUtils(classroom_files()).help("mkdir")


class Whole:
    """Everything."""

    def __init__(self) -> None:
        self.secrets = SecretUtils()
        self._hidden = SecretUtils()
        self.number = 1

    def help(self) -> None:
        """Print what there is."""


def test_help_of_a_whole_names_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    describe(Whole())
    assert capsys.readouterr().out.splitlines() == [
        "Everything.",
        "",
        "  secrets -> Read secrets from environment variables: scope s and key k are in CLASSROOM_SECRET_S_K.",
        "  help() -> Print what there is.",
    ]
