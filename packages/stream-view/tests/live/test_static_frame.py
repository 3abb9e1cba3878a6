from __future__ import annotations

from html.parser import HTMLParser

import pytest

from stream_view.live import static_frame
from stream_view.live.static_frame import interactive_html
from stream_view.tables import Table


class Reader(HTMLParser):
    """Read the text of the cells, and count the scripts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cells: list[str] = []
        self.scripts = 0
        self._in_cell = False

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        self.scripts += tag == "script"
        if tag == "td":
            self._in_cell = True
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.cells[-1] += data


def table_of(*values: str | None) -> Table:
    return Table(("text",), (False,), tuple((value,) for value in values), cut=False, types=("string",))


def test_markup_in_data_title_and_error_is_text() -> None:
    evil = "</script><script>alert(1)</script>"
    reader = Reader()
    reader.feed(interactive_html(table_of(evil), title=evil, error=f"{evil}\n{evil}"))
    assert reader.cells == [evil]
    assert reader.scripts == 1


def test_the_error_says_its_sentence_first_and_the_rest_when_opened() -> None:
    html = interactive_html(table_of(), error="the sentence\nthe rest")
    before, _, details = html.partition("<details>")
    assert "the sentence" in before and "the rest" not in before
    assert "the rest" in details


@pytest.fixture
def no_cell_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a kernel that has shown nothing yet."""
    monkeypatch.setattr(static_frame, "_bringer", None)


def test_the_script_is_sent_once_a_notebook(no_cell_has_it: None) -> None:
    frames = [frame_of((f"cell {n}", f"run {n}")) for n in range(12)]
    assert [brings_the_script(frame) for frame in frames] == [True] + 11 * [False]
    assert len("".join(frames)) < 2 * len(frames[0])


def test_the_cell_that_has_the_script_brings_it_again_when_it_is_run_again(no_cell_has_it: None) -> None:
    runs = [("one", "1"), ("one", "1"), ("two", "2"), ("one", "3"), ("two", "4"), ("one", "3")]
    frames = [frame_of(run) for run in runs]
    assert [brings_the_script(frame) for frame in frames] == [True, False, False, True, False, False]


def frame_of(cell: tuple[str | None, str | None]) -> str:
    return interactive_html(table_of("a"), with_script=static_frame.brings_script(cell))


def brings_the_script(html: str) -> bool:
    return "const streamView" in html
