# %% without `, "left"`: No line may be lost
DA.exercise("13.2")  # removes what an earlier attempt created


def checked(lines):
    delivery = "scan_id STRING, depot_id INT, delivered_at TIMESTAMP, fee DECIMAL(8, 2), broken STRING"
    reason = """
        CASE WHEN broken IS NOT NULL OR scan_id IS NULL THEN 'unreadable'
             WHEN delivered_at IS NULL THEN 'no time'
             WHEN fee IS NULL OR fee <= 0 THEN 'bad fee'
             WHEN region IS NULL THEN 'unknown depot' END
    """
    parsed = F.from_json("value", delivery, {"columnNameOfCorruptRecord": "broken"}).alias("parsed")
    return (lines
        .select("value", "file_name", parsed)
        .select("value", "file_name", "parsed.*")
        .join(lines.sparkSession.table("depots").select("depot_id", "region"), "depot_id")
        .withColumn("reason", F.expr(reason))
        .drop("broken"))

# %% without `IS NULL OR fee`: what checked returns
DA.exercise("13.2")  # removes what an earlier attempt created


def checked(lines):
    delivery = "scan_id STRING, depot_id INT, delivered_at TIMESTAMP, fee DECIMAL(8, 2), broken STRING"
    reason = """
        CASE WHEN broken IS NOT NULL OR scan_id IS NULL THEN 'unreadable'
             WHEN delivered_at IS NULL THEN 'no time'
             WHEN fee <= 0 THEN 'bad fee'
             WHEN region IS NULL THEN 'unknown depot' END
    """
    parsed = F.from_json("value", delivery, {"columnNameOfCorruptRecord": "broken"}).alias("parsed")
    return (lines
        .select("value", "file_name", parsed)
        .select("value", "file_name", "parsed.*")
        .join(lines.sparkSession.table("depots").select("depot_id", "region"), "depot_id", "left")
        .withColumn("reason", F.expr(reason))
        .drop("broken"))

# %% `fee < 0 THEN` for `fee <= 0 THEN`: other lines
DA.exercise("13.2")  # removes what an earlier attempt created


def checked(lines):
    delivery = "scan_id STRING, depot_id INT, delivered_at TIMESTAMP, fee DECIMAL(8, 2), broken STRING"
    reason = """
        CASE WHEN broken IS NOT NULL OR scan_id IS NULL THEN 'unreadable'
             WHEN delivered_at IS NULL THEN 'no time'
             WHEN fee IS NULL OR fee < 0 THEN 'bad fee'
             WHEN region IS NULL THEN 'unknown depot' END
    """
    parsed = F.from_json("value", delivery, {"columnNameOfCorruptRecord": "broken"}).alias("parsed")
    return (lines
        .select("value", "file_name", parsed)
        .select("value", "file_name", "parsed.*")
        .join(lines.sparkSession.table("depots").select("depot_id", "region"), "depot_id", "left")
        .withColumn("reason", F.expr(reason))
        .drop("broken"))

# %% `DOUBLE` for `DECIMAL(8, 2)`: fee
DA.exercise("13.2")  # removes what an earlier attempt created


def checked(lines):
    delivery = "scan_id STRING, depot_id INT, delivered_at TIMESTAMP, fee DOUBLE, broken STRING"
    reason = """
        CASE WHEN broken IS NOT NULL OR scan_id IS NULL THEN 'unreadable'
             WHEN delivered_at IS NULL THEN 'no time'
             WHEN fee IS NULL OR fee <= 0 THEN 'bad fee'
             WHEN region IS NULL THEN 'unknown depot' END
    """
    parsed = F.from_json("value", delivery, {"columnNameOfCorruptRecord": "broken"}).alias("parsed")
    return (lines
        .select("value", "file_name", parsed)
        .select("value", "file_name", "parsed.*")
        .join(lines.sparkSession.table("depots").select("depot_id", "region"), "depot_id", "left")
        .withColumn("reason", F.expr(reason))
        .drop("broken"))

# %% `WHEN fee IS NULL OR fee <= 0 THEN 'bad fee'` elsewhere: other lines
DA.exercise("13.2")  # removes what an earlier attempt created


def checked(lines):
    delivery = "scan_id STRING, depot_id INT, delivered_at TIMESTAMP, fee DECIMAL(8, 2), broken STRING"
    reason = """
        CASE WHEN broken IS NOT NULL OR scan_id IS NULL THEN 'unreadable'
             WHEN fee IS NULL OR fee <= 0 THEN 'bad fee'
             WHEN delivered_at IS NULL THEN 'no time'
             WHEN region IS NULL THEN 'unknown depot' END
    """
    parsed = F.from_json("value", delivery, {"columnNameOfCorruptRecord": "broken"}).alias("parsed")
    return (lines
        .select("value", "file_name", parsed)
        .select("value", "file_name", "parsed.*")
        .join(lines.sparkSession.table("depots").select("depot_id", "region"), "depot_id", "left")
        .withColumn("reason", F.expr(reason))
        .drop("broken"))
