"""The book: a site of the executed lessons, the documents and the packages' references, made by Sphinx.

:mod:`book.sources` writes the pages that Sphinx reads from the committed files; ``conf.py`` has Sphinx's settings.
"""
