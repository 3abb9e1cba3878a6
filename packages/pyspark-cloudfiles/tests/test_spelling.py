"""Messages name options as the user has written them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyspark_cloudfiles import spelling
from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.session.readers import ReaderOptions
from pyspark_cloudfiles.source.data_source import CloudFilesDataSource


def load(root: Path, **options: str) -> None:
    """Load a stream as the reader's wrapper has it loaded."""
    said = ReaderOptions()
    for key, value in {"cloudFiles.format": "json", "path": f"file:{root}", **options}.items():
        said.note(key, value)
    CloudFilesDataSource(said.options | {spelling.KEY: spelling.as_text(said.spelling)}).schema()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cloudfiles.maxfilespertrigger", "0"),
        ("CLOUDFILES.INFERCOLUMNTYPES", "yes"),
        ("cloudFiles.maxbytesPerTrigger", "-1"),
        ("cloudfiles.cleansource.retentionduration", "soon"),
        ("cloudfiles.schemahints", "id STRANGE"),
        ("cloudfiles.usenotifications", "true"),
        ("MODE", "STRICT"),
        ("ignorecorruptfiles", "1"),
    ],
)
def test_a_wrong_value_is_told_with_the_key_that_the_program_has(tmp_path: Path, key: str, value: str):
    (tmp_path / "a.json").write_text('{"id":1}\n')
    with pytest.raises(CloudFilesError) as error:
        load(tmp_path, **{key: value, "cloudFiles.schemaLocation": f"file:{tmp_path}/_checkpoint"})
    assert key in str(error.value)


@pytest.mark.parametrize("key", ["cloudFiles.shemaLocation", "CLOUDFILES.SHEMALOCATION"])
def test_an_unknown_key_is_told_as_the_program_has_it_with_what_was_meant(tmp_path: Path, key: str):
    with pytest.raises(CloudFilesError) as error:
        load(tmp_path, **{key: "x"})
    text = str(error.value)
    assert f"unknown option keys: {key}. Did you mean cloudFiles.schemaLocation instead of {key}?" in text


def test_names_that_contradict_each_other_are_told_as_the_program_has_them(tmp_path: Path):
    with pytest.raises(CloudFilesError, match=r"RESCUEDDATACOLUMN is 'a' and cloudfiles\.rescuedDATAcolumn is 'b'"):
        load(tmp_path, **{"RESCUEDDATACOLUMN": "a", "cloudfiles.rescuedDATAcolumn": "b"})


def test_what_is_not_set_is_spelled_as_in_the_documentation(tmp_path: Path):
    (tmp_path / "a.json").write_text('{"id":1}\n')
    with pytest.raises(CloudFilesError, match=r"set cloudFiles\.schemaLocation"):
        load(tmp_path)


def test_ordinary_words_stay():
    assert spelling.respelled("choose the mode rescue", {"mode": "MODE"}) == "choose the mode rescue"
