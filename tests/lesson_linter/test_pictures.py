"""The pictures of a lesson."""

from __future__ import annotations

import pytest

PICTURE = "![Files land one after the other on a road](images/07-road.svg)"
DIAGRAM = "```mermaid\nflowchart LR\n    accTitle: A road\n    accDescr: Files land on it\n    a --> b\n```"


@pytest.mark.parametrize(
    ("new", "rule", "says"),
    [
        ("![](images/07-road.svg)", "alt", "has no alt text"),
        ("<img src='images/07-road.svg'>", "alt", "has no alt text"),
        ("![Files](images/07-road.svg)", "alt", "at least 20 characters"),
        ("![Files land one after another](https://x.org/a.svg)", "local", "into images/"),
        ("![Files land one after another](//x.org/a.svg)", "local", "into images/"),
        ("![Files land one after another](/a.svg)", "local", "into images/"),
        ("![Files land one after another](data:image/png;base64,AAAA)", "local", "into images/"),
        ("![Files land one after another](attachment:a.png)", "local", "into images/"),
        ("![Files land one after another]()", "local", "into images/"),
        ("![Files land one after another](images/no.svg)", "local", "there is no images/no.svg"),
        ("<img alt='Files land one after another' src='no.svg'/>", "local", "there is no no.svg"),
        (DIAGRAM.replace("accTitle: A road", "%% none"), "alt", "add a line 'accTitle'"),
        (DIAGRAM.replace("accDescr: Files land on it", "%% none"), "alt", "add a line 'accDescr'"),
    ],
)
def test_a_lesson_with_a_wrong_picture(draft, one_problem, new: str, rule: str, says: str) -> None:
    draft.change(4, PICTURE, new)
    found = one_problem()
    assert found[:3] == (4, 7, rule)
    assert says in found[3]


def test_a_name_that_no_file_can_have(draft, one_problem) -> None:
    draft.change(4, "images/07-road.svg", "x" * 5000 + ".svg")
    assert one_problem()[:3] == (4, 7, "local")


def test_a_lesson_without_a_picture(draft, one_problem) -> None:
    draft.change(4, PICTURE, "Nothing to see.")
    assert one_problem() == (None, None, "pictures", "add a picture where words are long: an SVG in images/")


def test_a_diagram_is_a_picture(draft) -> None:
    draft.change(4, PICTURE, DIAGRAM)
    assert draft.check() == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("</svg>", "", "correct the XML"),
        ('viewBox="0 0 9 9"', "", "viewBox"),
        ('role="img"', "", 'role="img"'),
        ('aria-label="A road"', "", "aria-label or a <title>"),
        ('fill="#ffffff"', "", "page may be dark"),
        ('fill="#ffffff"', 'fill="#0f172a"', "page may be dark"),
        ('fill="#ffffff"', 'fill="#fff" fill-opacity=".5"', "page may be dark"),
        ('width="9"', 'width="8"', "page may be dark"),
        ("<defs>", "<path d='M0 0H9'/><defs>", "page may be dark"),
        ("<text", "<script>1</script><text", "scripts"),
        ("<defs>", "<defs onload='x()'>", "scripts"),
        ("<text", "<image href='https://x.org/a.png'/><text", "references"),
        ("<text", "<image xmlns:l='http://www.w3.org/1999/xlink' l:href='//x.org/a.png'/><text", "references"),
        ("<defs>", "<style>@import 'https://x.org/a.css';</style><defs>", "references"),
        ("url(#tip)", "url(http://x.org/#tip)", "references"),
        ("<text", "<path style='fill: url(&quot;http://x.org/#a&quot;)'/><text", "references"),
    ],
)
def test_a_wrong_drawing(draft, one_problem, old: str, new: str, says: str) -> None:
    svg = (draft.directory / "images" / "07-road.svg").read_text(encoding="utf-8")
    assert old in svg
    draft.draw(svg.replace(old, new))
    found = one_problem()
    assert found[:3] == (4, 7, "svg")
    assert says in found[3]
    assert found[3].endswith("in 07-road.svg")


def test_a_drawing_may_have_a_title_instead_of_a_label(draft) -> None:
    svg = (draft.directory / "images" / "07-road.svg").read_text(encoding="utf-8")
    draft.draw(svg.replace('aria-label="A road"', "").replace("<defs>", "<title>A road</title><defs>"))
    assert draft.check() == []


def test_a_misspelt_word_in_a_drawing(draft, one_problem) -> None:
    svg = (draft.directory / "images" / "07-road.svg").read_text(encoding="utf-8")
    draft.draw(svg.replace("files land", "fiels recieved"))
    problems = draft.check()
    assert [(p.cell, p.line, p.rule) for p in problems] == [(4, 7, "spelling")] * 2
    assert problems[1].message == "write 'received' for 'recieved' in 07-road.svg"
