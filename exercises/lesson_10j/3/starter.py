DA.exercise("10J.3")  # removes what an earlier attempt created

closing = None  # the stream into the table closing

# spark.sql("CREATE OR REPLACE TEMP VIEW unpaid_vw AS SELECT ...")
