DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json"  # where your files are

faulty_files = None  # write the stream here
