DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it again

repair = "SELECT 'a statement that leaves each row of archive once'"
display(spark.sql(repair))
