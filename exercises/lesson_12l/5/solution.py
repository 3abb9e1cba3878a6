DA.exercise("12L.5")  # removes what an earlier attempt created


def forget(number):
    spark.sql(f"DELETE FROM change_log WHERE card = '{number}'")
    apply_changes(spark.sql(f"""
        SELECT '{number}' AS card, 'DELETE' AS operation,
            '-' AS name, '-' AS email, '-' AS city,
            struct(9223372036854775807 AS sequence,
                TIMESTAMP '9999-12-31' AS changed_at) AS at
        """), None)


forget("K-407")
