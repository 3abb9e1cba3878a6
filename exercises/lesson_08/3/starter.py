DA.exercise("08.3")  # removes what an earlier attempt created

land_file("supplier.json", [
    {"device_id": 5, "heartrate": "61,5", "time": 1751414405.0},
    {"device_id": 6, "HeartRate": 64.25, "time": 1751414406.0},
])
ingest(DA.paths.landing, "json", "vitals", vitals_checkpoint, **hinted).awaitTermination()

# spark.sql("CREATE OR REPLACE TEMP VIEW rates_vw AS SELECT ...")
