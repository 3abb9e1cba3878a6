# %% `materialized_view` for `table`, `read` for `readStream`: is a materialized view
DA.exercise("15.2")  # removes what an earlier attempt created


@dp.materialized_view
def delivered_to():
    customers = spark.read.table("customers").select("customer_id", "city")
    return spark.read.table("silver_orders").join(customers, "customer_id", "left").select("order_id", "city")


@dp.materialized_view
def customers_by_city():
    return spark.read.table("customers").where("city IS NOT NULL").groupBy("city").agg(F.count("*").alias("customers"))


update = run_pipeline()

# %% `table` for `materialized_view`, `readStream` for `read`: The update has failed
DA.exercise("15.2")  # removes what an earlier attempt created


@dp.table
def delivered_to():
    customers = spark.read.table("customers").select("customer_id", "city")
    return spark.readStream.table("silver_orders").join(customers, "customer_id", "left").select("order_id", "city")


@dp.table
def customers_by_city():
    return spark.readStream.table("customers").where("city IS NOT NULL").groupBy("city").agg(F.count("*").alias("customers"))


update = run_pipeline()

# %% without `where("city IS NOT NULL").`: without a city
DA.exercise("15.2")  # removes what an earlier attempt created


@dp.table
def delivered_to():
    customers = spark.read.table("customers").select("customer_id", "city")
    return spark.readStream.table("silver_orders").join(customers, "customer_id", "left").select("order_id", "city")


@dp.materialized_view
def customers_by_city():
    return spark.read.table("customers").groupBy("city").agg(F.count("*").alias("customers"))


update = run_pipeline()

# %% `country` for `city`: city
DA.exercise("15.2")  # removes what an earlier attempt created


@dp.table
def delivered_to():
    customers = spark.read.table("customers").select("customer_id", "city")
    return spark.readStream.table("silver_orders").join(customers, "customer_id", "left").select("order_id", "country")


@dp.materialized_view
def customers_by_city():
    return spark.read.table("customers").where("city IS NOT NULL").groupBy("city").agg(F.count("*").alias("customers"))


update = run_pipeline()

# %% without the filter, and distinct: without a city
DA.exercise("15.2")  # removes what an earlier attempt created


@dp.table
def delivered_to():
    customers = spark.read.table("customers").select("customer_id", "city")
    return spark.readStream.table("silver_orders").join(customers, "customer_id", "left").select("order_id", "city")


@dp.materialized_view
def customers_by_city():
    return spark.read.table("customers").groupBy("city").agg(F.count_distinct("customer_id").alias("customers"))


update = run_pipeline()
