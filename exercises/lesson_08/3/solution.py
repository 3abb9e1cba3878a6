DA.exercise("08.3")  # removes what an earlier attempt created

land_file("supplier.json", [
    {"device_id": 5, "heartrate": "61,5", "time": 1751414405.0},
    {"device_id": 6, "HeartRate": 64.25, "time": 1751414406.0},
])
ingest(DA.paths.landing, "json", "vitals", vitals_checkpoint, **hinted).awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW rates_vw AS
    SELECT coalesce(device_id,
               try_cast(get_json_object(_rescued_data, '$.Device_ID') AS INT)) AS device_id,
           coalesce(heartrate, try_cast(replace(coalesce(
               get_json_object(_rescued_data, '$.heartrate'),
               get_json_object(_rescued_data, '$.HeartRate')
           ), ',', '.') AS DOUBLE)) AS heartrate,
           time
    FROM vitals""")
