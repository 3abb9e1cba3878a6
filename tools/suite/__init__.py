"""How all tests of the workspace run: what each needs, which of them a run has, and what they share.

=============  ====================================================================================
lanes          what a test needs, and so which process runs it
changes        what has changed since a commit, and which tests that reaches
selection      the tests of a run: all that is quick, all that a change reaches, a part of the rest
sampling       some of many cases that are alike
lesson_runs    one run of the lessons for all tests that look at what lessons showed
sessions       the Spark session, kernels and programs that tests start
costs          what each test file costs, and which tests needed a second try
=============  ====================================================================================
"""
