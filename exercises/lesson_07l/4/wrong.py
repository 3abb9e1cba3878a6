# %% `heartrate` for `replace(heartrate, ' bpm', '')`: fails on the new file
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it again

vitals = (spark.sql("""
        SELECT device_id, mrn, CAST(heartrate AS DOUBLE) AS heartrate, time
        FROM vitals_text_vw
    """)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/vitals")
    .trigger(availableNow=True)
    .toTable("vitals"))

# %% `try_cast(heartrate` for `CAST(replace(heartrate, ' bpm', '')`: lost their heart rate
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it again

vitals = (spark.sql("""
        SELECT device_id, mrn, try_cast(heartrate AS DOUBLE) AS heartrate, time
        FROM vitals_text_vw
    """)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/vitals")
    .trigger(availableNow=True)
    .toTable("vitals"))

# %% reads with the old schema: lost their heart rate
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it again

vitals = (spark.readStream.schema(schema).json(f"{DA.paths.working_dir}/vitals_in")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/vitals")
    .trigger(availableNow=True)
    .toTable("vitals"))

# %% `vitals_2` for `vitals`: are there twice
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it again

vitals = (spark.sql("""
        SELECT device_id, mrn, CAST(replace(heartrate, ' bpm', '') AS DOUBLE) AS heartrate, time
        FROM vitals_text_vw
    """)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/vitals_2")
    .trigger(availableNow=True)
    .toTable("vitals"))

# %% with `WHERE heartrate NOT LIKE '%bpm'`: the others are lost
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it again

vitals = (spark.sql("""
        SELECT device_id, mrn, CAST(replace(heartrate, ' bpm', '') AS DOUBLE) AS heartrate, time
        FROM vitals_text_vw
        WHERE heartrate NOT LIKE '%bpm'
    """)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/vitals")
    .trigger(availableNow=True)
    .toTable("vitals"))

# %% with `spark.sql("DROP TABLE vitals")`: two days are gone
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it again

spark.sql("DROP TABLE vitals")

vitals = (spark.sql("""
        SELECT device_id, mrn, CAST(replace(heartrate, ' bpm', '') AS DOUBLE) AS heartrate, time
        FROM vitals_text_vw
    """)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/vitals")
    .trigger(availableNow=True)
    .toTable("vitals"))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it again

vitals = (spark.sql("""
        SELECT device_id, mrn, CAST(replace(heartrate, ' bpm', '') AS DOUBLE) AS heartrate, time
        FROM vitals_text_vw
    """)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/vitals")
    .toTable("vitals"))

# %% with `.awaitTermination()`: on a separate line
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it again

vitals = (spark.sql("""
        SELECT device_id, mrn, CAST(replace(heartrate, ' bpm', '') AS DOUBLE) AS heartrate, time
        FROM vitals_text_vw
    """)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/vitals")
    .trigger(availableNow=True)
    .toTable("vitals")).awaitTermination()
