"""Where files are: on this machine (``local``), or in a store that pyarrow or fsspec opens (``remote``)."""
