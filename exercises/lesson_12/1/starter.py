DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")


def apply_changes(batch, batch_id):
    ...  # apply the changes of this batch to members


joining = None  # the stream that calls apply_changes

# spark.sql("CREATE OR REPLACE TEMP VIEW members_now AS SELECT ...")
