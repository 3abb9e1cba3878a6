# %% the row deleted: Leave a tombstone
DA.exercise("12L.5")  # removes what an earlier attempt created


def forget(number):
    spark.sql(f"DELETE FROM change_log WHERE card = '{number}'")
    spark.sql(f"DELETE FROM members WHERE card = '{number}'")


forget("K-407")

# %% without `spark.sql(f"DELETE FROM change_log WHERE card = '{number}'")`: delete them
DA.exercise("12L.5")  # removes what an earlier attempt created


def forget(number):
    apply_changes(spark.sql(f"""
        SELECT '{number}' AS card, 'DELETE' AS operation, '-' AS name, '-' AS email, '-' AS city,
            struct(9223372036854775807 AS sequence, TIMESTAMP '9999-12-31' AS changed_at) AS at
        """), None)


forget("K-407")

# %% `1000000L` for `9223372036854775807`: late changes
DA.exercise("12L.5")  # removes what an earlier attempt created


def forget(number):
    spark.sql(f"DELETE FROM change_log WHERE card = '{number}'")
    apply_changes(spark.sql(f"""
        SELECT '{number}' AS card, 'DELETE' AS operation, '-' AS name, '-' AS email, '-' AS city,
            struct(1000000L AS sequence, TIMESTAMP '9999-12-31' AS changed_at) AS at
        """), None)


forget("K-407")

# %% an update without the sequence of the fields: late changes
DA.exercise("12L.5")  # removes what an earlier attempt created


def forget(number):
    spark.sql(f"DELETE FROM change_log WHERE card = '{number}'")
    spark.sql(f"""
        UPDATE members SET name = NULL, email = NULL, city = NULL, operation = struct(struct(9223372036854775807 AS sequence, TIMESTAMP '9999-12-31' AS changed_at) AS at, 'DELETE' AS value)
        WHERE card = '{number}'
        """)


forget("K-407")

# %% an update without the operation: is not `DELETE`
DA.exercise("12L.5")  # removes what an earlier attempt created


def forget(number):
    spark.sql(f"DELETE FROM change_log WHERE card = '{number}'")
    fields = 'name = NULL, email = NULL, city = NULL'
    spark.sql(f"UPDATE members SET {fields} WHERE card = '{number}'")


forget("K-407")

# %% without `forget("K-407")`: Did you call the function?
DA.exercise("12L.5")  # removes what an earlier attempt created


def forget(number):
    spark.sql(f"DELETE FROM change_log WHERE card = '{number}'")
    apply_changes(spark.sql(f"""
        SELECT '{number}' AS card, 'DELETE' AS operation, '-' AS name, '-' AS email, '-' AS city,
            struct(9223372036854775807 AS sequence, TIMESTAMP '9999-12-31' AS changed_at) AS at
        """), None)
