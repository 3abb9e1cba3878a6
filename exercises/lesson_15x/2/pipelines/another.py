# Another right pipeline: without an expectation, and duplicates are removed elsewhere.
from pyspark import pipelines as dp


@dp.table
def valid_orders():
    return spark.readStream.table("raw_orders").where("order_id IS NOT NULL")


@dp.materialized_view
def per_channel():
    return spark.read.table("valid_orders").dropDuplicates(["order_id"]).groupBy("channel").count()
