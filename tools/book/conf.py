"""Sphinx's settings; :mod:`book.building` gives title and extra files of a build."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from pygments.lexer import Lexer
from pygments.lexers import BashLexer, MarkdownLexer, PythonLexer, SqlLexer, TextLexer
from pygments.token import Error, Name, Text, _TokenType

from book.lesson_pages import LEXER

if TYPE_CHECKING:
    from sphinx.application import Sphinx

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
language = "en"
nitpicky = True
# Types of other projects, whose documentation is elsewhere, and of ours that no public name gives.
nitpick_ignore_regex = [(r"py:(class|exc|data|obj)", ".*")]

myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "off"
nb_merge_streams = True
nb_render_error_lexer = "myst-ansi"  # the classroom's errors are short, and no tracebacks
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # nothing is loaded from elsewhere
highlight_language = "none"

napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
add_module_names = False

html_theme = "pydata_sphinx_theme"
html_static_path = ["static"]
html_css_files = ["book.css"]
html_js_files = ["book.js", "recordings.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_use_index = True
html_last_updated_fmt = None
html_context = {"default_mode": "auto"}  # as the reader's system has it
html_sidebars = {page: [] for page in ("index", "docs/learning", "docs/teaching", "notebooks/Glossary")}
html_theme_options = {
    "logo": {"text": "Structured Streaming"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button-field"],
    "search_bar_text": "Search the course",
    "header_links_before_dropdown": 6,
    "collapse_navigation": True,
    "show_nav_level": 1,
    "navigation_depth": 2,
    "show_toc_level": 1,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "primary_sidebar_end": [],
    "footer_start": [],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


_LANGUAGES = {"sql": SqlLexer, "sh": BashLexer, "bash": BashLexer, "md": MarkdownLexer, "python": PythonLexer}


class CellLexer(Lexer):
    """Highlights a cell of a lesson: Python, or the language of its magic, such as ``%sql``."""

    name = "Cell of a lesson"
    aliases = (LEXER,)
    filenames = ()

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield the position, kind and text of each token."""
        magic = text.split(maxsplit=1)[0] if text.startswith("%") else ""
        if magic:
            yield 0, Name.Decorator, magic
        lexer = _LANGUAGES.get(magic.lstrip("%"), TextLexer)() if magic else PythonLexer()
        for position, token, value in lexer.get_tokens_unprocessed(text[len(magic) :]):
            # Text that a lexer does not know, such as ${names} in SQL, is the dialect's, and no mistake.
            yield position + len(magic), Text if token is Error else token, value


def drop_empty_heads(_app: Sphinx, tree: nodes.document) -> None:
    """Remove the empty head of a table, without which Markdown has no table."""
    for head in list(tree.findall(nodes.thead)):
        if not head.astext().strip():
            head.parent.remove(head)


#: By page, and by the id of a section, what stands there, without the sections in it.
_texts: dict[str, dict[str, str]] = {}


def keep_texts(_app: Sphinx, page: str, _template: str, _context: dict, tree: nodes.document | None) -> None:
    """Keep the texts of a page's sections, without what is written in HTML."""
    words: dict[str, list[str]] = {}
    for text in tree.findall(nodes.Text) if tree is not None else ():
        above = text.parent
        if isinstance(above, nodes.raw):
            continue
        while above is not None and not isinstance(above, nodes.section):
            above = above.parent
        words.setdefault(above["ids"][0] if above is not None else "", []).extend(text.split())
    _texts[page] = {section: " ".join(found) for section, found in words.items()}


def write_texts(app: Sphinx, error: Exception | None) -> None:
    """Write the texts of all pages as a script, for the excerpts of a search that runs on files."""
    if error is None:
        script = f"window.pageTexts = {json.dumps(_texts, ensure_ascii=False)};\n"
        Path(app.outdir, "_static", "page_texts.js").write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the lexers of cells, the removal of empty heads, and the texts of pages."""
    app.add_lexer(LEXER, CellLexer)
    app.add_lexer("csv", TextLexer)
    app.connect("doctree-read", drop_empty_heads)
    app.connect("html-page-context", keep_texts)
    app.connect("build-finished", write_texts)
