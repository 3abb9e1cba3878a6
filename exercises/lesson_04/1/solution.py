DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json_2"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .format("json")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json_2")
    .trigger(availableNow=True)
    .start(directory))
