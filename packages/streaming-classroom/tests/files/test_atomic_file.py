from __future__ import annotations

from pathlib import Path

import pytest

from streaming_classroom.files.ownership import write_atomically


def test_a_text_replaces_the_one_before_and_its_folder_is_made(tmp_path: Path) -> None:
    file = tmp_path / "new" / "note.json"
    for text in ("first", "zweitens: é"):
        write_atomically(file, text)
    assert file.read_text(encoding="utf-8") == "zweitens: é"
    assert list(file.parent.iterdir()) == [file]


def test_a_writer_that_is_stopped_before_the_end_leaves_what_was_there(tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "note.json"
    write_atomically(file, "before")

    def killed(_self: Path, _target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(file, "after")
    assert file.read_text(encoding="utf-8") == "before"
