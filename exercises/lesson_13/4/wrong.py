# %% without `known.select("value").dropDuplicates().c ...` to `""")`: still in `quarantine`
DA.exercise("13.4")  # removes what an earlier attempt created


def retry():
    waiting = spark.table("quarantine").where("reason = 'unknown depot'").select("value", "file_name")
    known = checked(waiting).where("reason IS NULL").localCheckpoint()
    insert_new(known)


retry()

# %% without `insert_new(known)`: they are lost
DA.exercise("13.4")  # removes what an earlier attempt created


def retry():
    waiting = spark.table("quarantine").where("reason = 'unknown depot'").select("value", "file_name")
    known = checked(waiting).where("reason IS NULL").localCheckpoint()
    known.select("value").dropDuplicates().createOrReplaceTempView("known_lines")
    spark.sql("""
        MERGE INTO quarantine AS line USING known_lines AS known ON line.value = known.value
        WHEN MATCHED THEN DELETE
    """)


retry()

# %% `insert_new(known)` elsewhere: a crash between the two writes
DA.exercise("13.4")  # removes what an earlier attempt created


def retry():
    waiting = spark.table("quarantine").where("reason = 'unknown depot'").select("value", "file_name")
    known = checked(waiting).where("reason IS NULL").localCheckpoint()
    known.select("value").dropDuplicates().createOrReplaceTempView("known_lines")
    spark.sql("""
        MERGE INTO quarantine AS line USING known_lines AS known ON line.value = known.value
        WHEN MATCHED THEN DELETE
    """)
    insert_new(known)


retry()

# %% deletes all lines of unknown depots: quarantine
DA.exercise("13.4")  # removes what an earlier attempt created


def retry():
    waiting = spark.table("quarantine").where("reason = 'unknown depot'").select("value", "file_name")
    known = checked(waiting).where("reason IS NULL").localCheckpoint()
    insert_new(known)
    spark.sql("DELETE FROM quarantine WHERE reason = 'unknown depot'")


retry()

# %% appended, not merged: some are there twice
DA.exercise("13.4")  # removes what an earlier attempt created


def retry():
    waiting = spark.table("quarantine").where("reason = 'unknown depot'").select("value", "file_name")
    known = checked(waiting).where("reason IS NULL").localCheckpoint()
    names = spark.table("silver_deliveries").columns
    known.select(names).write.mode("append").saveAsTable("silver_deliveries")
    known.select("value").dropDuplicates().createOrReplaceTempView("known_lines")
    spark.sql("""
        MERGE INTO quarantine AS line USING known_lines AS known ON line.value = known.value
        WHEN MATCHED THEN DELETE
    """)


retry()
