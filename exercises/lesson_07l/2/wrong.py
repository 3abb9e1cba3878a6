# %% `TRUNCATE TABLE` for `INSERT OVERWRITE archive SELECT DISTINCT * FROM`: no run will restore the rows
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "TRUNCATE TABLE archive"
display(spark.sql(repair))

# %% with `dbutils.fs.rm(f"{DA.paths.checkpoints}/a ...`: checkpoint is gone
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "INSERT OVERWRITE archive SELECT DISTINCT * FROM archive"
display(spark.sql(repair))
dbutils.fs.rm(f"{DA.paths.checkpoints}/archive", recurse=True)

# %% loads everything again: every row twice, as before
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "INSERT OVERWRITE archive SELECT DISTINCT * FROM archive"
display(spark.sql(repair))
dbutils.fs.rm(f"{DA.paths.checkpoints}/archive", recurse=True)
run_archive()

# %% `CREATE OR REPLACE TEMP VIEW once_vw AS` for `INSERT OVERWRITE archive`: every row twice, as before
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "CREATE OR REPLACE TEMP VIEW once_vw AS SELECT DISTINCT * FROM archive"
display(spark.sql(repair))

# %% deletes the checkpoint: does not know what is in the table
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "INSERT OVERWRITE archive SELECT DISTINCT * FROM archive"
display(spark.sql(repair))
dbutils.fs.rm(f"{DA.paths.checkpoints}/archive", recurse=True)
dbutils.fs.mkdirs(f"{DA.paths.checkpoints}/archive")

# %% with `WHERE heartrate >= 0`: are missing
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "INSERT OVERWRITE archive SELECT DISTINCT * FROM archive WHERE heartrate >= 0"
display(spark.sql(repair))

# %% `= "OVERWRITE archive` for `= "INSERT OVERWRITE archive`: raised an error
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "OVERWRITE archive SELECT DISTINCT * FROM archive"
display(spark.sql(repair))
