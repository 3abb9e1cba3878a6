DA.exercise("14L.2")  # removes what an earlier attempt created

# spark.table("undos_vw") ... .createOrReplaceTempView("once_vw")
