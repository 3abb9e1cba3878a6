"""Builds the book: write the sources, let Sphinx make the pages, check the pages."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from sphinx.cmd.build import build_main

from stream_view.live.widgets import STYLE

from . import page_checks, sources
from .lesson_pages import RECORDINGS
from .recordings import view_script


class BookNotBuilt(Exception):
    """Sphinx or the checks of the pages found a problem."""


def build(project: Path, folder: Path, address: str, recorded: Path) -> Path:
    """Build the book of a checkout; return the folder of its pages.

    Parameters
    ----------
    project : Path
        The checkout.
    folder : Path
        Where the folder ``site`` is made; a site that Sphinx has made there is replaced.
    address : str
        Where the checkout is published, such as ``https://github.com/owner/name``; empty if it is not.
    recorded : Path
        The folder with the lessons' recordings; without any, pages show saved outputs only.

    Raises
    ------
    BookNotBuilt
        Sphinx warned, or a page has a problem.
    """
    site = folder / "site"
    if (site / ".buildinfo").is_file():
        shutil.rmtree(site)
    with tempfile.TemporaryDirectory() as scratch:
        source, extra = Path(scratch, "source"), Path(scratch, "extra")
        try:
            title = sources.write(project, source, extra, address, recorded)
        except sources.UnfitReadme as error:
            raise BookNotBuilt(str(error)) from error
        (extra / RECORDINGS).mkdir(parents=True, exist_ok=True)
        (extra / RECORDINGS / "view.js").write_text(view_script(), encoding="utf-8")
        (extra / RECORDINGS / "view.css").write_text(STYLE, encoding="utf-8")
        settings = {"project": title, "html_title": title, "html_extra_path": extra}
        given = [part for name, value in settings.items() for part in ("-D", f"{name}={value}")]
        command = [
            "-b",
            "html",
            "-q",
            "-W",
            "--keep-going",
            "-c",
            str(Path(__file__).parent),
            "-d",
            f"{scratch}/doctrees",
        ]
        if build_main([*command, *given, str(source), str(site)]):
            raise BookNotBuilt("Sphinx found a problem, above.")
    if found := page_checks.problems(site):
        raise BookNotBuilt("\n".join(found))
    return site
