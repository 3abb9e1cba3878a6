DA.exercise("07W.1")  # removes what an earlier attempt created

from pyspark.sql import functions as F

schema = """transaction_id STRING, card_id INT, amount DOUBLE, merchant STRING,
    category STRING, country STRING, event_time TIMESTAMP, received_at TIMESTAMP"""

received = None  # the stream into payments
settling = None  # the stream into settled
serving = None  # the stream into spending
counting = None  # the stream into by_hour
