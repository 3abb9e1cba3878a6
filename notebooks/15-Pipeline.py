# Databricks notebook source
"""The shop's lakehouse of lesson 15, in Python. The setting `landing` says where the shop's files land."""

from pyspark import pipelines as dp
from pyspark.sql import functions as F

LANDING = spark.conf.get("landing")
ORDER = """order_id LONG, customer_id INT, ordered_at STRING, channel STRING,
    items ARRAY<STRUCT<sku: STRING, quantity: INT, price: DECIMAL(10, 2)>>, broken STRING"""
CHANGE = """sequence LONG, operation STRING, customer_id INT, name STRING, email STRING, country STRING, city STRING,
    segment STRING"""
RULES = {
    "readable": "broken IS NULL AND order_id IS NOT NULL",
    "good time": "ordered_at IS NOT NULL",
    "has a customer": "customer_id IS NOT NULL",
    "known customer": "country IS NOT NULL",
    "has items": "size(items) > 0 AND forall(items, item -> item.price IS NOT NULL)",
    "positive quantities": "forall(items, item -> item.quantity > 0)",
}
REVENUE = """aggregate(items, CAST(0 AS DECIMAL(12, 2)),
    (sum, item) -> CAST(sum + item.quantity * item.price AS DECIMAL(12, 2)))"""

# COMMAND ----------


@dp.table(comment="Every line as it came, and its file", table_properties={"pipelines.reset.allowed": "false"})
def bronze_orders():
    lines = spark.readStream.format("cloudFiles").option("cloudFiles.format", "text").load(f"{LANDING}/orders")
    return lines.select("value", "_metadata.file_name")


# COMMAND ----------


@dp.temporary_view
def customer_changes():
    changes = spark.readStream.schema(CHANGE).json(f"{LANDING}/customer-changes")
    return changes.where("customer_id IS NOT NULL")


dp.create_streaming_table("customers")
dp.create_auto_cdc_flow(target="customers", source="customer_changes", keys=["customer_id"], sequence_by="sequence")

# COMMAND ----------


@dp.temporary_view
def orders():
    order = F.from_json("value", ORDER, {"columnNameOfCorruptRecord": "broken"}).alias("order")
    customers = spark.read.table("customers").selectExpr("customer_id", "coalesce(country, 'none') AS country")
    lines = spark.readStream.table("bronze_orders").select("value", "file_name", order)
    typed = lines.select("value", "file_name", "order.*").withColumn("ordered_at", F.try_to_timestamp("ordered_at"))
    return typed.join(customers, "customer_id", "left").withColumn("revenue", F.expr(REVENUE))


@dp.temporary_view
@dp.expect_all_or_drop(RULES)
def valid_orders():
    return spark.readStream.table("orders")


@dp.table
@dp.expect("customer is still here", "country <> 'none'")
def silver_orders():
    orders = spark.readStream.table("valid_orders").dropDuplicates(["order_id"])
    return orders.select("order_id", "customer_id", "country", "ordered_at", "channel", "revenue")


# COMMAND ----------


@dp.materialized_view(comment="Orders and revenue of each day and country")
def gold_revenue():
    days = spark.read.table("silver_orders").groupBy(F.to_date("ordered_at").alias("day"), "country")
    return days.agg(F.count("*").alias("orders"), F.sum("revenue").alias("revenue"))
