# Databricks notebook source
# untilStreamIsReady(name) and stopAllStreams(), for notebooks that include them by this name.
import sys
from glob import glob

sys.path += glob("../packages/*/src") + glob("../../packages/*/src")

from streaming_classroom import set_up_notebook

set_up_notebook(globals())
