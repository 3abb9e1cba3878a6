"""Spark's Python workers, started faster by forking.

Spark starts Python workers for functions in Python, and one for each query over a Python data source such as Auto
Loader, for which a person waits.  They look for PySpark in an archive of sources that Spark brings along for clusters,
and compile it again each time; and each is a new interpreter that imports half a second's worth.  Here Spark is given a
launcher for its Python, which leaves out the archive where the same PySpark is installed, and has the workers of Python
data sources forked from a process that has imported all of it.

=================  ===================================================================
launcher           makes the launcher and starts the fork server
fork_server        the process that workers are forked from, a program of its own
forked_worker      what the launcher runs for a worker, a program of its own
=================  ===================================================================
"""
