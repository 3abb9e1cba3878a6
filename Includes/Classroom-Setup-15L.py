# Databricks notebook source
import sys

sys.path.append("../Includes")  # where Databricks finds the package; elsewhere it is installed

from streaming_classroom import set_up_notebook, start_lesson

set_up_notebook(globals())
DA = start_lesson("15L", dataset="river/levels")
