# %% `changed_at < TIMESTAMP '` for `changed_at <= TIMESTAMP '`: at 12:00:00 exactly
DA.exercise("12L.4")  # removes what an earlier attempt created

then = newest_values(spark.table("change_log").where("at.changed_at < TIMESTAMP '2025-09-06 12:00:00'"))

(then
    .where("operation.value <> 'DELETE'")
    .selectExpr("card", "nullif(city.value, '-') AS city")
    .join(spark.table("members_now").drop("city"), "card")
    .where("email IS NOT NULL")
    .createOrReplaceTempView("vouchers_vw"))

# %% without `.where("operation.value <> 'DELETE'")`: `vouchers_vw`
DA.exercise("12L.4")  # removes what an earlier attempt created

then = newest_values(spark.table("change_log").where("at.changed_at <= TIMESTAMP '2025-09-06 12:00:00'"))

(then
    .selectExpr("card", "nullif(city.value, '-') AS city")
    .join(spark.table("members_now").drop("city"), "card")
    .where("email IS NOT NULL")
    .createOrReplaceTempView("vouchers_vw"))

# %% without `.where("email IS NOT NULL")`: without an e-mail address
DA.exercise("12L.4")  # removes what an earlier attempt created

then = newest_values(spark.table("change_log").where("at.changed_at <= TIMESTAMP '2025-09-06 12:00:00'"))

(then
    .where("operation.value <> 'DELETE'")
    .selectExpr("card", "nullif(city.value, '-') AS city")
    .join(spark.table("members_now").drop("city"), "card")
    .createOrReplaceTempView("vouchers_vw"))

# %% with the city of `members_now`: The cities are those of today
DA.exercise("12L.4")  # removes what an earlier attempt created

then = newest_values(spark.table("change_log").where("at.changed_at <= TIMESTAMP '2025-09-06 12:00:00'"))

(then
    .where("operation.value <> 'DELETE'")
    .select("card")
    .join(spark.table("members_now"), "card")
    .where("email IS NOT NULL")
    .createOrReplaceTempView("vouchers_vw"))

# %% from `members_now` alone: members of today
DA.exercise("12L.4")

spark.table("members_now").where("email IS NOT NULL").createOrReplaceTempView("vouchers_vw")

# %% from the members of noon alone: is not a member today
DA.exercise("12L.4")  # removes what an earlier attempt created

then = newest_values(spark.table("change_log").where("at.changed_at <= TIMESTAMP '2025-09-06 12:00:00'"))

(then
    .where("operation.value <> 'DELETE'")
    .selectExpr("name.value AS name", "email.value AS email", "card", "nullif(city.value, '-') AS city")
    .where("email IS NOT NULL")
    .createOrReplaceTempView("vouchers_vw"))
