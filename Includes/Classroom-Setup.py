# Databricks notebook source
# What every lesson begins with: Spark, display, %sql and the waiting helpers. start_lesson() then makes the lesson's DA.
import sys
from glob import glob

sys.path += glob("../packages/*/src")  # where Databricks finds the packages; elsewhere they are installed

from streaming_classroom import set_up_notebook, set_up_user, start_lesson

set_up_notebook(globals())
set_up_user(globals())  # username, userhome and workingDir, which older notebooks use
