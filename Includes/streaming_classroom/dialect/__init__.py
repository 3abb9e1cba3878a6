"""What a Databricks notebook may say, understood by a stock Jupyter kernel.

Each module is one piece of the dialect: how a notebook file is read, what the first line of a cell means, how
``%run`` includes another notebook, how ``%sql`` finds its statements.  ``streaming_classroom.notebook`` puts all of it
into the running shell; on Databricks it does not.
"""
