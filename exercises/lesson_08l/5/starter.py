DA.exercise("08L.5")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

CONTRACT = "sale_id STRING, play STRING, seats INT, amount DECIMAL(8, 2), sold_at STRING"

board = None  # the stream into the table board
ledger = None  # the stream into the table ledger

for query in filter(None, (board, ledger)):
    try:
        query.awaitTermination(60)
    except StreamingQueryException as error:
        print(str(error).splitlines()[0])
