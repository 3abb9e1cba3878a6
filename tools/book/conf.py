"""Sphinx's settings. What is of one build (title, extra files) is given by :mod:`book.building`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pygments.lexers import TextLexer

from book.cell_lexer import NAME, CellLexer
from book.empty_heads import drop_empty_heads

if TYPE_CHECKING:
    from sphinx.application import Sphinx

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
language = "en"
nitpicky = True
# Types of other projects, whose documentation is elsewhere, and of ours that no public name gives.
nitpick_ignore_regex = [(r"py:(class|exc|data|obj)", ".*")]

myst_enable_extensions = ["colon_fence"]
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
html_js_files = ["book.js"]
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


def setup(app: Sphinx) -> None:
    """Give Sphinx the colors of the lessons' cells, and tables without a head that is empty."""
    app.add_lexer(NAME, CellLexer)
    app.add_lexer("csv", TextLexer)
    app.connect("doctree-read", lambda _app, tree: drop_empty_heads(tree))
