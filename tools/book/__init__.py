"""The book: a site of the executed lessons, the documents and the packages' references, made by Sphinx.

It has one source, the repository: :mod:`book.assembling` writes the pages that Sphinx reads into the build folder, from
the committed files, each time anew.
"""
