# %% in Python
from pyspark.sql import functions as F

DA_VIEW = (spark.table("streaming_tmp_vw").where("heartrate >= 0").groupBy("mrn")
    .agg(F.count("*").alias("readings"), F.max("heartrate").alias("highest")))
DA_VIEW.createOrReplaceTempView("patients_tmp_vw")
