"""The plugin of all tests of the workspace, loaded by ``conftest.py``.

===========  ==============================================================================
selection    the tests of a run: the everyday suite, all, or what a change touches
progress     progress with an estimate, and the last lines of a run
sessions     the Spark session, kernels, programs and cluster that tests share
lesson_runs  one run of each lesson for all tests about what it shows
===========  ==============================================================================
"""
