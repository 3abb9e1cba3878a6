# Databricks notebook source
# untilStreamIsReady(name) and stopAllStreams(), for notebooks that include them by this name.
import sys

sys.path += ["../Includes", "../../Includes"]

from streaming_classroom import set_up_notebook

set_up_notebook(globals())
