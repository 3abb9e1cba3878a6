"""Files by URL: on this machine (``local``), or in an object store (``object_store``)."""
