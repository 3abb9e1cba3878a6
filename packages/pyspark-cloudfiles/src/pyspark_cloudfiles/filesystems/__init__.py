"""Files by URL: on this machine (``local``), or in a store that pyarrow or fsspec opens (``remote``)."""
