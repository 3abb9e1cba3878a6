# %% before the other one: unreadable
DA.exercise("13.1")  # removes what an earlier attempt created

VERDICT = """
    CASE WHEN get_json_object(value, '$.customer_id') IS NULL THEN 'no customer'
         WHEN get_json_object(value, '$.order_id') IS NULL THEN 'unreadable'
    END"""

spark.table("bronze_orders").groupBy(F.expr(VERDICT).alias("reason")).count().orderBy("reason").show()

# %% another word: says `missing`
DA.exercise("13.1")  # removes what an earlier attempt created

VERDICT = """
    CASE WHEN get_json_object(value, '$.order_id') IS NULL THEN 'unreadable'
         WHEN get_json_object(value, '$.customer_id') IS NULL THEN 'missing'
    END"""

spark.table("bronze_orders").groupBy(F.expr(VERDICT).alias("reason")).count().orderBy("reason").show()

# %% `= NULL` for `IS NULL`: without a customer
DA.exercise("13.1")  # removes what an earlier attempt created

VERDICT = """
    CASE WHEN get_json_object(value, '$.order_id') IS NULL THEN 'unreadable'
         WHEN get_json_object(value, '$.customer_id') = NULL THEN 'no customer'
    END"""

spark.table("bronze_orders").groupBy(F.expr(VERDICT).alias("reason")).count().orderBy("reason").show()
