DA.exercise("08L.5")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

CONTRACT = "sale_id STRING, play STRING, seats INT, amount DECIMAL(8, 2), sold_at STRING"


def start(name, mode):
    return (spark.readStream
        .format("cloudFiles")
        .option("cloudFiles.format", "json")
        .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/{name}")
        .option("cloudFiles.schemaEvolutionMode", mode)
        .option("cloudFiles.maxFilesPerTrigger", 1)
        .option("rescuedDataColumn", "_rescued_data")
        .schema(CONTRACT)
        .load(DA.paths.landing)
        .writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/{name}")
        .trigger(availableNow=True)
        .toTable(name))


board = start("board", "rescue")
ledger = start("ledger", "failOnNewColumns")

for query in filter(None, (board, ledger)):
    try:
        query.awaitTermination(60)
    except StreamingQueryException as error:
        print(str(error).splitlines()[0])
