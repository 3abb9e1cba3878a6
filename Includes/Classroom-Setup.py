# Databricks notebook source
# For notebooks without a lesson of their own: username, userhome, workingDir, the utility functions.
import sys

sys.path.append("../Includes")

from streaming_classroom import set_up_notebook, set_up_user

set_up_notebook(globals())
set_up_user(globals())
