from __future__ import annotations

import re
from html.parser import HTMLParser

from stream_view.backlogs import Backlog
from stream_view.health.health_page import Row, as_html, as_text
from stream_view.health.service_target import ServiceTarget
from stream_view.health.watched_streams import StreamReading

FINE = StreamReading(
    "clicks", "running", 4, 5.0, 10.0, 2.0, None, 3.0, {"addBatch": 1.5, "walCommit": 0.5}, Backlog(7.0)
)
FAILED = StreamReading("<b>bad</b>", "failed", error="no <i>column</i>")


def rows(*readings: StreamReading) -> list[Row]:
    return [Row(reading, ServiceTarget().problems(reading)) for reading in readings]


class Balance(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_each_tag_is_closed_and_names_are_text() -> None:
    html = as_html(rows(FINE, FAILED), "a <note>")
    assert Balance(html).open == []
    assert "<b>bad" not in html and "<i>" not in html and "<note>" not in html


def test_a_problem_is_a_sentence_and_a_sign_not_a_color_alone() -> None:
    html = as_html(rows(FINE, FAILED))
    assert "2 streams · ▲ 1 with a problem" in html
    assert (
        "<li><strong>&lt;b&gt;bad&lt;/b&gt;</strong>: The stream has failed: no &lt;i&gt;column&lt;/i&gt;</li>" in html
    )
    assert re.findall(r'data-sh-wrong="(\w+)"', html) == ["state"]
    assert "▲ failed" in html


def test_the_text_has_the_figures_and_the_sentences() -> None:
    text = as_text(rows(FINE, FAILED), "saved")
    assert "▲ <b>bad</b>: The stream has failed: no <i>column</i>" in text
    assert re.search(r"clicks +● running +4, 3 s ago +7 rows +0\.7 s +2 s +5 +10", text)
    assert text.endswith("\nsaved")
