# A mistake: orders without an id are kept.
from pyspark import pipelines as dp


@dp.table
@dp.expect("has an id", "order_id IS NOT NULL")
def valid_orders():
    return spark.readStream.table("raw_orders").dropDuplicates(["order_id"])


@dp.materialized_view
def per_channel():
    return spark.read.table("valid_orders").groupBy("channel").count()
