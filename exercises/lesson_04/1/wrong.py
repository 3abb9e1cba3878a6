# %% `faulty_json` for `faulty_json_2`: has run no batch
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .format("json")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json")
    .trigger(availableNow=True)
    .start(directory))

# %% `faulty_json` for `faulty_json_2`: no batch
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json_2"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .format("json")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json")
    .trigger(availableNow=True)
    .start(directory))

# %% `faulty_json` for `faulty_json_2`: the sink has skipped them
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .format("json")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json_2")
    .trigger(availableNow=True)
    .start(directory))

# %% without `.format("json")`: a Delta table, which is the default here
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json_2"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json_2")
    .trigger(availableNow=True)
    .start(directory))

# %% `parquet` for `json`: are not JSON
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json_2"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json_2")
    .trigger(availableNow=True)
    .start(directory))

# %% without `.where("heartrate < 0")`: have every reading
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json_2"  # where your files are

faulty_files = (readings
    .writeStream
    .format("json")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json_2")
    .trigger(availableNow=True)
    .start(directory))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json_2"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .format("json")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json_2")
    .start(directory))

# %% without `.option("checkpointLocation", ...)`: raised an error
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json_2"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .format("json")
    .trigger(availableNow=True)
    .start(directory))

# %% with `.outputMode("complete")`: raised an error
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json_2"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .format("json")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json_2")
    .outputMode("complete")
    .trigger(availableNow=True)
    .start(directory))
