# %% the customers are erased first, and with them the addresses: newsletter
DA.exercise("12X.1")  # removes what an earlier attempt created


def erase_everywhere(batch, batch_id):
    erase(batch, batch_id)
    batch.createOrReplaceTempView("leaving")
    batch.sparkSession.sql("""
        MERGE INTO newsletter USING (
            SELECT email FROM customers JOIN leaving USING (customer_id)
            UNION
            SELECT email FROM events JOIN leaving USING (customer_id)) AS known
        ON newsletter.email = known.email
        WHEN MATCHED THEN DELETE""")


leaving = spark.createDataFrame([(1006,), (1027,)], "customer_id INT")
erase_everywhere(leaving, 0)

# %% only the newest address of each: older
DA.exercise("12X.1")  # removes what an earlier attempt created


def erase_everywhere(batch, batch_id):
    batch.createOrReplaceTempView("leaving")
    batch.sparkSession.sql("""
        MERGE INTO newsletter USING (
            SELECT email FROM customers JOIN leaving USING (customer_id)) AS known
        ON newsletter.email = known.email
        WHEN MATCHED THEN DELETE""")
    erase(batch, batch_id)


leaving = spark.createDataFrame([(1006,), (1027,)], "customer_id INT")
erase_everywhere(leaving, 0)

# %% only the addresses that came with an event: customers
DA.exercise("12X.1")  # removes what an earlier attempt created


def erase_everywhere(batch, batch_id):
    batch.createOrReplaceTempView("leaving")
    batch.sparkSession.sql("""
        MERGE INTO newsletter USING (
            SELECT email FROM events JOIN leaving USING (customer_id)) AS known
        ON newsletter.email = known.email
        WHEN MATCHED THEN DELETE""")
    erase(batch, batch_id)


leaving = spark.createDataFrame([(1006,), (1027,)], "customer_id INT")
erase_everywhere(leaving, 0)

# %% the newsletter only: still
DA.exercise("12X.1")  # removes what an earlier attempt created


def erase_everywhere(batch, batch_id):
    batch.createOrReplaceTempView("leaving")
    batch.sparkSession.sql("""
        MERGE INTO newsletter USING (
            SELECT email FROM customers JOIN leaving USING (customer_id)
            UNION
            SELECT email FROM events JOIN leaving USING (customer_id)) AS known
        ON newsletter.email = known.email
        WHEN MATCHED THEN DELETE""")


leaving = spark.createDataFrame([(1006,), (1027,)], "customer_id INT")
erase_everywhere(leaving, 0)
