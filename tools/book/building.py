"""Builds the book: assemble the sources, let Sphinx make the pages, check the pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sphinx.cmd.build import build_main

from .assembling import Book
from .front_page import readme_parts
from .page_checks import problems
from .repository import Repository

_CONF = Path(__file__).parent
# Pages that Sphinx makes of its own accord.
_GENERATED = {"genindex", "search"}


class BookNotBuilt(Exception):
    """Sphinx, or the checks of the pages, found something, and have said what."""


@dataclass(frozen=True)
class Built:
    """A book that was built.

    Parameters
    ----------
    site : Path
        The folder with its pages.
    pages : int
        How many there are.
    size : int
        The bytes of all files.
    """

    site: Path
    pages: int
    size: int


def build(project: Path, folder: Path, repository: Repository) -> Built:
    """Build the book of a checkout.

    Parameters
    ----------
    project : Path
        The checkout.
    folder : Path
        Where everything is made; an earlier book that is there is brought up to date.
    repository : Repository
        Where the checkout is published.

    Raises
    ------
    BookNotBuilt
        Sphinx warned, or a page has a problem.
    """
    source, extra, site = folder / "source", folder / "extra", folder / "site"
    pages = Book(project, source, extra, repository).assemble()
    _forget_pages(site, {*pages, *_GENERATED})
    _run_sphinx(project, folder)
    found = problems(site)
    if found:
        raise BookNotBuilt("\n".join(map(str, found)))
    files = [path for path in site.rglob("*") if path.is_file()]
    return Built(site, len([path for path in files if path.suffix == ".html"]), sum(p.stat().st_size for p in files))


def _run_sphinx(project: Path, folder: Path) -> None:
    title = readme_parts((project / "README.md").read_text(encoding="utf-8")).title
    settings = {
        "project": title,
        "html_title": title,
        "html_extra_path": folder / "extra",
    }
    given = [part for name, value in settings.items() for part in ("-D", f"{name}={value}")]
    command = ["-b", "html", "-q", "-W", "--keep-going", "-c", str(_CONF), "-d", str(folder / "doctrees")]
    if build_main([*command, *given, str(folder / "source"), str(folder / "site")]):
        # Else the next build would not read the pages that it has warned of, and be silent about them.
        (folder / "doctrees" / "environment.pickle").unlink(missing_ok=True)
        raise BookNotBuilt("Sphinx found something, above.")


def _forget_pages(site: Path, pages: set[str]) -> None:
    """Remove pages whose source is gone; only what Sphinx has made in this folder is."""
    if not (site / ".buildinfo").is_file():
        return
    for path in site.rglob("*.html"):
        inside = path.relative_to(site)
        if inside.parts[0] != "_static" and inside.with_suffix("").as_posix() not in pages:
            path.unlink()
