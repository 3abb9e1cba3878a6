DA.exercise("13.4")  # removes what an earlier attempt created


def retry():
    waiting = (spark.table("quarantine")
        .where("reason = 'unknown depot'").select("value", "file_name"))
    known = checked(waiting).where("reason IS NULL").localCheckpoint()
    insert_new(known)
    known.select("value").dropDuplicates().createOrReplaceTempView("known_lines")
    spark.sql("""
        MERGE INTO quarantine AS line USING known_lines AS known ON line.value = known.value
        WHEN MATCHED THEN DELETE
    """)


retry()
