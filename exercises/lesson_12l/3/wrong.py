# %% whole rows replaced: merge each field by itself
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    newest_values(batch).createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
        """)


applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """)

# %% whole rows, by the newest operation: merge each field by itself
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    newest_values(batch).createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED AND new.operation.at > old.operation.at THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
        """)


applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """)

# %% with `WHEN MATCHED AND new.operation.value = 'DELETE' THEN DELETE`: is in `members_now`
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    newest_values(batch).createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED AND new.operation.value = 'DELETE' THEN DELETE
        WHEN MATCHED THEN UPDATE SET
            operation = greatest(old.operation, new.operation),
            name = greatest(old.name, new.name),
            email = greatest(old.email, new.email),
            city = greatest(old.city, new.city)
        WHEN NOT MATCHED THEN INSERT *
        """)


applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """)

# %% with `AND new.operation.value <> 'DELETE'`: split in another way
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    newest_values(batch).createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED THEN UPDATE SET
            operation = greatest(old.operation, new.operation),
            name = greatest(old.name, new.name),
            email = greatest(old.email, new.email),
            city = greatest(old.city, new.city)
        WHEN NOT MATCHED AND new.operation.value <> 'DELETE' THEN INSERT *
        """)


applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """)

# %% without `WHERE operation.value <> 'DELETE'`: Filter in the view
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    newest_values(batch).createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED THEN UPDATE SET
            operation = greatest(old.operation, new.operation),
            name = greatest(old.name, new.name),
            email = greatest(old.email, new.email),
            city = greatest(old.city, new.city)
        WHEN NOT MATCHED THEN INSERT *
        """)


applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    """)

# %% `email.value` for `nullif(email.value, '-')`: shows NULL then
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    newest_values(batch).createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED THEN UPDATE SET
            operation = greatest(old.operation, new.operation),
            name = greatest(old.name, new.name),
            email = greatest(old.email, new.email),
            city = greatest(old.city, new.city)
        WHEN NOT MATCHED THEN INSERT *
        """)


applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, email.value AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """)

# %% `coalesce(new.city, old` for `greatest(old.city, new`: An older value has won
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    newest_values(batch).createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED THEN UPDATE SET
            operation = greatest(old.operation, new.operation),
            name = greatest(old.name, new.name),
            email = greatest(old.email, new.email),
            city = coalesce(new.city, old.city)
        WHEN NOT MATCHED THEN INSERT *
        """)


applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """)

# %% `batch` for `newest_values(batch)`: DATA_DIFF_TYPES
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    batch.createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED THEN UPDATE SET
            operation = greatest(old.operation, new.operation),
            name = greatest(old.name, new.name),
            email = greatest(old.email, new.email),
            city = greatest(old.city, new.city)
        WHEN NOT MATCHED THEN INSERT *
        """)


applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """)

# %% `change_log` for `members`: its own
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    newest_values(batch).createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED THEN UPDATE SET
            operation = greatest(old.operation, new.operation),
            name = greatest(old.name, new.name),
            email = greatest(old.email, new.email),
            city = greatest(old.city, new.city)
        WHEN NOT MATCHED THEN INSERT *
        """)


applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """)
