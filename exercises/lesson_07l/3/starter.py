DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again

spark.sql("SELECT 'a statement that leaves each row of ward once'")


def save_readings(batch, batch_id):
    pass  # add the batch to the table `ward`, so that calling it twice is safe
