# %% without `int()`: text
DA.exercise("16.1")  # removes what an earlier attempt created

report = healthy.recentProgress[1]  # of the second batch
to_come = report["sources"][0]["metrics"]["numFilesOutstanding"]

# %% of another batch: another batch
DA.exercise("16.1")  # removes what an earlier attempt created

report = healthy.recentProgress[0]  # of the second batch
to_come = int(report["sources"][0]["metrics"]["numFilesOutstanding"])

# %% bytes for files: not the number of files
DA.exercise("16.1")  # removes what an earlier attempt created

report = healthy.recentProgress[1]  # of the second batch
to_come = int(report["sources"][0]["metrics"]["numBytesOutstanding"])
