"""The Python processes that Spark starts, ready sooner.

Spark starts its own: workers for functions in Python, and for each query over a Python data source, Auto Loader's for
instance, a *planner*, which a person waits for.  They look for PySpark in an archive of sources that Spark brings
along for clusters, and compile it anew each time; and a planner is a new interpreter that imports half a second's
worth.  Here Spark is given a launcher for its Python, which leaves out the archive where the same PySpark is installed,
and has planners forked from a process that has imported all of it.

=================  ===================================================================
launcher           makes the launcher and starts the process that planners are made of
planners           that process, a program of its own
hand_over          what the launcher runs for a planner, a program of its own
=================  ===================================================================
"""
