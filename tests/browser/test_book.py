"""The whole book, built from the repository and looked at in a browser, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect
from rich.console import Console

from book.building import build
from book.recordings import record
from browser_harness import median_lightness

PROJECT = Path(__file__).parents[2]
FIRST, LIVE_VIEW, QUIZ, GLOSSARY, REFERENCE = PAGES = (
    "index.html",
    "notebooks/02-Introduction-to-Structured-Streaming.html",
    "notebooks/06-Output-Modes.html",
    "notebooks/Glossary.html",
    "packages/stream-view/reference.html",
)
RECORDED = "notebooks/00-Start-Here.html"
WIDE, NARROW = 1280, 390
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
FINDINGS = """
async () => (await axe.run(document)).violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 150))])
"""
UNFOLD = "document.querySelectorAll('article details').forEach((fold) => { fold.open = true; })"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    recorded = folder / "recordings"
    assert record([PROJECT / "notebooks/00-Start-Here.ipynb"], recorded, folder / "home", Console(quiet=True))
    return build(PROJECT, folder, "", recorded)


@pytest.fixture(params=[(WIDE, "light"), (NARROW, "dark"), (WIDE, "dark"), (NARROW, "light")], ids=str)
def look(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page of a width, as somebody's system has it."""
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    yield context.new_page()
    context.close()


def opened(book: Path, page: Page, name: str) -> list[str]:
    """Open a page of the book; return what it asks a network for, and the errors of its scripts."""
    found: list[str] = []
    page.on("request", lambda request: request.url.startswith(("file:", "data:")) or found.append(request.url))
    page.on("pageerror", lambda error: found.append(str(error)))
    page.goto((book / name).as_uri())
    return found


def test_all_lessons_are_in_the_book(book: Path) -> None:
    lessons = {path.stem for path in (PROJECT / "notebooks").glob("*.ipynb")}
    assert lessons <= {path.stem for path in (book / "notebooks").glob("*.html")}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_for_everybody_and_fits_any_screen(book: Path, look: Page, name: str) -> None:
    found = opened(book, look, name)
    look.evaluate(UNFOLD)
    assert look.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    look.evaluate(AXE)
    assert look.evaluate(FINDINGS) == []
    assert found == []


def test_a_live_view_is_its_last_frame(book: Path, look: Page) -> None:
    opened(book, look, LIVE_VIEW)
    frame = look.locator(".cell_output", has_text="activity_counts · 7 rows")
    expect(frame.locator("tbody tr")).to_have_count(7)


def test_a_recorded_stream_plays_without_a_kernel(book: Path, look: Page) -> None:
    found = opened(book, look, RECORDED)
    recording = look.locator(".recording")
    player, saved = recording.get_by_role("group", name="Recording"), recording.locator(".saved")
    expect(saved).to_be_visible()
    player.get_by_role("button", name="Play").press("Enter")
    expect(saved).to_be_hidden()
    state, rows = recording.locator(".sc-state"), recording.locator(".sc-view tbody")
    expect(state).to_have_text("running", timeout=60_000)
    player.get_by_role("button", name="Pause").press("Enter")
    before = rows.inner_text()
    player.get_by_role("button", name="Next batch").press("Enter")
    expect(rows).not_to_have_text(before, use_inner_text=True)
    player.get_by_role("slider").press("End")
    expect(state).to_have_text("stopped")
    recording.get_by_role("tab", name="Dashboard").press("Enter")
    expect(recording.get_by_text("rows per batch")).to_be_visible()
    look.evaluate(AXE)
    assert look.evaluate(FINDINGS) == []
    assert look.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert found == []


def test_a_picture_is_light_or_dark_as_the_page_is(book: Path, look: Page) -> None:
    opened(book, look, QUIZ)
    shown = look.locator("article img[src$='.svg']:visible")
    expect(shown).to_have_count(1)
    is_dark = look.evaluate("document.documentElement.dataset.theme") == "dark"
    assert shown.get_attribute("src").endswith(".dark.svg") is is_dark
    plot = look.locator(".cell_output img[src$='.png']").first
    assert median_lightness(plot) < 60 if is_dark else median_lightness(plot) > 230


def test_a_quiz_answers_and_hints_unfold(book: Path, look: Page) -> None:
    opened(book, look, QUIZ)
    quiz = look.locator(".quiz").first
    wrong, right = quiz.locator("details.wrong").first, quiz.locator("details.right")
    for choice, word in ((wrong, "Not this one."), (right, "Right.")):
        expect(choice.get_by_text(word)).to_be_hidden()
        choice.locator("summary").click()
        expect(choice.get_by_text(word)).to_be_visible()
    hint = look.locator(".exercise-check").first
    hint.get_by_text("Hint 1 of 3").click()
    expect(hint.get_by_text("Hint 2 of 3")).to_be_visible()
    expect(hint.get_by_text("Hint 3 of 3")).to_be_hidden()


def test_a_search_without_a_server_finds_a_term_and_shows_its_sentence(book: Path, look: Page) -> None:
    found = opened(book, look, FIRST)
    look.locator(".search-button__button:visible").click()
    look.locator("input[type=search]:visible").fill("watermark")
    look.keyboard.press("Enter")
    result = look.locator("#search-results li", has_text="09 · Windows and Watermarks")
    excerpts = result.locator("p.context")
    expect(excerpts.first).to_contain_text("watermark", ignore_case=True)
    assert found == []


def test_the_first_page_leads_to_the_first_lesson(book: Path, look: Page) -> None:
    opened(book, look, FIRST)
    expect(look.locator("h1")).to_be_visible()
    expect(look.locator(".hero pre")).to_have_text("python course.py lab")
    expect(look.locator(".path")).to_have_count(3)
    look.get_by_role("link", name="Start with lesson 00").click()
    expect(look.locator("h1")).to_contain_text("00 · Start Here")
