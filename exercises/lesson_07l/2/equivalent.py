# %% `RESTORE TABLE`
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "RESTORE TABLE archive TO VERSION AS OF 2"
display(spark.sql(repair))

# %% `CREATE OR REPLACE TABLE`
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "CREATE OR REPLACE TABLE archive AS SELECT DISTINCT * FROM archive"
display(spark.sql(repair))
